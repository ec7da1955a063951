// The kit in a worker: one question at a time, of which only the latest waits, and not for long; and studies, each in a worker
// of its own, so that it can be cancelled at any time.

/** The bytes of a text in base64. */
function decoded(text) {
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** Compiles the kit that is in the page, while its worker starts. */
export async function openKit() {
  const source = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' });
  const url = URL.createObjectURL(source), first = new Worker(url);
  const compiled = await WebAssembly.compile(decoded(document.getElementById('wasm').textContent));
  first.postMessage({ compiled });
  return new Kit(first, () => {
    const worker = new Worker(url);
    worker.postMessage({ compiled });
    return worker;
  });
}

/** An answer with the texts of its files, which are decoded when somebody wants them: a picture is large. */
function withFiles(answer) {
  const files = {}, decoder = new TextDecoder();
  for (const [name, bytes] of Object.entries(answer.bytes ?? {}))
    Object.defineProperty(files, name, { enumerable: true, get: () => decoder.decode(bytes) });
  return { ...answer, files };
}

const patience = 1000; // ms: a question that takes longer gives way to the next one

class Kit {
  constructor(first, start) {
    this.start = start;
    this.busy = null;
    this.waiting = null;
    this.use(first);
  }

  /** Asks this worker from now on. */
  use(worker) {
    this.worker?.terminate();
    this.worker = worker;
    worker.onmessage = ({ data }) => this.answered(data);
    worker.onerror = (event) => this.answered({ failed: event.message || 'the worker has failed' });
  }

  /** The modules with their controls. */
  describe() {
    return this.ask({ what: 'describe' }).then((answer) => answer.modules);
  }

  /** Asks; resolves to null if a later question overtakes this one. */
  ask(question) {
    return new Promise((resolve, reject) => {
      this.waiting?.resolve(null);
      this.waiting = { question, resolve, reject };
      this.next();
    });
  }

  next() {
    if (!this.waiting) return;
    if (!this.busy) {
      this.busy = this.waiting;
      this.busy.since = performance.now();
      this.waiting = null;
      this.worker.postMessage(this.busy.question);
      return;
    }
    const left = this.busy.since + patience - performance.now();
    if (left > 0) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.next(), left);
      return;
    }
    this.busy.resolve(null);
    this.busy = null;
    this.use(this.start());
    this.next();
  }

  answered(data) {
    const asked = this.busy;
    if (!asked) return; // a worker that fails without a question would fail again
    this.busy = null;
    if (data.failed) {
      this.use(this.start()); // what is left of the kit is not to be trusted
      asked.reject(new Error(data.failed));
    } else asked.resolve(withFiles(data));
    this.next();
  }

  /** Starts a study: {done, cancel}; done resolves to null if it was cancelled. */
  study(question, progress) {
    const worker = this.start();
    let end;
    const done = new Promise((resolve, reject) => {
      end = resolve;
      worker.onmessage = ({ data }) => {
        if (data.progress !== undefined) return progress(data.progress);
        worker.terminate();
        return data.failed ? reject(new Error(data.failed)) : resolve(withFiles(data));
      };
      worker.onerror = (event) => {
        worker.terminate();
        reject(new Error(event.message || 'the worker has failed'));
      };
    });
    worker.postMessage({ ...question, study: true });
    return { done, cancel() { worker.terminate(); end(null); } };
  }
}
