// Rating by hand with less effort: saving as you go, evidence by selecting words, and keys.

export function begin(page) {
  const form = page.querySelector("#rating");
  const version = page.querySelector("#version");
  const saving = page.querySelector("#saving");
  const trouble = page.querySelector("#trouble");
  const mine = page.querySelector("#save-mine");
  const undo = page.querySelector("#undo");
  const again = page.querySelector("#load-again");
  const use = page.querySelector("#use");
  const useFor = page.querySelector("#use-for");
  const useSays = page.querySelector("#use-says");
  const checks = [...page.querySelectorAll("[data-check]")];
  let current = checks.find((check) => `#${check.id}` === location.hash) ?? checks[0];
  let dirty = false;
  let running;
  // Why saving has stopped: "conflict", "signed out" or "refused"; nothing while it goes on.
  let stopped = "";
  let failing = false;
  let leaving = false;
  let later;

  page.querySelectorAll(".needs-script").forEach((part) => { part.hidden = false; });

  const fields = () => new URLSearchParams(new FormData(form));
  const field = (check, name) => check.querySelector(`[name="${name}-${check.dataset.check}"]`);

  function say(text) { saving.textContent = text; }

  function showTrouble(text, label) {
    trouble.hidden = false;
    trouble.querySelector("p").textContent = text;
    mine.hidden = !label;
    mine.textContent = label;
  }

  // Leaving would lose what could not be saved: what to do about it comes first.
  function askFirst() {
    trouble.hidden = false;
    trouble.scrollIntoView({ block: "nearest" });
    (mine.hidden ? again : mine).focus();
  }

  // Shows what was put together from this page and another one; words that are not saved yet stay as they are.
  function fill(state, isSaved) {
    const put = (place, value) => { if (isSaved || place !== document.activeElement) place.value = value ?? ""; };
    for (const answer of state.answers ?? []) {
      const check = checks.find((one) => one.dataset.check === answer.id);
      for (const radio of check.querySelectorAll("input[type=radio]")) radio.checked = radio.value === answer.answer;
      for (const name of ["turn", "also", "quote", "why"]) put(field(check, name), answer[name]);
    }
    if (state.note !== undefined) put(page.querySelector("#note"), state.note);
  }

  function showElsewhere(state) {
    const tell = (place, text) => {
      place.hidden = text == null;
      place.textContent = text == null ? "" : `Stored elsewhere: ${text}`;
    };
    for (const check of checks) {
      const both = (state.both ?? []).find((one) => one.id === check.dataset.check);
      tell(check.querySelector("[data-elsewhere]"), both?.elsewhere);
    }
    tell(page.querySelector("#note-elsewhere"), state.note_elsewhere);
  }

  function show(state) {
    // What was typed meanwhile rests on the older version, and is put together with this one when it is saved.
    if (!state.answers || !dirty) version.value = state.version;
    if (!dirty) fill(state, true);
    showElsewhere(state);
    undo.querySelector("[name=version]").value = state.version;
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

  const post = () => fetch(page.dataset.save, {
    method: "POST", body: fields(), headers: { accept: "application/json" }, redirect: "error",
  });

  // Who has signed in again has another mark; the page takes it over, unless somebody else has signed in.
  async function renew() {
    const answer = await fetch(page.dataset.mark, { headers: { accept: "application/json" }, redirect: "error" });
    const state = await answer.json();
    if (!answer.ok) return answer.status === 401 ? { status: 401, detail: state.detail, fix: state.fix } : null;
    if (state.rater !== page.dataset.rater) {
      return { status: 401, detail: `This page belongs to ${page.dataset.rater}, and ${state.rater} is signed in now.`,
        fix: `sign in as ${page.dataset.rater} in another tab, then save again` };
    }
    const marked = (address) => address.replace(/([?&]mark=)[^&]*/, `$1${state.mark}`);
    page.dataset.save = marked(page.dataset.save);
    for (const one of [form, undo]) one.setAttribute("action", marked(one.getAttribute("action")));
    return undefined;
  }

  // What the server says to what is on the page.
  async function exchange() {
    let answer = await post();
    if (answer.status === 403) {
      const hindered = await renew();
      if (hindered) return { status: hindered.status, state: hindered };
      if (hindered === undefined) answer = await post();
    }
    return { status: answer.status, state: await answer.json() };
  }

  async function send() {
    dirty = false;
    say("saving…");
    try {
      const { status, state } = await exchange();
      failing = false;
      if (status === 200) {
        show(state);
        say(dirty ? "not saved yet" : "saved");
        trouble.hidden = true;
        return;
      }
      dirty = true;
      const isOlder = status === 409 && state.version !== undefined;
      stopped = isOlder ? "conflict" : status === 401 ? "signed out" : "refused";
      say("not saved");
      if (isOlder) {
        mine.dataset.version = state.version;
        fill(state, false);
        showElsewhere(state);
      }
      const text = [state.detail ?? "It could not be saved.", state.fix && !isOlder && `What to do: ${state.fix}.`,
        "Nothing you wrote is lost: it is still on this page."].filter(Boolean).join(" ");
      showTrouble(text, isOlder ? "Save mine in its place" : "Save again");
    } catch {
      dirty = true;
      failing = true;
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
    if (!dirty) then();
    else if (stopped) askFirst();
  }

  function changed(wait) {
    // What was refused as it stood may be taken as it stands now; the other reasons need a decision first.
    if (stopped === "refused") stopped = "";
    if (!dirty && !stopped) say("not saved yet");
    dirty = true;
    clearTimeout(later);
    later = setTimeout(() => {
      later = undefined;
      if (dirty && !stopped) save();
    }, wait);
  }

  mine.addEventListener("click", () => {
    if (stopped === "conflict") version.value = mine.dataset.version;
    stopped = "";
    dirty = true;
    save();
  });
  again.addEventListener("click", () => { leaving = true; });

  form.addEventListener("input", (event) => changed(event.target.matches("textarea, input:not([type=radio])") ? 900 : 0));
  form.addEventListener("change", () => changed(0));
  form.addEventListener("submit", (event) => {
    if (leaving || (!dirty && !running)) return;
    event.preventDefault();
    settle(() => { leaving = true; form.requestSubmit(event.submitter); });
  });
  undo.addEventListener("submit", (event) => {
    if (leaving || (!dirty && !running)) return;
    event.preventDefault();
    settle(() => { leaving = true; event.target.requestSubmit(); });
  });
  page.querySelectorAll("[data-step]").forEach((link) => link.addEventListener("click", (event) => {
    if (!dirty && !running) return;
    event.preventDefault();
    settle(() => { location.href = link.href; });
  }));
  addEventListener("beforeunload", (event) => {
    if (dirty && !leaving && (stopped || failing || running)) event.preventDefault();
  });
  addEventListener("pagehide", () => {
    // While a request is under way the version on the page is an old one.
    if (dirty && !stopped && !leaving && !running) {
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
    if (!words) return undefined;
    const start = offset(words, range.startContainer, range.startOffset);
    let end = words.textContent.length;
    if (words === of(range.endContainer)) {
      end = offset(words, range.endContainer, range.endOffset);
    } else {
      // A triple click selects up to the start of what comes next, and no letter of it.
      const rest = range.cloneRange();
      rest.setStartAfter(words);
      if (rest.toString().trim()) return undefined;
    }
    const turn = words.closest("[data-turn]").dataset.turn;
    return { turn, text: words.textContent.slice(start, end).trim() };
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
    else if (event.key === "u") undo.requestSubmit();
    else return;
    event.preventDefault();
  });
}
