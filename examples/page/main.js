// The page: which module is shown, its state in the address, theme and printing.
import { openKit } from './kit.js';
import { readLink, writeLink } from './link.js';
import { Panel } from './panel.js';

const panels = {};
let kit, modules, current;

/** Asks the question of the module that is shown, and shows the answer unless a later one is on its way. */
async function ask() {
  const panel = panels[current], values = { ...panel.values };
  const late = setTimeout(() => panel.wait(), 300);
  try {
    const result = await kit.ask({ what: 'answer', module: panel.module.name, values });
    if (!result) return;
    panel.show(result);
    document.documentElement.dataset.shown = writeLink(panel.module, values);
    if (performance.getEntriesByName('first picture').length === 0) performance.mark('first picture');
  } catch (error) {
    panel.state.textContent = error.message;
  } finally {
    clearTimeout(late);
  }
}

function changed() {
  const module = modules.find((m) => m.name === current);
  history.replaceState(null, '', writeLink(module, panels[current].values));
  ask();
}

/** Shows what the address says. */
function go(focus) {
  const { name, values } = readLink(location.hash, modules);
  current = name;
  for (const section of document.querySelectorAll('section[data-module]')) section.hidden = section.dataset.module !== name;
  for (const link of document.querySelectorAll('nav a'))
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  if (!panels[name]) {
    const section = document.querySelector(`section[data-module="${name}"]`);
    const start = (all, progress) => kit.study({ what: 'answer', module: name, values: all }, progress);
    panels[name] = new Panel(section, modules.find((m) => m.name === name), { changed, start });
  }
  panels[name].set(values);
  if (focus) document.getElementById('main').focus();
  ask();
}

function openTools() {
  const theme = document.getElementById('theme'), said = document.getElementById('said');
  const dark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '')) === 'dark';
  const label = () => theme.setAttribute('aria-pressed', String(dark()));
  theme.onclick = () => {
    document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
    label();
  };
  label();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label);
  document.getElementById('print').onclick = () => window.print();
  document.getElementById('link').onclick = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = 'Copied.';
    } catch { // not every browser allows it for a page from a disk
      said.textContent = 'The address of this page is the link.';
    }
  };
  document.querySelector('[data-skip]').onclick = (event) => {
    event.preventDefault(); // the address is the state
    document.getElementById('main').focus();
  };
}

async function open() {
  openTools();
  try {
    kit = await openKit();
    modules = await kit.describe();
  } catch (error) {
    const broken = document.getElementById('broken');
    broken.textContent = `The kit could not be started: ${error.message}. The page needs a browser with WebAssembly, of 2022 or later.`;
    broken.hidden = false;
    return;
  }
  window.onhashchange = () => go(true);
  go(false);
}

open();
