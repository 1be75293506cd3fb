import type { ToolContext } from "@toolglot/core";
import { addReported, defined } from "@toolglot/internal";
import { Stopwatch } from "./stopwatch.ts";
import { executeTool, failureForGuest } from "./tools.ts";
import type { CallOutcome, Noted, PendingCall } from "./types.ts";

/** Notes of one call; the rest is dropped. Characters of each. */
const maxNotes = 20;
const maxNoteLength = 2_000;

/** Runs the tools of one program, within the time that they have together. */
export class ToolWork {
  readonly #watch = new Stopwatch();
  readonly #limitMs: number;
  readonly #onTimeout: (pending: PendingCall) => void;
  /** Spent by calls that an earlier process made. */
  #before = 0;
  #working = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** `onTimeout` gets the call that was being worked on when the time was up. */
  constructor(limitMs: number, onTimeout: (pending: PendingCall) => void) {
    this.#limitMs = limitMs;
    this.#onTimeout = onTimeout;
  }

  /** Milliseconds in which tools were at work. */
  get ms(): number {
    return this.#before + this.#watch.ms;
  }

  /** Counts what was spent before. */
  add(ms: number): void {
    this.#before += ms;
  }

  /** Never rejects. `call.ms` is set when the tool has ended before the run has. */
  async perform(
    pending: PendingCall,
    { signal, runId, wait, ask, hooked, decision }: Omit<ToolContext, "callId">,
    onProgress: (value: unknown) => void,
  ): Promise<CallOutcome> {
    const { call, input, program } = pending;
    this.#start(pending);
    const started = performance.now();
    const timeless = async <Value>(work: () => Promise<Value>): Promise<Value> => {
      this.#end();
      try {
        return await work();
      } finally {
        this.#start(pending);
      }
    };
    const waits: Pick<ToolContext, "wait" | "ask"> = {
      ...(wait && { wait: (request, work) => timeless(() => wait(request, work)) }),
      ...(ask && { ask: (question) => timeless(() => ask(question)) }),
    };
    const notes: string[] = [];
    const note = (text: string): void => {
      if (notes.length < maxNotes) notes.push(String(text).slice(0, maxNoteLength));
    };
    const report: ToolContext["report"] = (used) => {
      call.usage ??= {};
      addReported(call.usage, used);
    };
    const context = { signal, callId: call.callId, note, report, ...waits, ...defined({ runId, hooked, decision }) };
    const noted = (): Noted => (notes.length > 0 ? { notes } : {});
    try {
      return { ok: true, ...(await executeTool(program, input, context, onProgress)), ...noted() };
    } catch (error) {
      return { ok: false, type: "ToolError", ...failureForGuest(error), ...noted() };
    } finally {
      if (!signal.aborted) call.ms = performance.now() - started;
      this.#end();
    }
  }

  /** Nobody is timed any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #start(pending: PendingCall): void {
    if (this.#working++ > 0) return;
    this.#watch.start();
    if (!this.#isStopped)
      this.#timer = setTimeout(() => this.#onTimeout(pending), Math.max(0, this.#limitMs - this.ms));
  }

  #end(): void {
    if (--this.#working > 0) return;
    clearTimeout(this.#timer);
    this.#watch.stop();
  }
}
