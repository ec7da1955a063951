// node tests/check/wasi.mjs PROGRAM   Runs a program for wasm32-wasi, which may read and write below this folder.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), preopens: { '.': '.', '/': '/' }, returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport }));
