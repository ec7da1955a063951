// Pictures: the SVG that the kit has drawn, in a shadow tree, so that its names stay its own, in the colours of the theme.

const style = `
  svg { display: block; width: 100%; height: auto; min-width: 40rem; fill: var(--ink); filter: var(--lift); }
  svg > rect[fill="white"]:first-of-type { fill: none; }
  text[fill="#555555"] { fill: var(--faint); }
  [stroke="black"] { stroke: var(--ink); }
  rect[fill="black"] { fill: var(--ink); }
  path[fill="#bbbbbb"], polygon[fill="#bbbbbb"], rect[fill="#bbbbbb"] { fill: var(--grid); }
  [stroke="#dddddd"], [stroke="#bbbbbb"] { stroke: var(--grid); }
  @media print { svg { min-width: 0; } }`;

/** Puts an SVG into a shadow tree. */
function fill(root, svg) {
  const html = `<style>${style}</style>${svg}`;
  if (root.setHTMLUnsafe) root.setHTMLUnsafe(html); // four times as fast as innerHTML in Chromium if there are many titles
  else root.innerHTML = html;
}

/** Shows an SVG in an element, with a text for those who do not see it: `plain` until a pointer rests on it, which can see the
 *  titles of the whole one, `svg()`. */
export function showPicture(host, svg, plain, text) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  host.className = 'picture';
  host.tabIndex = 0; // it scrolls where it is wider than the page
  host.setAttribute('role', 'img');
  host.setAttribute('aria-label', text);
  host.onpointerenter = () => fill(root, svg());
  fill(root, host.matches(':hover') ? svg() : plain);
}
