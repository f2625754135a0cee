// A run's progress as it happens; when it has ended, what there is to see is opened.

const WORDS = { filling: "Chats are being stored", waiting: "Waiting for its turn", working: "Judging" };

export function begin(part) {
  const events = new EventSource(part.dataset.events);
  const show = (name, value) => {
    const place = part.querySelector(`[data-${name}]`);
    if (place && place.textContent !== String(value)) place.textContent = value;
  };
  events.addEventListener("progress", (event) => {
    const now = JSON.parse(event.data);
    for (const name of ["answered", "total", "failed", "gated", "cost"]) show(name, now[name]);
    part.dataset.state = now.state;
    part.querySelector("progress").value = now.total > 0 ? (100 * (now.answered + now.failed)) / now.total : 0;
    if (WORDS[now.state]) part.querySelector("h2").textContent = WORDS[now.state];
  });
  events.addEventListener("done", (event) => {
    events.close();
    location.replace(JSON.parse(event.data).open);
  });
}
