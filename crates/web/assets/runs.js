// Keeps the numbers of runs that are under way up to date; a page without it shows those of the moment.

const number = (value) => (value < 10000 ? String(value) : value.toLocaleString("en"));

function show(row, { state, total, answered, failed }) {
  const field = (name) => row.querySelector(`[data-field="${name}"]`);
  const judges = Number(row.dataset.judges) || 1;
  const progress = field("progress");
  if (progress) {
    progress.max = Math.max(1, total);
    progress.value = answered + failed;
  }
  field("done").textContent = `${number(Math.floor(answered / judges))} of ${number(Math.floor(total / judges))}`;
  field("state").textContent = state;
  field("state").className = `state ${state}`;
}

function follow(row, lost) {
  const events = new EventSource(row.dataset.events);
  events.addEventListener("open", () => { lost.hidden = true; });
  events.addEventListener("progress", (event) => show(row, JSON.parse(event.data)));
  events.addEventListener("done", () => {
    events.close();
    // The other numbers rest on all results. A run that stopped is told once and looked at no more.
    if (row.dataset.state === "working") location.reload();
  });
  // A server that is gone is tried again; one that has no events for this run closes the stream.
  events.addEventListener("error", () => { lost.hidden = events.readyState === EventSource.CLOSED; });
}

export function begin(part) {
  const rows = part.matches("[data-events]") ? [part] : part.querySelectorAll("[data-events]");
  // A browser holds six connections to a server; the newest runs get some of them.
  const lost = part.querySelector("[data-lost]");
  [...rows].slice(0, 4).forEach((row) => follow(row, lost));
}
