// The worker: the kit, compiled to WebAssembly. What it gets: {compiled} once, then questions {what, module, values, study}.
import create from 'compiled.js';

let kit; // a promise of the kit
let asked = Promise.resolve();

/** A kit from what the page has compiled. */
function open(compiled) {
  return create({
    instantiateWasm(imports, received) {
      WebAssembly.instantiate(compiled, imports).then((instance) => received(instance, compiled),
        (error) => postMessage({ failed: `the kit does not start: ${error.message}` }));
      return {};
    },
    progress: (part) => postMessage({ progress: part }),
    print: () => {},
    printErr: () => {},
  }).then((made) => {
    made.FS.mkdir('/out');
    return made;
  });
}

const decoder = new TextDecoder();
const read = (made, name) => decoder.decode(made.FS.readFile(`/out/${name}`));

/** The same picture without titles, and with one path for neighbours of one colour: a quarter of the elements. */
function plain(svg) {
  const lines = [];
  let path = '', rest = ''; // of the path that is being written
  for (const line of svg.replace(/<title>[^<]*<\/title>/g, '').split('\n')) {
    const [, d, tail] = /^<path d="([^"]*)"( fill="[^"]*"(?: fill-opacity="[^"]*")?><\/path>)$/.exec(line) ?? [];
    if (tail && tail === rest) {
      path += d;
      continue;
    }
    if (rest) lines.push(`<path d="${path}"${rest}`);
    [path, rest] = [d ?? '', tail ?? ''];
    if (!tail) lines.push(line);
  }
  return lines.join('\n');
}

/** Empties the folder of the last question. */
function clear(made) {
  for (const name of made.FS.readdir('/out')) if (name[0] !== '.') made.FS.unlink(`/out/${name}`);
}

function describe(made) {
  made.ccall('page_describe', null, [], []);
  return { modules: JSON.parse(read(made, 'modules.json')) };
}

function answer(made, { module, values, study }) {
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value.replaceAll('\n', ' ')}\n`).join('');
  const begin = performance.now();
  clear(made);
  made.ccall('page_answer', null, ['string', 'string', 'number'], [module, lines, study ? 1 : 0]);
  const milliseconds = performance.now() - begin;
  const bytes = {}, shown = {};
  for (const name of made.FS.readdir('/out')) if (name[0] !== '.' && name !== 'answer.json') bytes[name] = made.FS.readFile(`/out/${name}`);
  for (const name of Object.keys(bytes)) if (name.endsWith('.svg')) shown[name] = plain(decoder.decode(bytes[name]));
  const json = read(made, 'answer.json');
  return { ...JSON.parse(json), json, bytes, shown, milliseconds };
}

onmessage = ({ data }) => {
  if (data.compiled) {
    kit = open(data.compiled);
    return;
  }
  asked = asked.then(async () => {
    try {
      const made = await kit;
      const result = data.what === 'describe' ? describe(made) : answer(made, data);
      postMessage(result, Object.values(result.bytes ?? {}).map((each) => each.buffer));
    } catch (error) {
      postMessage({ failed: `the kit has stopped: ${error.message ?? error}` });
    }
  });
};
