// The child process of a Python run. Started by src/node/python/pyodide-engine.ts with no environment, the permission model on and
// code generation from strings off; it speaks length-prefixed JSON on two descriptors and blocks while it waits.
import * as fs from "node:fs";
import { pathToFileURL } from "node:url";
import { openFolder } from "./files.node.mjs";
import { freezeIntrinsics } from "./freeze.node.mjs";
import { findMissingWalls, opensSockets, removeCode, removeFiles, removeHostFunctions } from "./harden.node.mjs";
import { cutOff, findNumbers, takeImage } from "./image.node.mjs";
import { loadSnapshot } from "./snapshot.node.mjs";
import { standStill } from "./still.node.mjs";

/** Descriptor the child writes to and the host reads from. */
const toHost = 3;
/** Descriptor the host writes to and the child reads from. */
const fromHost = 4;
/** Of a session's memory, in one frame. */
const maxPartBytes = 1024 * 1024;
/** WebAssembly pages are 64 KiB. */
const pageBytes = 65536;
/** How often a program that swallows its interrupt at the deadline is interrupted again. */
const interruptEveryMs = 25;
/** A program that still runs this long after its deadline ends with its process, also when the host is gone. */
const lastResortMs = 2000;

const now = performance.now.bind(performance);
const { readSync, writeSync } = fs;
const exit = /** @type {any} */ (process).reallyExit.bind(process);
const pause = new Int32Array(new SharedArrayBuffer(4));
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param {Uint8Array} bytes */
function writeBytes(bytes) {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(toHost, bytes, done, bytes.length - done);
    } catch (error) {
      // A descriptor that somebody made non-blocking; anything else means that the host is gone.
      if (/** @type {any} */ (error)?.code !== "EAGAIN") exit(0);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

/** @param {string} text One frame: its length in bytes (32 bits, big endian), then JSON in UTF-8. */
function send(text) {
  sendBytes(encoder.encode(text));
}

/** @param {Uint8Array} body The rest of a frame. */
function sendBytes(body) {
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, 4);
  writeBytes(frame);
}

/** @param {Uint8Array} bytes @param {number} from The descriptor. At its end there is nothing left to do. */
function readExactly(bytes, from = fromHost) {
  let done = 0;
  while (done < bytes.length) {
    try {
      const count = readSync(from, bytes, done, bytes.length - done, null);
      if (count === 0) exit(0);
      done += count;
    } catch (error) {
      if (/** @type {any} */ (error)?.code !== "EAGAIN") exit(0);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function receive() {
  const head = new Uint8Array(4);
  readExactly(head);
  const body = new Uint8Array(new DataView(head.buffer).getUint32(0));
  readExactly(body);
  return decoder.decode(body);
}

/** @param {number} memoryMb Past it `grow` fails, which the guest sees as `MemoryError`. */
function capMemory(memoryMb) {
  const pages = Math.floor((memoryMb * 1024 * 1024) / pageBytes);
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (/** @type {number} */ more) {
    if (this.buffer.byteLength / pageBytes + more > pages) throw new RangeError("memory limit");
    return grow.call(this, more);
  };
}

/**
 * Files written by the guest live outside WebAssembly memory, in the engine's own file system: they get a cap too. Returns
 * what gives back all of it, for the next program.
 */
function capFiles(/** @type {any} */ FS, /** @type {number} */ memoryMb) {
  const memory = FS.filesystems.MEMFS;
  const expand = memory.expandFileStorage;
  const most = (memoryMb * 1024 * 1024) / 4;
  let left = most;
  memory.expandFileStorage = (/** @type {any} */ node, /** @type {number} */ size) => {
    const before = node.contents?.length ?? 0;
    if (size > before) {
      left -= size - before;
      if (left < 0) throw new FS.ErrnoError(51); // ENOSPC
    }
    return expand.call(memory, node, size);
  };
  for (const name of ["NODEFS", "NODERAWFS", "WORKERFS", "IDBFS", "NATIVEFS_ASYNC", "PROXYFS"]) {
    Reflect.deleteProperty(FS.filesystems, name);
  }
  return () => {
    left = most;
  };
}

/**
 * The engine takes one to give up what Python objects JavaScript no longer holds. In an interpreter that was set back one of a
 * program before would be taken for one of the present.
 */
class NoRegistry {
  register() {}
  unregister() {}
}

/** Whether the engine could not be started from its snapshot. */
let refused = false;

/** @param {any} init */
async function load(init) {
  globalThis.FinalizationRegistry = /** @type {any} */ (NoRegistry);
  const { loadPyodide } = await import(pathToFileURL(`${init.engineDir}/pyodide.mjs`).href);
  const options = {
    indexURL: init.engineDir,
    jsglobals: Object.freeze(Object.create(null)),
    // The engine checks its version there; without packages nothing can be installed.
    lockFileContents: { info: init.lockInfo, packages: {} },
    packageBaseUrl: "/",
    // A fixed hash seed: what a snapshot holds is hashed already. `hash()` is salted per run instead.
    env: { HOME: "/home", PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", PYTHONINSPECT: "" },
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
    _sysExecutable: "/python",
    checkAPIVersion: true,
  };
  if (init.mode === "restore") {
    const source = { path: init.snapshot, bytes: init.snapshotBytes };
    return await loadSnapshot(source, readExactly, (snapshot) =>
      loadPyodide({ ...options, _loadSnapshot: snapshot }),
    ).catch((error) => {
      refused = true;
      throw error;
    });
  }
  const pyodide = await loadPyodide({ ...options, _makeSnapshot: init.mode === "build" });
  pyodide.FS.mkdirTree("/lib/toolglot/toolglot_guest");
  for (const [name, source] of Object.entries(init.sources)) {
    pyodide.FS.writeFile(`/lib/toolglot/toolglot_guest/${name}`, source);
  }
  pyodide.runPython(
    "import sys; sys.path.append('/lib/toolglot'); sys.dont_write_bytecode = True; import toolglot_guest.runner, toolglot_guest.warm",
  );
  return pyodide;
}

/**
 * Unpacks the host's wheels, of which a snapshot has the memory and no file, and imports them. Code for the engine's platform is linked into
 * each process: no snapshot has it, nor what imports it.
 * @param {any} pyodide @param {any} init
 */
function bringWheels(pyodide, { mode, wheels }) {
  if (wheels === undefined) return;
  const { unpack, bring_in: bringIn } = pyodide.pyimport("toolglot_guest.wheels");
  for (const path of wheels.paths) {
    pyodide.FS.writeFile("/tmp/wheel", fs.readFileSync(path));
    unpack();
  }
  if (wheels.native ? mode !== "build" : mode !== "restore") bringIn(pyodide.toPy(wheels.names));
}

/** The state of the guest's clock: waiting for a tool is not guest time. */
const clock = { deadline: Number.POSITIVE_INFINITY, next: 0 };

/** Whether the program's clock stands still between two answers, at a time that the host gives. */
let standing = false;

/** Whether several calls of the program can be in flight. It then asks for the next answer when it has nothing else to do. */
let together = false;
/** Answers that it took. */
let answered = 0;

/** What the engine's clock reads, and what it reads of itself. */
let time = { now: Date.now };
const { now: timeOfDay } = time;

/** @param {any} message A request or an answer. */
function setTime(message) {
  const { clock } = message;
  if (typeof clock === "number") time.now = () => clock;
}

/** Read by the interpreter every few hundred instructions; 2 raises KeyboardInterrupt in the program. */
const interrupts = {
  get 0() {
    const time = now();
    if (time < clock.deadline) return 0;
    if (time > clock.deadline + lastResortMs) exit(0);
    if (time < clock.next) return 0;
    clock.next = time + interruptEveryMs;
    return 2;
  },
  set 0(_value) {},
};

/** While our own program runs through all that a model's program will need, for the first time. */
let rehearsing = true;
const rehearsal = JSON.stringify({
  type: "run",
  code: "def f(x):\n    return [f'{add(x)}' for _ in range(2)]\nprint(f(1), datetime.strptime('2024-01-02', '%Y-%m-%d'))\n__result__ = {'a': f(2), 'b': 1.5}",
  tools: [{ identifier: "add", name: "add", params: [{ identifier: "x", name: "x", required: true }] }],
  limits: { timeoutMs: 1000, memoryMb: 256, maxResultBytes: 1000, maxLogBytes: 1000 },
  imports: "refuse",
  libraries: ["datetime"],
  guard: true,
  seed: "",
});

/**
 * The only function the guest gets. Text in, text out: a log or nothing gives nothing, a call gives the answer.
 * @param {string} text
 */
const host = (text) => {
  if (typeof text !== "string") return "";
  if (rehearsing) return '{"type":"return","value":1}';
  if (text === "") {
    clock.deadline = Number.POSITIVE_INFINITY;
    return clock.next > 0 ? "late" : "";
  }
  if (text.startsWith('{"type":"log"') || (together && text.startsWith('{"type":"call"'))) {
    send(text);
    return "";
  }
  const asked = now();
  if (together) {
    const wake = JSON.parse(text).ms;
    send(JSON.stringify({ type: "idle", answered, wake: typeof wake === "number" ? wake : undefined }));
  } else send(text);
  const answer = receive();
  if (!answer.startsWith('{"type":"wake"')) answered++;
  if (standing) setTime(JSON.parse(answer));
  clock.deadline += now() - asked;
  return answer;
};
// An arrow function: it has no `prototype`, through which JavaScript's own objects could be reached.
Object.setPrototypeOf(host, null);

/** @param {unknown} error What ended the engine, as an error of the guest where it is one. */
function failure(error) {
  const text = String(/** @type {any} */ (error)?.message ?? error);
  if (/MemoryError|out of memory|memory access out of bounds/i.test(text)) {
    return { type: "MemoryError", message: "the program needs more memory than it may have" };
  }
  if (/RecursionError|call stack|stack overflow/i.test(text)) {
    return { type: "RecursionError", message: "the program nests too deeply for the engine's stack" };
  }
  // An interrupt at the deadline may end deep recursion in an error of the engine's own.
  if (/KeyboardInterrupt/.test(text) || clock.next > 0)
    return { type: "Timeout", message: "the program ran out of time" };
  return { type: "EngineFailure", message: "the engine stopped while it ran the program" };
}

async function main() {
  const init = JSON.parse(receive());
  capMemory(init.memoryMb);
  const missing = findMissingWalls(init.engineDir, init.heapMb);
  removeHostFunctions();
  if (opensSockets()) missing.push("network");
  const goOn = standStill();
  const pyodide = await load(init);
  bringWheels(pyodide, init);
  if (init.mode === "build") {
    const snapshot = pyodide.makeMemorySnapshot();
    send(JSON.stringify({ type: "snapshot", bytes: snapshot.length }));
    writeBytes(snapshot);
    return;
  }
  const refillFiles = capFiles(pyodide.FS, init.memoryMb);
  const runner = pyodide.pyimport("toolglot_guest.runner");
  const { run } = runner;
  const { describe } = pyodide.pyimport("toolglot_guest.session");
  runner.attach(host);
  pyodide.unregisterJsModule("pyodide_js");
  pyodide.setInterruptBuffer(interrupts);
  const engine = pyodide._module;
  let hasFailed = false;
  engine.API.on_fatal = () => {
    hasFailed = true;
  };
  const numbers = findNumbers(engine);
  const folder = openFolder(pyodide.FS);
  removeFiles();
  removeCode();
  time = freezeIntrinsics();
  cutOff(pyodide, numbers);
  run(rehearsal);
  describe();
  runner.settle();
  rehearsing = false;
  goOn();
  send(JSON.stringify({ type: "ready", missing, memoryMb: megabytes(engine) }));
  let request = JSON.parse(receive());
  const image = request.keep === true || request.type === "restore" ? takeImage(engine, numbers) : undefined;
  const setBack = () => {
    image?.setBack();
    refillFiles();
    folder.forget();
    stopStanding();
  };
  /** Names what is in the memory, when that is the state of a session. */
  let held = "";
  /** Puts files where none are. @param {any} kept */
  const fillFolder = (kept) => {
    refillFiles();
    folder.forget();
    folder.limit(Number.POSITIVE_INFINITY);
    folder.fill(kept);
  };
  // No `await` from here on: what a program has left to do in JavaScript is never done.
  for (;;) {
    if (image !== undefined && request.type === "restore") {
      const pages = new Uint8Array(request.bytes);
      readExactly(pages);
      const { folders } = request;
      const files = request.files.map((/** @type {{ path: string, bytes: number }} */ { path, bytes }) => {
        const content = new Uint8Array(bytes);
        readExactly(content);
        return { path, content };
      });
      const base = request.base === "" ? "" : image.digest();
      if (base === request.base) {
        image.put(request.memoryBytes, request.numbers, pages);
        fillFolder({ folders, files });
        held = request.held;
      }
      send(JSON.stringify({ type: "restored", base }));
      request = JSON.parse(receive());
      continue;
    }
    if (held !== "" && request.session?.held !== held) setBack();
    held = "";
    folder.limit(request.session?.maxFileBytes ?? Number.POSITIVE_INFINITY);
    if (request.files) folder.put(request.files);
    if (typeof request.clock === "number") folder.date(request.clock);
    const { outcome, isWell } = runOne(run, request);
    send(JSON.stringify({ type: "usage", memoryMb: megabytes(engine) }));
    const made = together ? folder.collect() : [];
    if (made.length > 0) send(JSON.stringify({ type: "files", files: made }));
    send(outcome);
    if (image === undefined) return;
    const isFit = () => isWell && !hasFailed && clock.next === 0 && image.isAtRest();
    let next = JSON.parse(receive());
    let kept;
    if (next.type === "capture" && isFit()) {
      kept = folder.copy();
      sendMemory(image, describe, kept);
      next = JSON.parse(receive());
    }
    if (next.type !== "renew" || !isFit()) {
      send('{"type":"not-at-rest"}');
      return;
    }
    held = kept === undefined ? "" : (next.held ?? "");
    if (held === "") setBack();
    else fillFolder(kept);
    send('{"type":"ready"}');
    request = JSON.parse(receive());
  }
}

/**
 * What a session is, for the host to keep: what it has in memory, then its files, in frames of up to 1 MiB after one that describes
 * it. @param {any} image @param {() => string} describe @param {import("./files.node.mjs").Kept} kept
 */
function sendMemory(image, describe, { folders, files }) {
  clock.deadline = Number.POSITIVE_INFINITY;
  const described = JSON.parse(describe());
  const { memoryBytes, numbers, pages } = image.changes();
  const listed = files.map(({ path, content }) => ({ path, bytes: content.length }));
  const base = image.digest();
  send(JSON.stringify({ type: "memory", ...described, base, memoryBytes, numbers, folders, files: listed }));
  for (const bytes of [pages, ...files.map(({ content }) => content)]) {
    for (let at = 0; at < bytes.length; at += maxPartBytes) sendBytes(bytes.subarray(at, at + maxPartBytes));
  }
}

/**
 * Runs a program. `isWell`: it came back as programs do, however it ended.
 * @param {(text: string) => unknown} run @param {any} request
 */
function runOne(run, { files: _, ...program }) {
  const request = JSON.stringify(program);
  together = program.style === "notebook";
  answered = 0;
  standing = typeof program.clock === "number";
  if (standing) {
    setTime(program);
    process.env.TZ = program.timeZone;
  }
  clock.deadline = now() + program.limits.timeoutMs;
  clock.next = 0;
  let problem;
  try {
    const outcome = run(request);
    if (typeof outcome === "string") return { outcome, isWell: true };
  } catch (error) {
    problem = error;
  }
  return { outcome: JSON.stringify({ type: "error", error: failure(problem) }), isWell: false };
}

/** The next program has the time of day, until it says otherwise. */
function stopStanding() {
  time.now = timeOfDay;
  if (standing) Reflect.deleteProperty(process.env, "TZ");
}

/** @param {any} engine What its memory has grown to. */
function megabytes(engine) {
  return Math.round(engine.HEAP8.length / 1024 / 1024);
}

main().then(
  () => exit(0),
  (error) => {
    send(JSON.stringify({ type: "fatal", message: String(error?.stack ?? error), refused }));
    exit(1);
  },
);
