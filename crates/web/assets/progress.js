// A run's progress as it happens; when it has ended, what there is to see is opened.

const WORDS = { filling: "Chats are being stored", waiting: "Waiting for its turn", working: "Judging" };

// The numbers in the head of the page are those of chats, and each is put to all judges.
function head(now) {
  const place = document.querySelector(".page-head[data-judges]");
  if (!place) return;
  const judges = Number(place.dataset.judges) || 1;
  const field = (name) => place.querySelector(`[data-field="${name}"]`);
  field("done").textContent = `${Math.floor(now.answered / judges)} of ${Math.floor(now.total / judges)}`;
  field("state").textContent = now.state;
  field("state").className = `state ${now.state}`;
}

export function begin(part) {
  const events = new EventSource(part.dataset.events);
  const lost = part.querySelector("[data-lost]");
  const show = (name, value) => {
    const place = part.querySelector(`[data-${name}]`);
    if (place && place.textContent !== String(value)) place.textContent = value;
  };
  events.addEventListener("open", () => { lost.hidden = true; });
  // The browser tries again by itself, unless the server has nothing to tell about this run.
  events.addEventListener("error", () => { lost.hidden = events.readyState === EventSource.CLOSED; });
  events.addEventListener("progress", (event) => {
    const now = JSON.parse(event.data);
    for (const name of ["answered", "total", "failed", "gated", "cost"]) show(name, now[name]);
    part.dataset.state = now.state;
    part.querySelector("progress").value = now.total > 0 ? (100 * (now.answered + now.failed)) / now.total : 0;
    if (WORDS[now.state]) part.querySelector("h2").textContent = WORDS[now.state];
    head(now);
  });
  events.addEventListener("done", (event) => {
    events.close();
    location.replace(JSON.parse(event.data).open);
  });
}
