// What every page shares. Pages read without it; parts that need it load their own modules.

const parts = document.querySelectorAll("[data-module]");
const here = new URL(".", import.meta.url);
for (const name of new Set([...parts].map((part) => part.dataset.module))) {
  const { begin } = await import(new URL(`${name}.js`, here));
  for (const part of document.querySelectorAll(`[data-module="${name}"]`)) begin(part);
}

// A question mark shows which keys a page knows.
const typing = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
document.addEventListener("keydown", (event) => {
  const keys = document.getElementById("keys");
  if (event.key !== "?" || !keys || keys.open || typing(event.target)) return;
  event.preventDefault();
  keys.showModal();
});
