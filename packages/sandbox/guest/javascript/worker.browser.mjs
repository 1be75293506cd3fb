// The Web Worker of a JavaScript run. Started by src/browser/web-worker-thread.ts; its first message says how to start,
// then it speaks JSON text with the page.
import * as engine from "quickjs-emscripten";
import { createInterpreter } from "./create.mjs";
import { removeCodeFromText, removeGlobals } from "./harden.mjs";
import { Image } from "./image.mjs";

/**
 * Bytes of the engine's own stack. A worker's stack in a browser is small and can't be asked for. In Chromium, with so many
 * plain recursion (550 calls) ends in an error that a program can catch, also while the engine's code is still slow;
 * nested source text and JSON reach the browser's end first, which ends the run with the same error.
 */
const stackBytes = 96 * 1024;

const removedGlobals = (
  "fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts indexedDB caches cookieStore " +
  "navigator Worker SharedWorker BroadcastChannel MessageChannel MessagePort FileReader FileReaderSync Blob File " +
  "Notification RTCPeerConnection location origin Request Response Headers FormData URL scheduler crypto fonts " +
  "webkitRequestFileSystem webkitRequestFileSystemSync webkitResolveLocalFileSystemURL webkitResolveLocalFileSystemSyncURL " +
  "setTimeout setInterval queueMicrotask requestAnimationFrame OffscreenCanvas createImageBitmap eval Function " +
  "postMessage close addEventListener dispatchEvent trustedTypes reportError"
).split(" ");

const renewMessage = '{"type":"renew"}';
const scope = /** @type {any} */ (globalThis);
const post = scope.postMessage.bind(scope);
const delay = scope.setTimeout.bind(scope);
const listen = scope.addEventListener.bind(scope);

/** @type {import("./interpreter.mjs").Interpreter | undefined} */
let interpreter;
/** Makes the interpreter of the next program. @type {(() => Promise<void>) | undefined} */
let renew;
let asked = false;
let started = false;

/** @param {{ memoryMb: number }} init */
async function start({ memoryMb }) {
  // The engine's code is kept in them: its loader can fetch it once, before everything is removed.
  const options = { engine, image: new Image(), memoryMb, stackBytes, post, delay };
  const make = async () => {
    interpreter = await createInterpreter(options);
    started = false;
  };
  await make();
  removeCodeFromText();
  removeGlobals(removedGlobals);
  renew = async () => {
    // Bundlers let the loader ask for its own address.
    scope.location = { href: "" };
    await make();
    delete scope.location;
  };
}

/** Says when an interpreter is there, or why it isn't. @param {Promise<void>} made */
function report(made) {
  made.then(
    () => post(['{"type":"ready"}']),
    (error) => post([JSON.stringify({ type: "fatal", message: String(error) })]),
  );
}

listen("message", (/** @type {MessageEvent} */ { data }) => {
  if (!asked) {
    asked = true;
    report(start(data));
  } else if (typeof data !== "string") return;
  else if (interpreter?.over && renew && data === renewMessage) report(renew());
  else if (started) interpreter?.answer(data);
  else {
    started = true;
    interpreter?.start(data);
  }
});
