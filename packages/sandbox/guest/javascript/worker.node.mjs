// The thread of a JavaScript run. Started by src/node/javascript/quickjs-engine.ts with no environment; it speaks JSON
// text with the host over the port that it was given.
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import * as engine from "quickjs-emscripten";
import { harden } from "./harden.node.mjs";
import { Image } from "./image.mjs";
import { createInterpreter } from "./interpreter.mjs";

const port = /** @type {import("node:worker_threads").MessagePort} */ (workerData.port);
/**
 * Shared with the host: messages that it sent, whether there is a processor to poll for the next, messages of this side,
 * whether the host has no use for this thread any more.
 */
const shared = /** @type {Int32Array} */ (workerData.shared);
const [hostSent, mayPoll, threadSent, isEnded] = [0, 1, 2, 3];

/** @param {string[]} messages */
function post(messages) {
  port.postMessage(messages);
  Atomics.add(shared, threadSent, 1);
}

/** Wherever no file is being read. */
function endIfOver() {
  if (Atomics.load(shared, isEnded) === 1) process.exit();
}

const { wasm, memoryMb } = workerData;
const image = new Image(workerData.image);
const make = () => createInterpreter({ engine, wasm, image, memoryMb, stackBytes: 256 * 1024, post });
const readyMessages = ['{"type":"ready"}'];
const renewMessage = '{"type":"renew"}';

/**
 * The engine's loader would ask Node for files and modules at each new instance: now it takes this for no Node. Its first
 * instance must do the same as the others, or their memory differs.
 */
const hideNode = () => Object.defineProperty(process, "type", { value: "renderer" });

endIfOver();
if (wasm) hideNode();
let interpreter = await make();
endIfOver();
if (!wasm) hideNode();
harden();
// For the threads after this one; the host copies it before a program comes.
const { draft } = workerData;
if (draft && wasm && image.words && image.words.length < draft.length) {
  draft.set(image.words, 1);
  draft[0] = image.words.length;
}
/** How long an idle program polls for its answer before it sleeps: to be woken takes longer than a call. */
const pollMs = 0.2;
/** To read the clock costs more than a poll, and leaves a number on the heap. */
const pollsPerClock = 512;
const now = performance.now.bind(performance);
let taken = 0;
let started = false;

/** @param {string} text */
function take(text) {
  taken++;
  if (interpreter.over && text === renewMessage) renew();
  else if (started) interpreter.answer(text);
  else {
    started = true;
    interpreter.start(text);
  }
}

/** The host sends nothing until the new one has reported that it is ready. */
async function renew() {
  interpreter = await make();
  started = false;
  post(readyMessages);
}

/** Whether another message is there; waits for a moment. */
function another() {
  const until = now() + pollMs;
  for (let polls = 1; Atomics.load(shared, hostSent) === taken; polls++) {
    if (polls % pollsPerClock === 0 && (Atomics.load(shared, mayPoll) === 0 || now() > until)) return false;
  }
  return true;
}

port.on("message", (/** @type {string} */ text) => {
  take(text);
  while (!interpreter.over && another()) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) return;
    take(next.message);
  }
});
post(readyMessages);
