// A host with a hardened thread that ends in the way that the argument names. The host's own streams are looked at.
import { Worker } from "node:worker_threads";

const harden = new URL("../../../../guest/javascript/harden.node.mjs", import.meta.url).href;
const ends = {
  "an error": "throw new Error('of the thread')",
  "a rejection": "Promise.reject(new Error('of the thread'))",
  "a later error": "parentPort.once('message', () => { throw new Error('of the thread'); })",
  "an exit": "process.exit(3)",
  "what it prints":
    "console.log('of the thread'); console.error('of the thread'); process.stderr.write('of the thread')",
};
const code = `import { parentPort } from "node:worker_threads"; import { harden } from "${harden}"; harden(); ${ends[process.argv[2]]};`;
const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
  env: {},
  argv: [],
  execArgv: [],
  stdout: true,
  stderr: true,
});
worker.on("error", () => {});
worker.postMessage("go on");
