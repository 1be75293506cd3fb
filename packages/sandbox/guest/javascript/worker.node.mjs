// The thread of a JavaScript run. Started by src/node/javascript/quickjs-engine.ts with no environment; it speaks JSON
// text with the host over the port that it was given, and sends and gets the memory of sessions beside it.
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import * as engine from "quickjs-emscripten";
import { changedPages, digest, putPages } from "../pages.node.mjs";
import { createInterpreter } from "./create.mjs";
import { harden } from "./harden.node.mjs";
import { Image } from "./image.mjs";

const port = /** @type {import("node:worker_threads").MessagePort} */ (workerData.port);
/**
 * Shared with the host: messages that it sent, whether there is a processor to wait for the next, messages of this side,
 * whether the host has no use for this thread any more.
 */
const shared = /** @type {Int32Array} */ (workerData.shared);
const [hostSent, mayWait, threadSent, isEnded] = [0, 1, 2, 3];

/** @param {(string | Uint8Array)[]} messages */
function post(messages) {
  port.postMessage(messages);
  Atomics.add(shared, threadSent, 1);
  Atomics.notify(shared, threadSent);
}

/** Wherever no file is being read. */
function endIfOver() {
  if (Atomics.load(shared, isEnded) === 1) process.exit();
}

const { wasm, memoryMb } = workerData;
const image = new Image(workerData.image);
const delay = setTimeout;
const options = { engine, wasm, image, memoryMb, stackBytes: 256 * 1024, post, delay };
/** @param {number} [memoryBytes] */
const make = (memoryBytes) => createInterpreter(options, memoryBytes);
const readyMessages = ['{"type":"ready"}'];
const renewStart = '{"type":"renew"';
const captureMessage = '{"type":"capture"}';

/**
 * The engine's loader would ask Node for files and modules at each new instance: now it takes this for no Node. Its first
 * instance must do the same as the others, or their memory differs.
 */
const hideNode = () => {
  Object.defineProperty(process, "type", { value: "renderer" });
  // It would take the language of the host from there.
  Reflect.deleteProperty(globalThis, "navigator");
};

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
/** How an idle program waits for its answer: as the host does for its next call, in src/node/javascript/worker-thread.ts. */
const waitMs = 1;
const lookMs = 0.1;
const looksPerClock = 64;
const vainPeriod = 8;
const now = performance.now.bind(performance);
let vain = 0;
let started = false;
/** Names what is in the interpreter's memory, when that is the state of a session; empty for one that has run nothing. */
let held = "";
/** Of a program that is over: whether what it left was given to the host. */
let isCaptured = false;
/** @type {{ words: Int32Array | undefined, bytes: Uint8Array, hash: string } | undefined} */
let base;

/** What the memory of sessions lies beside. */
function findBase() {
  const { words } = image;
  if (base === undefined || base.words !== words) {
    const { bytes } = image;
    base = { words, bytes, hash: digest(bytes) };
  }
  return base;
}

/** @param {string | [string, Uint8Array]} message */
function take(message) {
  if (typeof message !== "string") void restore(JSON.parse(message[0]), message[1]);
  else if (!started) void start(message);
  else if (!interpreter.over) interpreter.answer(message);
  else if (message === captureMessage) capture();
  else if (message.startsWith(renewStart)) void renew(JSON.parse(message).held ?? "");
}

/** @param {string} text */
async function start(text) {
  started = true;
  if (held !== "" && JSON.parse(text).session?.held !== held) interpreter = await make();
  interpreter.start(text);
}

/** The host sends nothing until the new one has reported that it is ready. @param {string} name Of what it is to keep. */
async function renew(name) {
  held = isCaptured ? name : "";
  if (held === "") interpreter = await make();
  started = false;
  isCaptured = false;
  post(readyMessages);
}

/** Gives the host what the program of a session left. */
function capture() {
  const described = interpreter.describeSession();
  if (described === undefined) {
    post(['{"type":"not-at-rest"}']);
    return;
  }
  const { bytes, hash } = findBase();
  const memory = new Uint8Array(interpreter.memory.buffer);
  const { numbers, pages } = changedPages(bytes, memory);
  isCaptured = true;
  post([JSON.stringify({ type: "memory", ...described, base: hash, memoryBytes: memory.length, numbers }), pages]);
}

/** Puts the memory of a session into an interpreter that has run nothing. @param {any} request @param {Uint8Array} pages */
async function restore(request, pages) {
  const { hash } = findBase();
  if (request.base === hash) {
    if (held !== "" || interpreter.memory.buffer.byteLength < request.memoryBytes) {
      interpreter = await make(request.memoryBytes);
    }
    putPages(new Uint8Array(interpreter.memory.buffer), request.numbers, pages);
    held = request.held;
  }
  post([JSON.stringify({ type: "restored", base: hash })]);
}

/** Looks for a moment whether the host has sent more than that. @param {number} seen */
function look(seen) {
  if (vain++ % vainPeriod > 3) return;
  const until = now() + lookMs;
  for (let looks = 1; Atomics.load(shared, hostSent) === seen; looks++) {
    if (looks % looksPerClock === 0 && now() > until) return;
  }
  vain = 0;
}

/** The next message, if one comes within a moment. */
function another() {
  const until = now() + waitMs;
  for (;;) {
    // Read before the message is looked for: one that comes in between changes it.
    const seen = Atomics.load(shared, hostSent);
    const next = receiveMessageOnPort(port);
    const left = until - now();
    if (next !== undefined || left <= 0 || Atomics.load(shared, mayWait) === 0) return next;
    look(seen);
    Atomics.wait(shared, hostSent, seen, left);
  }
}

port.on("message", (/** @type {string | [string, Uint8Array]} */ message) => {
  take(message);
  while (!interpreter.over) {
    const next = another();
    if (next === undefined) return;
    take(next.message);
  }
});
post(readyMessages);
