// Rating by hand with less effort: saving as you go, evidence by selecting words, and keys.

export function begin(page) {
  const form = page.querySelector("#rating");
  const version = page.querySelector("#version");
  const saving = page.querySelector("#saving");
  const trouble = page.querySelector("#trouble");
  const mine = page.querySelector("#save-mine");
  const use = page.querySelector("#use");
  const useFor = page.querySelector("#use-for");
  const useSays = page.querySelector("#use-says");
  const checks = [...page.querySelectorAll("[data-check]")];
  let current = checks.find((check) => `#${check.id}` === location.hash) ?? checks[0];
  let dirty = false;
  let running;
  let stopped = false;
  let leaving = false;
  let later;

  page.querySelectorAll(".needs-script").forEach((part) => { part.hidden = false; });

  const fields = () => new URLSearchParams(new FormData(form));
  const field = (check, name) => check.querySelector(`[name="${name}-${check.dataset.check}"]`);

  function say(text) { saving.textContent = text; }

  function showTrouble(text, canSave) {
    trouble.hidden = false;
    trouble.querySelector("p").textContent = text;
    mine.hidden = !canSave;
  }

  function show(state) {
    version.value = state.version;
    page.querySelector("#undo [name=version]").value = state.version;
    for (const check of checks) {
      const told = state.complaints.find((complaint) => complaint.id === check.dataset.check);
      const place = check.querySelector("[data-complaint]");
      place.hidden = !told;
      place.replaceChildren();
      if (told) {
        const strong = document.createElement("strong");
        strong.textContent = told.what;
        const line = document.createElement("p");
        line.append(strong, ` What to do: ${told.fix}.`);
        place.append(line);
      }
      const kept = state.evidence.find((evidence) => evidence.id === check.dataset.check);
      const quote = field(check, "quote");
      // Words that someone is writing on stay as they are.
      if (kept?.quote && document.activeElement !== quote && !dirty) {
        quote.value = kept.quote;
        field(check, "turn").value = kept.turn ?? "";
      }
    }
    let answered = 0;
    for (const step of state.steps) {
      const link = page.querySelector(`[data-step="${step.number}"]`);
      link.querySelector("[data-count]").textContent = step.answered;
      link.classList.toggle("troubled", step.troubled);
      link.querySelector(".step-sign").textContent = step.troubled ? "!" : "";
      link.querySelector("[data-trouble]").textContent = step.troubled ? ", needs another look" : "";
      answered += step.answered;
    }
    page.querySelector("#answered").textContent = answered;
    mark();
  }

  async function send() {
    dirty = false;
    say("saving…");
    try {
      const answer = await fetch(page.dataset.save, {
        method: "POST", body: fields(), headers: { accept: "application/json" }, redirect: "error",
      });
      const state = await answer.json();
      if (answer.ok) {
        show(state);
        say(dirty ? "not saved yet" : "saved");
        trouble.hidden = true;
        return;
      }
      dirty = true;
      stopped = true;
      say("not saved");
      const isOlder = answer.status === 409 && state.version !== undefined;
      if (isOlder) mine.dataset.version = state.version;
      const text = state.detail ?? "It could not be saved.";
      showTrouble(`${text} Nothing you wrote is lost: it is still on this page.`, isOlder);
    } catch {
      dirty = true;
      say("not saved: the server does not answer; trying again");
      changed(3000);
    }
  }

  // One request at a time, because each names the version that the one before has made.
  async function save() {
    if (running) return running;
    running = (async () => {
      do {
        clearTimeout(later);
        later = undefined;
        await send();
      } while (dirty && !stopped && !later);
    })();
    await running;
    running = undefined;
  }

  // Waits for what is not saved yet before the page is left.
  async function settle(then) {
    if (dirty && !stopped) await save();
    else if (running) await running;
    if (!dirty || stopped) then();
  }

  function changed(wait) {
    if (!dirty && !stopped) say("not saved yet");
    dirty = true;
    clearTimeout(later);
    later = setTimeout(() => {
      later = undefined;
      if (dirty && !stopped) save();
    }, wait);
  }

  mine.addEventListener("click", () => {
    version.value = mine.dataset.version;
    stopped = false;
    dirty = true;
    save();
  });

  form.addEventListener("input", (event) => changed(event.target.matches("textarea, input:not([type=radio])") ? 900 : 0));
  form.addEventListener("change", () => changed(0));
  form.addEventListener("submit", (event) => {
    if (leaving || (!dirty && !running)) return;
    event.preventDefault();
    settle(() => { leaving = true; form.requestSubmit(event.submitter); });
  });
  page.querySelector("#undo").addEventListener("submit", (event) => {
    if (leaving || (!dirty && !running)) return;
    event.preventDefault();
    settle(() => { leaving = true; event.target.requestSubmit(); });
  });
  page.querySelectorAll("[data-step]").forEach((link) => link.addEventListener("click", (event) => {
    if (!dirty && !running) return;
    event.preventDefault();
    settle(() => { location.href = link.href; });
  }));
  addEventListener("pagehide", () => {
    if (dirty && !stopped && !leaving) {
      fetch(page.dataset.save, { method: "POST", body: fields(), headers: { accept: "application/json" }, keepalive: true });
    }
  });

  function choose(check, move) {
    current = check;
    checks.forEach((other) => other.classList.toggle("current", other === check));
    useFor.textContent = check.dataset.check;
    if (move) {
      const radio = check.querySelector("input[type=radio]:checked") ?? check.querySelector("input[type=radio]");
      radio.focus({ preventScroll: true });
      check.scrollIntoView({ block: "nearest" });
    }
    mark();
  }
  form.addEventListener("focusin", (event) => {
    const check = event.target.closest("[data-check]");
    if (check && check !== current) choose(check, false);
  });
  choose(current, false);

  // The turns that this check cites, and its words in them.
  function mark() {
    const turns = `${field(current, "turn").value} ${field(current, "also").value}`.split(/\D+/).filter(Boolean);
    page.querySelectorAll("[data-turn]").forEach((turn) => turn.classList.toggle("cited", turns.includes(turn.dataset.turn)));
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("evidence");
    const words = page.querySelector(`[data-turn="${field(current, "turn").value || 0}"] [data-words]`);
    const quote = field(current, "quote").value;
    const at = words && quote ? words.textContent.indexOf(quote) : -1;
    if (at < 0) return;
    const range = new Range();
    range.setStart(words.firstChild, at);
    range.setEnd(words.firstChild, at + quote.length);
    CSS.highlights.set("evidence", new Highlight(range));
  }

  function offset(words, node, at) {
    const before = new Range();
    before.setStart(words, 0);
    before.setEnd(node, at);
    return before.toString().length;
  }

  // The selected words, cut exactly from their turn; nothing where they are from none or from several.
  function selected() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
    const range = selection.getRangeAt(0);
    const of = (node) => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-words]");
    const words = of(range.startContainer);
    if (!words || words !== of(range.endContainer)) return undefined;
    const turn = words.closest("[data-turn]").dataset.turn;
    return { turn, text: words.textContent.slice(offset(words, range.startContainer, range.startOffset),
      offset(words, range.endContainer, range.endOffset)).trim() };
  }
  document.addEventListener("selectionchange", () => {
    const found = selected();
    if (found) useSays.textContent = `Turn ${found.turn}: ${found.text.length} characters`;
    else useSays.textContent = found === undefined ? "Select words of one turn only." : "Select words of one turn.";
  });
  function take() {
    const found = selected();
    if (!found?.text) { useSays.textContent = "Select words of one turn first."; return; }
    field(current, "turn").value = found.turn;
    field(current, "quote").value = found.text;
    changed(0);
    mark();
    useSays.textContent = `Taken for ${current.dataset.check} from turn ${found.turn}.`;
  }
  use.addEventListener("mousedown", (event) => event.preventDefault());
  use.addEventListener("click", take);

  const answers = { y: "yes", n: "no", t: "not_triggered", s: "skip", o: "" };
  function answer(word) {
    const radio = [...current.querySelectorAll("input[type=radio]")].find((one) => one.value === word);
    if (!radio) return;
    radio.checked = true;
    changed(0);
    // Where the answer needs words of the chat, they are still to be chosen.
    const needsWords = word !== "" && word === current.dataset.needs && !field(current, "turn").value;
    if (needsWords || !move(1)) radio.focus({ preventScroll: true });
  }
  function move(by) {
    const next = checks[checks.indexOf(current) + by];
    if (next) choose(next, true);
    return Boolean(next);
  }
  function step(by) {
    const links = [...page.querySelectorAll("[data-step]")];
    const here = links.findIndex((link) => link.hasAttribute("aria-current"));
    links[here + by]?.click();
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("textarea, select, input:not([type=radio])")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const check = checks.find((one) => one.dataset.number === event.key);
    if (check) choose(check, true);
    else if (event.key in answers) answer(answers[event.key]);
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "e") take();
    else if (event.key === "w") field(current, "why").focus();
    else if (event.key === "[") step(-1);
    else if (event.key === "]") step(1);
    else if (event.key === "u") page.querySelector("#undo").requestSubmit();
    else return;
    event.preventDefault();
  });
}
