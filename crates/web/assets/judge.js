// The Judge page: reads along while one types, takes dropped files, and starts by keyboard.

const PAUSE = 500;
const EDITABLE = 256 * 1024;

async function ask(address, form, options) {
  return fetch(address, { method: "POST", body: new FormData(form), headers: { "x-carelock-part": "1" }, ...options });
}

function trouble(place, status) {
  const words = status === 413 ? "This is larger than the server takes." : `The server did not take it (status ${status}). Open the page again.`;
  const alert = document.createElement("p");
  alert.className = "alert";
  alert.setAttribute("role", "alert");
  alert.textContent = words;
  place.replaceChildren(alert);
}

export function begin(form) {
  const $ = (id) => form.querySelector(`#${id}`);
  const [text, file, understood, estimate] = [$("text"), $("file"), $("understood"), $("estimate-part")];
  let timer = 0;
  let running = null;

  async function preview() {
    clearTimeout(timer);
    running?.abort();
    running = new AbortController();
    try {
      const answer = await ask(form.dataset.preview, form, { signal: running.signal });
      const kind = answer.headers.get("content-type") ?? "";
      if (answer.ok && (kind.startsWith("text/html") || kind.startsWith("text/plain"))) {
        const within = understood.contains(document.activeElement) ? document.activeElement.id : "";
        understood.innerHTML = await answer.text();
        if (within) form.querySelector(`#${within}`)?.focus();
      } else if (!answer.ok) {
        trouble(understood, answer.status);
      }
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(preview, PAUSE);
  };
  const forget = () => {
    form.querySelector("#held")?.remove();
    estimate.replaceChildren();
  };

  // The text of a single file is shown where it can be changed; anything else stays a file.
  async function take(files) {
    const chosen = files[0];
    forget();
    $("text_name").value = files.length === 1 ? chosen.name : "";
    if (files.length === 1 && chosen.size > 0 && chosen.size <= EDITABLE) {
      try {
        const words = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
        if (!/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(words)) {
          text.value = words;
          file.value = "";
          return preview();
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
    text.value = "";
    const list = new DataTransfer();
    for (const one of files) list.items.add(one);
    file.files = list.files;
    return preview();
  }

  text.addEventListener("input", () => {
    forget();
    file.value = "";
    $("text_name").value = "";
    soon();
  });
  file.addEventListener("change", () => file.files[0] && take([...file.files]));
  form.querySelector("#forget")?.addEventListener("change", () => { forget(); preview(); });
  for (const id of ["from", "human", "ai"]) $(id).addEventListener("change", preview);
  understood.addEventListener("change", (event) => event.target.name === "who" && preview());
  // Who judges decides what is said about languages.
  form.addEventListener("change", (event) => ["judge", "cascade"].includes(event.target.name) && preview());
  form.addEventListener("click", async (event) => {
    if (event.target.id === "preview" || event.target.id === "again") {
      event.preventDefault();
      await preview();
    } else if (event.target.id === "estimate") {
      event.preventDefault();
      const answer = await ask(form.dataset.estimate, form);
      if (answer.ok) estimate.innerHTML = await answer.text();
      else trouble(estimate, answer.status);
    }
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit($("start"));
    }
  });

  let depth = 0;
  const over = (is) => document.body.classList.toggle("dropping", is);
  const files = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragenter", (event) => { if (files(event)) { depth += 1; over(true); } });
  document.addEventListener("dragleave", (event) => { if (files(event)) { depth -= 1; over(depth > 0); } });
  document.addEventListener("dragover", (event) => files(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    if (event.dataTransfer.files[0]) take([...event.dataTransfer.files]);
  });
  document.documentElement.classList.add("scripted");
}
