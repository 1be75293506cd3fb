// One QuickJS for one program: the same in a thread of Node and in a Web Worker.
import { Output } from "./output.mjs";
import { makeRealms } from "./realms.mjs";
import { memoryReport, Reporter, stackReport } from "./report.mjs";
import { programFile } from "./wrap.mjs";

/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/** @typedef {import("quickjs-emscripten").VmCallResult<Handle>} CallResult */
/** @typedef {import("./report.mjs").Report} Report */

/** WebAssembly pages are 64 KiB; the engine starts with 256 of them. */
const pageBytes = 65536;
const firstPages = 256;
/** Jobs between two readings of the clock. */
const jobsPerClock = 500;
/** Messages go out when the program stops running; when it runs for long, after this many messages or milliseconds. */
const maxHeld = 64;
const maxHeldMs = 20;
/** After the deadline the interrupt gets this long to reach the program's end, where its line can be read. */
const unwindMs = 20;

/**
 * @typedef {object} InterpreterOptions
 * @property {typeof import("quickjs-emscripten")} engine
 * @property {WebAssembly.Module} [wasm] Compiled already.
 * @property {import("./image.mjs").Image} [image] For engines that are made again and again.
 * @property {number} memoryMb
 * @property {number} stackBytes Of the engine; the thread's own stack must hold what that many bytes stand for.
 * @property {(messages: string[]) => void} post Sends messages to the host, in order.
 */

/** @type {import("./image.mjs").Restore} */
const evaluated = (_, evaluate) => evaluate();

/** The engine broke off in the middle: nothing of it may be used any more. */
class Broken extends Error {}

/**
 * Makes an engine with a memory of its own; resolves when it can take a program. Each time anew: of the last one nothing is
 * used but its compiled code and what its memory held before its program. @param {InterpreterOptions} options
 */
export async function createInterpreter(options) {
  const { engine, wasm, memoryMb } = options;
  const memory = new WebAssembly.Memory({ initial: firstPages, maximum: (memoryMb * 1024 * 1024) / pageBytes });
  const variant = engine.newVariant(engine.RELEASE_SYNC, { wasmMemory: memory, ...(wasm ? { wasmModule: wasm } : {}) });
  const module = await engine.newQuickJSWASMModuleFromVariant(variant);
  // The engine asks the thread for its time zone: a program, and its replay on another machine, find UTC.
  Date.prototype.getTimezoneOffset = () => 0;
  return new Interpreter(module.newRuntime(), memory, options);
}

/**
 * Runs one program. Give it the request, then each answer, in order.
 *
 * A program is over when its body has ended, nothing is left to run and every call has its answer; an error that ends its
 * body ends it at once. A failed call whose promise nobody awaited or handled is then the program's error, and so is that
 * of an async function called in the last statement. The engine does not tell of other rejections that nobody handles: they
 * change nothing. `eval` and `Function` work: what they make stays in the program's realm.
 */
export class Interpreter {
  /** @param {import("quickjs-emscripten").QuickJSRuntime} runtime @param {WebAssembly.Memory} memory @param {InterpreterOptions} options */
  constructor(runtime, memory, { image, memoryMb, stackBytes, post }) {
    this.runtime = runtime;
    this.memory = memory;
    this.memoryMb = memoryMb;
    this.post = post;
    /** @type {string[]} */
    this.held = [];
    this.heldSince = 0;
    this.inFlight = 0;
    this.answered = 0;
    this.usedMs = 0;
    this.deadline = Number.POSITIVE_INFINITY;
    this.timedOut = false;
    this.over = false;
    runtime.setMaxStackSize(stackBytes);
    runtime.setInterruptHandler(() => this.interrupt());
    this.realms = makeRealms(runtime, (text) => this.receive(text), image?.restorer(memory) ?? evaluated);
  }

  interrupt() {
    const time = performance.now();
    if (this.held.length > 0 && time - this.heldSince > maxHeldMs) this.flush();
    if (time < this.deadline) return false;
    this.timedOut = true;
    return true;
  }

  /** @param {string} text */
  receive(text) {
    if (this.over || this.timedOut) return true;
    if (text.startsWith('{"type":"call"')) {
      this.inFlight++;
      this.send(text);
      return false;
    }
    const { stream, text: printed } = JSON.parse(text);
    this.output.print(stream, printed);
    return this.output.spent;
  }

  /** @param {string} message */
  send(message) {
    if (this.held.length === 0) this.heldSince = performance.now();
    this.held.push(message);
    if (this.held.length >= maxHeld) this.flush();
  }

  flush() {
    if (this.held.length === 0) return;
    this.post(this.held);
    this.held = [];
  }

  /** @param {string} text The host's request. */
  start(text) {
    const { code, ...request } = JSON.parse(text);
    this.limits = request.limits;
    this.notebook = request.style === "notebook";
    this.reporter = new Reporter(code, request.tools, this.limits, this.notebook);
    this.output = new Output(this.limits.maxLogBytes, (message) => this.send(message));
    this.advance(() => {
      this.call(this.realms.start, JSON.stringify(request)).dispose();
      const refused = this.reporter.refusedImport();
      if (refused) return this.fail(refused);
      const { program } = this.realms;
      let compiled = program.evalCode(this.reporter.text, programFile, { type: "global" });
      if (compiled.error && this.reporter.simplify()) {
        compiled = program.evalCode(this.reporter.text, programFile, { type: "global" });
      }
      if (compiled.error) {
        const described = this.describe(compiled.error);
        const isSyntax = described.type === "SyntaxError";
        return this.fail(isSyntax ? this.reporter.syntax(described) : this.reporter.exception(described));
      }
      const called = program.callFunction(compiled.value, program.global);
      if (called.error) return this.fail(this.reporter.exception(this.describe(called.error)));
      this.promise = called.value;
    });
  }

  /** @param {string} text An answer of the host's. */
  answer(text) {
    if (this.over) return;
    this.inFlight--;
    this.answered++;
    this.advance(() => {
      this.call(this.realms.settle, text).dispose();
    });
  }

  /** Runs the program until it has nothing to do, on its own time. @param {() => void} work */
  advance(work) {
    const began = performance.now();
    this.deadline = began + this.limits.timeoutMs - this.usedMs;
    try {
      work();
      if (!this.over) this.drain();
      if (!this.over) this.conclude();
    } catch (error) {
      this.fail(this.fault(error));
    }
    this.usedMs += performance.now() - began;
    this.deadline = Number.POSITIVE_INFINITY;
    this.flush();
  }

  drain() {
    for (;;) {
      const ran = this.runtime.executePendingJobs(jobsPerClock);
      if (this.timedOut) return this.unwind();
      if (ran.error) throw this.broken(ran.error);
      if (ran.value < jobsPerClock) return;
    }
  }

  unwind() {
    this.deadline = performance.now() + unwindMs;
    const ran = this.runtime.executePendingJobs(jobsPerClock);
    if (ran.error) ran.error.dispose();
  }

  /** Nothing is left to run: the program is over, or waits for an answer. */
  conclude() {
    const state = this.promise && this.realms.program.getPromiseState(this.promise);
    if (state === undefined) return;
    if (this.timedOut) {
      const described = state.type === "rejected" ? this.describe(state.error) : undefined;
      return this.fail(this.reporter.timeout(described?.message === "interrupted" ? described.stack : ""));
    }
    if (state.type === "rejected") return this.fail(this.reporter.exception(this.describe(state.error)));
    if (this.inFlight > 0) return this.send(`{"type":"idle","answered":${this.answered}}`);
    if (state.type === "pending") return this.fail(this.reporter.neverEnds());
    this.finish(state.value);
  }

  /** @param {Handle} returned */
  finish(returned) {
    const outcome = JSON.parse(this.callText(this.realms.finish, returned));
    if (this.timedOut) return this.fail(this.reporter.timeout(""));
    if (outcome.status === "missing" && this.notebook) {
      return this.end('{"type":"result","bytes":4,"conversions":[],"warnings":[],"value":null}');
    }
    if (outcome.status === "missing") return this.fail(this.reporter.missingResult());
    if (outcome.status === "large") return this.fail(this.reporter.tooLarge(outcome.message));
    if (outcome.status === "error") return this.fail(this.reporter.exception(outcome.error));
    const value = this.callText(this.realms.value);
    const bytes = new TextEncoder().encode(value).length;
    const { maxResultBytes } = this.limits;
    if (bytes > maxResultBytes) {
      return this.fail(this.reporter.tooLarge(`${bytes} bytes as JSON, more than ${maxResultBytes}`));
    }
    const report = JSON.stringify({ type: "result", bytes, conversions: outcome.conversions, warnings: [] });
    this.end(`${report.slice(0, -1)},"value":${value}}`);
  }

  /** @param {Report} error */
  fail(error) {
    if (this.over) return;
    const report = this.timedOut && error.type !== "Timeout" ? this.reporter.timeout("") : error;
    this.end(JSON.stringify({ type: "error", error: report, conversions: [], warnings: [] }));
  }

  /** @param {string} outcome */
  end(outcome) {
    this.over = true;
    this.send(`{"type":"usage","memoryMb":${Math.round(this.memory.buffer.byteLength / 1024 / 1024)}}`);
    this.send(outcome);
  }

  /** @param {Handle} error @returns {import("./report.mjs").Described} */
  describe(error) {
    const type = this.realms.program.typeof(error);
    // The engine had no memory left to make its error.
    if ((type === "undefined" || this.realms.program.eq(error, this.realms.program.null)) && this.isFull())
      throw this.broken(error);
    const described = JSON.parse(this.callText(this.realms.describe, error));
    // It had memory for the error, and none for its message.
    const { type: name, message } = described;
    return name === "InternalError" && message === "" && this.isFull()
      ? { ...described, message: "out of memory" }
      : described;
  }

  /** @param {Handle} callee @param {Handle | string} [given] Text goes in as text. @returns {Handle} */
  call(callee, given) {
    const { bridge } = this.realms;
    const handle = typeof given === "string" ? bridge.newString(given) : given;
    const called = handle
      ? bridge.callFunction(callee, bridge.undefined, handle)
      : bridge.callFunction(callee, bridge.undefined);
    if (typeof given === "string") handle?.dispose();
    if (called.error) throw this.broken(called.error);
    return called.value;
  }

  /** @param {Handle} callee @param {Handle | string} [given] @returns {string} */
  callText(callee, given) {
    return this.call(callee, given).consume((text) => this.realms.bridge.getString(text));
  }

  /** Whether memory is so near its cap that the engine may fail in any way. */
  isFull() {
    return this.memory.buffer.byteLength > this.memoryMb * 1024 * 1024 * 0.8;
  }

  /** @param {Handle} error */
  broken(error) {
    const message = this.realms.bridge.getProp(error, "message");
    return new Broken(this.realms.bridge.getString(message));
  }

  /** What broke off our own work in the engine, as an error of the program. @param {unknown} error @returns {Report} */
  fault(error) {
    const message = String(/** @type {any} */ (error)?.message ?? error);
    if (message === "out of memory" || this.isFull()) return memoryReport(this.memoryMb);
    if (/stack overflow|call stack/.test(message)) return stackReport;
    return { type: "EngineFailure", message: "the engine stopped while it ran the program" };
  }
}
