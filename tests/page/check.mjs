// node --test tests/page/check.mjs   The page for teaching in headless Chromium: see tests/page/check, which prepares it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const build = resolve(process.env.BUILD ?? 'build'), file = join(build, 'page/index.html'), address = pathToFileURL(file).href;
const require = createRequire(join(build, 'page/tools/'));
const puppeteer = require('puppeteer-core'), axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const shots = join(build, 'page/shots'), work = mkdtempSync(join(tmpdir(), 'page-'));
const names = ['message', 'sharing', 'load', 'program', 'slowdown', 'trust', 'queues'];
const wide = { width: 1440, height: 1000 }, narrow = { width: 390, height: 844, isMobile: true, hasTouch: true };

let browser, page, heard = [];

before(async () => {
  mkdirSync(shots, { recursive: true });
  const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : []; // Chromium has none for root
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: [...sandbox, '--disable-gpu'] });
  page = await opened();
});

after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true });
});

/** A new tab that keeps what it says and what it asks the network for. */
async function opened(hash = '', viewport = wide) {
  const made = await browser.newPage();
  await made.setViewport(viewport);
  made.on('console', (message) => heard.push(`console: ${message.text()}`));
  made.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  made.on('request', (request) => { if (!/^(file|blob|data):/.test(request.url())) heard.push(`request: ${request.url()}`); });
  await made.goto(address + hash);
  await made.waitForFunction(() => document.documentElement.dataset.shown !== undefined);
  return made;
}

/** Goes to a state and waits for its answer. */
async function go(hash, on = page) {
  await on.evaluate((to) => { location.hash = to; }, hash);
  await shown(hash, on);
}

/** Waits until the answer of a state is on the page. */
async function shown(hash, on = page) {
  await on.waitForFunction((to) => document.documentElement.dataset.shown === to, { timeout: 20000 }, hash);
}

/** What the page has answered: the JSON as the kit wrote it, and the files. */
function answer(name, study = false, on = page) {
  return on.evaluate((which, of) => {
    const { json, files } = document.querySelector(`section[data-module="${which}"]`)[of];
    return { json, files };
  }, name, study ? 'study' : 'answer');
}

/** What the native program answers, in the same form. */
function native(name, values, study = false) {
  const out = join(work, 'out'), settings = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  rmSync(out, { recursive: true, force: true });
  const { stdout: json, stderr, status } = spawnSync(join(build, 'module'),
    [name, ...settings, '--json', '--out', out, ...(study ? ['--study'] : [])], { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) return { error: stderr.replace('module: ', '').trim() };
  return { json, files: Object.fromEntries(readdirSync(out).sort().map((each) => [each, readFileSync(join(out, each), 'utf8')])) };
}

/** The same to the bit: numbers have 17 digits. */
function same(got, wanted) {
  const { answer: of } = JSON.parse(got.json);
  assert.deepEqual(of, JSON.parse(wanted.json));
  assert.deepEqual(Object.keys(got.files).sort(), Object.keys(wanted.files));
  for (const [each, text] of Object.entries(wanted.files)) assert.ok(got.files[each] === text, `${each} differs`);
}

const modules = JSON.parse(execFileSync(join(build, 'module'), ['--describe'], { encoding: 'utf8' }));
const controlsOf = (name) => modules.find((m) => m.name === name).controls;
const hashOf = (name, values) => {
  const query = new URLSearchParams(Object.entries(values).filter(([key, value]) => controlsOf(name).find((c) => c.key === key).initial !== value));
  return `#${name}${query.size === 0 || query.toString() === '' ? '' : `?${query}`}`;
};

/** Values that are drawn with a generator of its own, so that a failure comes again. */
function drawn(name, seed) {
  let state = seed;
  const next = () => { state = (state * 1103515245 + 12345) % 2147483648; return state / 2147483648; };
  const values = {};
  for (const c of controlsOf(name)) {
    const u = next();
    if (c.kind === 'choice') values[c.key] = c.choices[Math.floor(u * c.choices.length)];
    else {
      const value = c.logarithmic ? c.minimum * (c.maximum / c.minimum) ** u : c.minimum + (c.maximum - c.minimum) * u;
      values[c.key] = c.kind === 'whole' ? String(Math.round(value)) : `${value}${c.unit === '1' ? '' : ` ${c.unit}`}`;
    }
  }
  return values;
}

/** Nothing was said on the console and nothing asked of the network since the last time. */
function quiet() {
  const all = heard;
  heard = [];
  assert.deepEqual(all, []);
}

test('one file of less than 1.5 MB', () => {
  assert.ok(statSync(file).size < 1.5e6);
});

for (const name of names) {
  test(`${name}: opens, and answers as the native program`, async () => {
    await go(`#${name}`);
    same(await answer(name), native(name, {}));
    quiet();
  });

  test(`${name}: every control can be moved by the keyboard alone, and the answer follows`, async () => {
    for (const control of controlsOf(name)) {
      const id = `#${name}-${control.key}`;
      await go(`#${name}`);
      if (control.kind === 'choice') {
        await page.focus(id);
        await page.keyboard.press(control.choices[0] === control.initial ? 'ArrowDown' : 'ArrowUp');
      } else {
        await page.focus(`${id}-slider`);
        await page.keyboard.press('ArrowRight');
      }
      const value = await page.$eval(id, (field) => field.value);
      assert.notEqual(value, control.initial, control.key);
      await shown(hashOf(name, { [control.key]: value }));
      same(await answer(name), native(name, { [control.key]: value }));
    }
    quiet();
  });

  test(`${name}: drawn states answer as the native program, to the bit`, async () => {
    for (let seed = 1; seed <= 8; ++seed) {
      const values = drawn(name, seed);
      const wanted = native(name, values);
      await go(hashOf(name, values));
      if (wanted.error) {
        const said = await page.$eval(`section[data-module="${name}"] .state`, (p) => p.textContent);
        assert.ok(said.endsWith(wanted.error), `${said} | ${wanted.error}`);
      } else same(await answer(name), wanted);
    }
    quiet();
  });

  test(`${name}: a wrong value is explained beside its control`, async () => {
    const control = controlsOf(name).find((c) => c.kind !== 'choice'), id = `#${name}-${control.key}`;
    for (const wrong of ['', 'many', '-1', '1e99', '1 apple']) {
      await go(`#${name}`);
      await page.focus(id);
      await page.$eval(id, (field) => field.select());
      await page.keyboard.press('Backspace');
      if (wrong) await page.keyboard.type(wrong);
      // The answer to the whole text: of '1e99', '1e' may be wrong and '1e9' right.
      await page.waitForFunction((field, text) => document.querySelector(field).value === text
        && document.documentElement.dataset.shown === location.hash, {}, id, wrong);
      assert.equal(await page.$eval(id, (field) => field.getAttribute('aria-invalid')), 'true', `'${wrong}' is accepted`);
      const why = await page.$eval(`${id}-wrong`, (p) => (p.hidden ? '' : p.textContent));
      assert.ok(why.length > control.label.length + 5, `'${wrong}': ${why}`);
    }
    await go(`#${name}`);
    assert.equal(await page.$eval(id, (field) => field.getAttribute('aria-invalid')), null);
    quiet();
  });

  test(`${name}: accessible, light and dark, wide and narrow`, async () => {
    for (const viewport of [wide, narrow])
      for (const theme of ['light', 'dark']) {
        const made = await opened(`#${name}`, viewport);
        await made.evaluate((which) => { document.documentElement.dataset.theme = which; }, theme);
        await made.evaluate(axe);
        const { violations } = await made.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`), []);
        const overflow = await made.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than the window`);
        await made.screenshot({ path: join(shots, `${name}-${viewport === wide ? 'wide' : 'narrow'}-${theme}.png`), fullPage: true });
        await made.close();
      }
    quiet();
  });
}

for (const { name, study } of modules.filter((m) => m.study))
  test(`${name}: the study shows progress, can be cancelled, and answers as the native program`, async () => {
    const part = (of) => `section[data-module="${name}"] .study ${of}`;
    await go(`#${name}`);
    assert.equal(await page.$eval(part('.start'), (b) => b.textContent), study);
    await page.evaluate((start, cancel) => { // within one turn, so that the study cannot have ended
      document.querySelector(start).click();
      document.querySelector(cancel).click();
    }, part('.start'), part('.cancel'));
    await page.waitForFunction((start) => !document.querySelector(start).disabled, {}, part('.start'));
    assert.equal(await page.$eval(part('.result'), (r) => r.hidden), true);
    await page.evaluate((progress) => {
      window.seen = 0;
      const bar = document.querySelector(progress);
      new MutationObserver(() => { window.seen = Math.max(window.seen, bar.value); }).observe(bar, { attributes: true });
    }, part('progress'));
    await page.click(part('.start'));
    await page.waitForFunction((result) => !document.querySelector(result).hidden, { timeout: 60000 }, part('.result'));
    assert.ok(await page.evaluate(() => window.seen) > 0.5);
    same(await answer(name, true), native(name, {}, true));
    await page.screenshot({ path: join(shots, `${name}-study.png`), fullPage: true });
    quiet();
  });

test('a link shows what it was copied from, also after going back', async () => {
  const values = drawn('trust', 5), hash = hashOf('trust', values);
  const other = await opened(hash);
  await shown(hash, other);
  for (const [key, value] of Object.entries(values)) assert.equal(await other.$eval(`#trust-${key}`, (f) => f.value), value);
  await go('#queues?jobs=10', other);
  await other.goBack();
  await shown(hash, other);
  assert.equal(await other.$eval('section[data-module="trust"]', (s) => s.hidden), false);
  await other.close();
  const strange = await opened('#nothing?x=<b>&latency=1');
  assert.equal(await strange.$eval('section[data-module="message"]', (s) => s.hidden), false);
  await strange.close();
  quiet();
});

test('the Tab key reaches every control, and only what is shown', async () => {
  const made = await opened('#program'), seen = new Set();
  for (let i = 0; i < 45; ++i) {
    await made.keyboard.press('Tab');
    seen.add(await made.evaluate(() => {
      const at = document.activeElement;
      return at.id || at.textContent.trim().slice(0, 60) || at.className;
    }));
  }
  for (const c of controlsOf('program')) {
    assert.ok(seen.has(`program-${c.key}`), c.key);
    if (c.kind !== 'choice') assert.ok(seen.has(`program-${c.key}-slider`), c.key);
  }
  for (const each of ['Sharing', 'theme', 'print', 'link', 'Reset', 'Download data (CSV)', 'Try all block sizes on 1, 2, 4 and 8 nodes'])
    assert.ok(seen.has(each), `${each} of ${[...seen]}`);
  assert.ok(![...seen].some((id) => id.startsWith('message-')));
  await made.close();
  quiet();
});

test('downloads are the files of the native program', async () => {
  const folder = join(work, 'downloads'), session = await browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const wanted = native('program', { r: '324' }).files;
  await go('#program?r=324');
  for (const [name, text] of Object.entries(wanted)) {
    const done = new Promise((ok) => session.on('Browser.downloadProgress', (event) => { if (event.state === 'completed') ok(); }));
    const labels = { 'data.csv': 'data (CSV)', 'cluster.machine': 'machine file' };
    await page.evaluate((label) => {
      [...document.querySelectorAll('section:not([hidden]) .downloads button')].find((b) => b.textContent === label).click();
    }, `Download ${labels[name] ?? `${name.replace('.svg', '')} (SVG)`}`);
    await done;
    assert.ok(readFileSync(join(folder, `program-${name}`), 'utf8') === text, name);
  }
  quiet();
});

test('the theme follows the system until the button is used', async () => {
  const made = await opened();
  const ground = () => made.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await made.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  const dark = await ground();
  assert.notEqual(light, dark);
  await made.click('#theme');
  assert.equal(await ground(), light);
  await made.click('#theme');
  assert.equal(await ground(), dark);
  await made.close();
  quiet();
});

test('printed, each module is a worksheet', async () => {
  for (const name of names) {
    const made = await opened(`#${name}`);
    await made.emulateMediaType('print');
    assert.equal(await made.$eval('nav', (n) => getComputedStyle(n).display), 'none');
    assert.notEqual(await made.$eval(`section[data-module="${name}"] .questions`, (q) => getComputedStyle(q).display), 'none');
    await made.pdf({ path: join(shots, `${name}.pdf`), format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' } });
    await made.close();
  }
  quiet();
});
