// One QuickJS for one program, or for those of a session: the same in a thread of Node and in a Web Worker.
import { compileProgram, keepDeclarations } from "./compile.mjs";
import { Output } from "./output.mjs";
import { makeRealms } from "./realms.mjs";
import { Rejections } from "./rejections.mjs";
import { memoryReport, Reporter, stackReport } from "./report.mjs";

/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/** @typedef {import("quickjs-emscripten").VmCallResult<Handle>} CallResult */
/** @typedef {import("./report.mjs").Report} Report */

/** Jobs between two readings of the clock. */
const jobsPerClock = 500;
/** Messages go out when the program stops running; when it runs for long, after this many messages or milliseconds. */
const maxHeld = 64;
const maxHeldMs = 20;
/** After the deadline the interrupt gets this long to reach the program's end, where its line can be read. */
const unwindMs = 20;

/** @type {import("./image.mjs").Restore} */
const evaluated = (_, evaluate) => evaluate();

/** The host's, when the time is up that an idle program has given. */
const wakeMessage = '{"type":"wake"}';
/** The program's, at its first timer. */
const timersMessage = '{"type":"timers"}';

/** The engine broke off in the middle: nothing of it may be used any more. */
class Broken extends Error {}

/**
 * Runs a program, and in a session another when that is over. Give it the request, then each answer, in order.
 *
 * A program is over when its body has ended, nothing is left to run and every call has its answer; an error that ends its
 * body ends it at once. The first rejection that nobody has handled by then is the program's error. `eval` and `Function`
 * work: what they make stays in the program's realm.
 */
export class Interpreter {
  /** @param {import("quickjs-emscripten").QuickJSRuntime} runtime @param {WebAssembly.Memory} memory @param {WebAssembly.Table} table @param {import("./create.mjs").InterpreterOptions} options */
  constructor(runtime, memory, table, { image, memoryMb, stackBytes, post, delay }) {
    this.runtime = runtime;
    this.memory = memory;
    this.memoryMb = memoryMb;
    this.post = post;
    this.delay = delay;
    /** @type {string[]} */
    this.held = [];
    this.heldSince = 0;
    this.deadline = Number.POSITIVE_INFINITY;
    this.timedOut = false;
    this.over = false;
    this.isBroken = false;
    /** What is to be given free before another program. @type {Handle[]} */
    this.used = [];
    runtime.setMaxStackSize(stackBytes);
    this.rejections = new Rejections(runtime, () => this.interrupt(), memory, table);
    this.realms = makeRealms(runtime, (text) => this.receive(text), image?.restorer(memory) ?? evaluated);
    this.rejections.watch(this.realms.program);
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
    if (text === timersMessage) {
      this.hasTimers = true;
      return false;
    }
    const { stream, text: printed } = JSON.parse(text);
    this.output.print(stream, printed);
    return false;
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
    this.session = request.session;
    // In a durable run nothing may depend on how long an answer takes.
    this.standing = request.clock !== undefined;
    this.inFlight = 0;
    this.answered = 0;
    this.usedMs = 0;
    /** Until it has some, the engine need not be asked about them with each call. */
    this.hasTimers = false;
    this.over = false;
    this.ran = false;
    this.promise = undefined;
    /** @type {string[]} */
    this.warnings = [];
    this.reporter = new Reporter(code, request.tools, this.limits, this.notebook, () =>
      JSON.parse(this.callText(this.realms.names)),
    );
    this.output = new Output(this.limits.maxLogBytes, (message) => this.send(message));
    this.advance(() => {
      this.reporter.file = this.callText(this.realms.start, JSON.stringify(request));
      const refused = this.reporter.refusedImport();
      if (refused) return this.fail(refused);
      const compiled = compileProgram(this);
      if (compiled === undefined) return;
      this.ran = true;
      const body = this.session ? keepDeclarations(this, compiled) : compiled;
      if (body === undefined) return;
      const { program } = this.realms;
      const called = program.callFunction(body, program.global);
      if (called.error) return this.raise(called.error);
      this.promise = this.use(called.value);
    });
  }

  /** @template {Handle} H @param {H} handle @returns {H} */
  use(handle) {
    this.used.push(handle);
    return handle;
  }

  /** Ends the program with an exception. @param {Handle} error @returns {undefined} */
  raise(error) {
    return this.fail(this.reporter.exception(this.describe(this.use(error))));
  }

  /** @param {string} text An answer of the host's. */
  answer(text) {
    if (this.over) return;
    if (text === wakeMessage) return this.advance(() => {});
    this.inFlight--;
    this.answered++;
    this.advance(() => {
      this.call(this.realms.settle, text).dispose();
    });
  }

  /** Until the next timer there is nothing to do: on the program's own time. @param {number} ms */
  sleep(ms) {
    const began = performance.now();
    const left = Math.max(0, this.limits.timeoutMs - this.usedMs - (began - this.began));
    this.delay(
      () => {
        if (this.over) return;
        this.usedMs += performance.now() - began;
        if (left < ms) this.timedOut = true;
        this.advance(() => {});
      },
      Math.min(ms, left),
    );
  }

  /** Runs the program until it has nothing to do, on its own time. @param {() => void} work */
  advance(work) {
    const began = performance.now();
    this.began = began;
    this.deadline = began + this.limits.timeoutMs - this.usedMs;
    try {
      work();
      if (!this.over) this.drain();
      if (!this.over) this.conclude();
    } catch (error) {
      this.isBroken = true;
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
    if (state.type !== "pending") this.use(state.type === "rejected" ? state.error : state.value);
    if (state.type === "rejected" && !this.timedOut)
      return this.fail(this.reporter.exception(this.describe(state.error)));
    const wait = this.timedOut ? -1 : this.fireTimers(state.type === "fulfilled");
    if (this.timedOut) {
      const described = state.type === "rejected" ? this.describe(state.error) : undefined;
      return this.fail(this.reporter.timeout(described?.message === "interrupted" ? described.stack : ""));
    }
    if (wait === undefined) return this.conclude();
    if (this.inFlight > 0) {
      const wake = wait > 0 ? `,"wake":${Math.ceil(wait)}` : "";
      return this.send(`{"type":"idle","answered":${this.answered}${wake}}`);
    }
    if (wait > 0) return this.sleep(wait);
    const [unhandled] = this.rejections.take().map((promise) => this.use(promise));
    if (unhandled) return this.rejected(unhandled);
    if (state.type === "pending") return this.fail(this.reporter.neverEnds());
    this.finish(state.value);
  }

  /**
   * Calls the timers whose time it is. When only they are left, and in a durable run, nobody waits for their time. `isOver`: the
   * program's body has ended. Gives the milliseconds until the next, -1 for none; undefined when the body ended meanwhile.
   * @param {boolean} isOver
   */
  fireTimers(isOver) {
    for (;;) {
      const isLeft = isOver && this.inFlight === 0;
      const stands = this.standing && this.inFlight > 0;
      const wait = stands || !this.hasTimers ? -1 : Number(this.callText(this.realms.wait, isLeft ? "over" : ""));
      const isDue = wait === 0 || (wait > 0 && this.inFlight === 0 && (isLeft || this.standing));
      if (!isDue) return wait;
      this.call(this.realms.fire).dispose();
      this.drain();
      if (performance.now() > this.deadline) this.timedOut = true;
      if (this.timedOut) return wait;
      if (!isOver && this.bodyState() !== "pending") return undefined;
    }
  }

  /** Of the program's body. */
  bodyState() {
    const state = this.realms.program.getPromiseState(/** @type {Handle} */ (this.promise));
    if (state.type === "rejected") state.error.dispose();
    if (state.type === "fulfilled") state.value.dispose();
    return state.type;
  }

  /** Ends the program with what nobody has handled. @param {Handle} promise @returns {undefined} */
  rejected(promise) {
    const { error } = /** @type {{ error: Handle }} */ (this.realms.program.getPromiseState(promise));
    return this.raise(error);
  }

  /** @param {Handle} returned */
  finish(returned) {
    const outcome = JSON.parse(this.callText(this.realms.finish, returned));
    if (this.timedOut) return this.fail(this.reporter.timeout(""));
    if (outcome.status === "missing" && this.notebook) {
      return this.result("null", 4, []);
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
    this.result(value, bytes, outcome.conversions);
  }

  /** @param {string} value As JSON. @param {number} bytes @param {object[]} conversions */
  result(value, bytes, conversions) {
    const report = JSON.stringify({ type: "result", bytes, conversions, warnings: this.allWarnings() });
    this.end(`${report.slice(0, -1)},"value":${value}}`);
  }

  /** @param {Report} error @returns {undefined} */
  fail(error) {
    if (this.over) return;
    const report = this.timedOut && error.type !== "Timeout" ? this.reporter.timeout("") : error;
    this.end(JSON.stringify({ type: "error", error: report, conversions: [], warnings: this.allWarnings() }));
  }

  allWarnings() {
    if (!this.session || !this.ran || !this.isWell) return this.warnings;
    /** @type {string[]} */
    const hidden = JSON.parse(this.callText(this.realms.hidden));
    return [...this.warnings, ...hidden.map((name) => `hides-tool: ${name}`)];
  }

  /** Whether the engine can go on after its program. */
  get isWell() {
    return !this.isBroken && !this.timedOut;
  }

  /** What the program of a session left, besides the memory; undefined when that can't be kept. */
  describeSession() {
    if (!this.over || !this.isWell) return undefined;
    for (const handle of [...this.used.splice(0), ...this.rejections.take()]) handle.dispose();
    return { ran: this.ran, variables: JSON.parse(this.callText(this.realms.variables)) };
  }

  /** @param {string} outcome */
  end(outcome) {
    this.output.finish();
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
