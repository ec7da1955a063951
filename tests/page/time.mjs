// node tests/page/time.mjs   How long the page for teaching takes: until its first picture, and for runs of the LU factorization.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const build = resolve(process.env.BUILD ?? 'build'), address = pathToFileURL(join(build, 'page/index.html')).href;
const puppeteer = createRequire(join(build, 'page/tools/'))('puppeteer-core');
const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: [...sandbox, '--disable-gpu'] });
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const first = [];
for (let i = 0; i < 9; ++i) {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.shown !== undefined);
  first.push(await page.evaluate(() => performance.getEntriesByName('first picture')[0].startTime));
  await page.close();
}
console.log(`first picture after opening   ${median(first).toFixed(0)} ms (${Math.min(...first).toFixed(0)} to ${Math.max(...first).toFixed(0)} of 9)`);

const page = await browser.newPage();
await page.bringToFront();
await page.setViewport({ width: 1440, height: 1000 });
await page.goto(`${address}#program`);
await page.waitForFunction(() => document.documentElement.dataset.shown !== undefined);
// Another latency each time, as a slider moves; every answer is waited for. Once with nothing to draw, once with all of it on the
// screen.
const [hidden, drawn] = await page.evaluate(async () => {
  const field = document.getElementById('program-latency'), root = document.documentElement, results = [];
  const section = document.querySelector('section[data-module="program"]');
  for (const display of ['none', '']) {
    const all = [], whole = [], frames = [];
    document.body.style.display = display;
    for (let i = 1; i <= 80; ++i) {
      const begin = performance.now(), before = root.dataset.shown;
      field.value = `${0.5 + i / 1000} ms`;
      field.dispatchEvent(new Event('input'));
      await new Promise((ok) => {
        const seen = new MutationObserver(() => { if (root.dataset.shown !== before) { seen.disconnect(); ok(); } });
        seen.observe(root, { attributes: true });
      });
      whole.push(performance.now() - begin);
      all.push(section.answer.milliseconds);
      if (!display) await new Promise((ok) => requestAnimationFrame(() => setTimeout(ok, 0)));
      frames.push(performance.now() - begin);
    }
    results.push({ all, whole, frames });
  }
  return results;
});
// A slider that is moved for three seconds: how often is the picture drawn anew? Questions that are overtaken are not answered.
const redraws = await page.evaluate(async () => {
  const field = document.getElementById('program-latency'), root = document.documentElement, begin = performance.now();
  let last = root.dataset.shown, count = 0;
  for (let i = 0; performance.now() - begin < 3000; ++i) {
    field.value = `${1 + i / 1000} ms`;
    field.dispatchEvent(new Event('input'));
    await new Promise((ok) => requestAnimationFrame(ok));
    if (root.dataset.shown !== last) count += 1;
    last = root.dataset.shown;
  }
  return count / 3;
});
console.log(`LU, 8 nodes, r = 216: run and picture in C   ${median(hidden.all).toFixed(1)} ms (${median(drawn.all).toFixed(1)} while pictures are drawn)`);
console.log(`the same until it is in the page             ${median(drawn.whole).toFixed(1)} ms`);
console.log(`the same until it is on the screen           ${median(drawn.frames).toFixed(1)} ms`);
console.log(`redraws while a slider moves                 ${redraws.toFixed(0)} a second`);
await browser.close();
