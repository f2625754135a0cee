// The part of a page that was asked for: browsers keep it to themselves, and it would be lost on the way to the page.

export function begin(next) {
  if (location.hash.length > 1 && !next.value.includes("#")) next.value += location.hash;
}
