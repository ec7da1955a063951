// node bundle.mjs FOLDER   Makes FOLDER/index.html of index.html, page.css, the scripts, and FOLDER/compiled.js with
// compiled.wasm, which are the kit: a single file that loads nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), folder = process.argv[2];

/** A script or a style sheet with all that it imports, minified. */
function bundle(path) {
  return execFileSync('esbuild', [path, '--bundle', '--minify', '--format=iife', '--charset=utf8', '--log-level=warning'],
    { maxBuffer: 1 << 26, encoding: 'utf8', env: { ...process.env, NODE_PATH: folder } });
}

/** What would end the element that it is in. */
function safe(text) {
  return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const parts = {
  '/* page.css */': bundle(join(here, 'page.css')),
  '/* kit.wasm */': readFileSync(join(folder, 'compiled.wasm')).toString('base64'),
  '/* worker.js */': safe(bundle(join(here, 'worker.js'))),
  '/* main.js */': safe(bundle(join(here, 'main.js'))),
};
let page = readFileSync(join(here, 'index.html'), 'utf8');
for (const [place, text] of Object.entries(parts)) {
  if (page.split(place).length !== 2) throw new Error(`index.html has no place, or several, for ${place}`);
  page = page.replace(place, () => text);
}
const path = join(folder, 'index.html');
writeFileSync(`${path}.part`, page);
renameSync(`${path}.part`, path);
console.log(`${path}: ${Math.round(page.length / 1000)} kB`);
