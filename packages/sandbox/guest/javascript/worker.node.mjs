// The thread of a JavaScript run. Started by src/node/javascript/quickjs-engine.ts with no environment; it speaks JSON
// text with the host over its port.
import { parentPort, workerData } from "node:worker_threads";
import * as engine from "quickjs-emscripten";
import { harden } from "./harden.node.mjs";
import { createInterpreter } from "./interpreter.mjs";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const post = port.postMessage.bind(port);

const interpreter = await createInterpreter({
  engine,
  wasm: workerData.wasm,
  memoryMb: workerData.memoryMb,
  stackBytes: 256 * 1024,
  rehearsalCalls: workerData.rehearsalCalls,
  post,
});
harden();
let started = false;
port.on("message", (/** @type {string} */ text) => {
  if (started) interpreter.answer(text);
  else {
    started = true;
    interpreter.start(text);
  }
});
post(['{"type":"ready"}']);
