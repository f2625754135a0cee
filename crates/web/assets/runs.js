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

function follow(row) {
  const events = new EventSource(row.dataset.events);
  events.addEventListener("progress", (event) => show(row, JSON.parse(event.data)));
  events.addEventListener("done", () => {
    events.close();
    // The other numbers rest on all results. A run that stopped is told once and looked at no more.
    if (row.dataset.state === "working") location.reload();
  });
  // Where the server has no events for this run, asking again and again would help nobody.
  events.addEventListener("error", () => events.close());
}

export function begin(part) {
  const rows = part.matches("[data-events]") ? [part] : part.querySelectorAll("[data-events]");
  // A browser holds six connections to a server; the newest runs get some of them.
  [...rows].slice(0, 4).forEach(follow);
}
