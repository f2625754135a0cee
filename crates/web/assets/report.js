// Lights up what belongs together in a report: a check and its words in the chat, words and the checks they serve.

const LIGHTS = ".turn, mark, .marginal, .check, .cell";
const names = (element, attribute) => (element.getAttribute(attribute) ?? "").split(" ").filter(Boolean);

export function begin(part) {
  const said = part.querySelector("[data-said]");
  const all = (selector) => part.querySelectorAll(selector);
  const byId = (id) => part.querySelector(`#${CSS.escape(id)}`);

  function clear() {
    for (const lit of all(".lit")) lit.classList.remove("lit");
    for (const pressed of all('[aria-current="true"]')) pressed.removeAttribute("aria-current");
    said.textContent = "";
  }

  // What is folded away is opened before it is shown.
  function unfold(element) {
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  function light(elements) {
    const found = elements.filter(Boolean);
    for (const element of found) {
      if (!element.matches(LIGHTS)) continue;
      element.classList.add("lit");
      unfold(element);
    }
    return found;
  }

  const quotesOf = (ids) => ids.flatMap((id) => [...all(`[data-quotes~="${CSS.escape(id)}"]`)])
    .filter((element) => !element.matches(".check"));

  function move(element) {
    if (!element) return;
    unfold(element);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  }

  // A check was chosen: its turns and words light up, the first comes into view.
  function check(box) {
    clear();
    unfold(box);
    box.classList.add("lit");
    box.setAttribute("aria-current", "true");
    const turns = names(box, "data-turns").map(byId);
    const quotes = quotesOf(names(box, "data-quotes"));
    light([...turns, ...quotes, ...all(`.cell[data-checks="${CSS.escape(box.id)}"]`)]);
    move(quotes.find((quote) => quote.matches("mark")) ?? turns.find(Boolean));
    said.textContent = `${box.dataset.check}: ${turns.length} turns, Escape to clear`;
  }

  // Words or a number were chosen: the checks they serve light up.
  function words(source) {
    clear();
    const boxes = names(source, "data-checks").map(byId);
    light([source, ...quotesOf(names(source, "data-quotes")), ...boxes]);
    move(boxes.find(Boolean));
    boxes.find(Boolean)?.querySelector("h4, h3")?.setAttribute("tabindex", "-1");
    said.textContent = `serves ${boxes.filter(Boolean).map((box) => box.dataset.check).join(", ")}, Escape to clear`;
  }

  function act(event) {
    const { target } = event;
    // Links inside a check lead to their turns, folded parts unfold; only the rest chooses the check.
    const source = target.closest("mark[data-checks], .marginal[data-checks], sup a");
    if (source) {
      const note = source.matches("sup a") ? byId(source.hash.slice(1)) : source;
      if (!note || target.closest(".chip")) return;
      event.preventDefault();
      words(note);
      return;
    }
    const cell = target.closest(".cell[data-checks], .chip[data-checks]");
    if (cell) {
      const box = byId(cell.getAttribute("data-checks"));
      if (!box) return;
      event.preventDefault();
      check(box);
      if (cell.matches(".cell")) move(box);
      box.focus({ preventScroll: true });
      return;
    }
    const box = target.closest(".check");
    if (box && !target.closest("a, summary, details, button")) check(box);
  }

  for (const box of all(".check")) {
    box.tabIndex = 0;
    box.dataset.lights = "";
    box.addEventListener("keydown", (event) => {
      if (event.target === box && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        check(box);
      }
    });
  }
  part.addEventListener("click", act);
  const others = { p: "prev", n: "next" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (event.key === "Escape") clear();
    else if (event.key in others) document.querySelector(`.steps a[rel="${others[event.key]}"]`)?.click();
  });
}
