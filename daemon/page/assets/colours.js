// The colours of page.css, light or dark, for what is drawn.

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
