// Keeps the numbers of runs that are under way up to date; a page without it shows those of the moment.

const number = (value) => (value < 10000 ? String(value) : value.toLocaleString("en"));

function show(row, { done, chats, state }) {
  const field = (name) => row.querySelector(`[data-field="${name}"]`);
  const progress = field("progress");
  if (progress && Number.isFinite(done) && Number.isFinite(chats)) {
    progress.max = Math.max(1, chats);
    progress.value = done;
  }
  if (Number.isFinite(done)) field("done").textContent = `${number(done)} of ${number(chats)}`;
  if (state) {
    field("state").textContent = state;
    field("state").className = `state ${state}`;
  }
}

function follow(row) {
  const events = new EventSource(row.dataset.events);
  const take = (event) => {
    let told;
    try { told = JSON.parse(event.data); } catch { return; }
    show(row, told);
    if (told.state === "done") {
      events.close();
      // The other numbers of the page rest on all results.
      if (row.matches(".page-head")) location.reload();
    }
  };
  for (const kind of ["message", "progress", "done"]) events.addEventListener(kind, take);
  // Where the server has no events for this run, asking again and again would help nobody.
  events.addEventListener("error", () => { if (events.readyState !== EventSource.OPEN) events.close(); });
}

export function begin(part) {
  const rows = part.matches("[data-events]") ? [part] : part.querySelectorAll("[data-events]");
  // A browser holds six connections to a server; the newest runs get them.
  [...rows].slice(0, 4).forEach(follow);
}
