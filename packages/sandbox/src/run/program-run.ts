import type { Decision, ToolContext } from "@toolglot/core";
import { copyJson, defined, ignoreRejection, onAbort } from "@toolglot/internal";
import { abortedError, limitErrors, startError } from "../durable/errors.ts";
import type { SandboxRunParked } from "../durable/types.ts";
import type { Lease } from "../pool.ts";
import type { SandboxError, SandboxRun, SandboxStats } from "../run-types.ts";
import type { SandboxToolCall } from "../types.ts";
import { Approvals, decidedOutcome, isAsked, performDecided } from "./approvals.ts";
import type { DurableProgram, RunKeeper } from "./durability.ts";
import { type GuardedSteps, guarded, left } from "./guarded.ts";
import { type GuestEvent, type GuestOutcome, readError } from "./guest-events.ts";
import { GuestSession, type Session, type SessionListener } from "./guest-session.ts";
import { RunReport } from "./run-report.ts";
import { ToolWork } from "./tool-work.ts";
import { completeArguments, describeTool } from "./tools.ts";
import type { CallOutcome, PendingCall, RunRequest } from "./types.ts";

type Outcome = SandboxRun | SandboxRunParked;

/** One program from its start to its one outcome. */
export class ProgramRun implements DurableProgram {
  readonly #request: RunRequest;
  readonly #report: RunReport;
  readonly #pending = new Set<PendingCall>();
  readonly #approvals: Approvals;
  readonly #work: ToolWork;
  /** Aborted at the end of the run, so that a tool which is still at work can stop. */
  readonly #over = new AbortController();
  #durable: RunKeeper | undefined;
  #session: Session | undefined;
  #settle: (run: Outcome) => void = () => {};
  /** The outcome of a program that ended before its calls did. */
  #held: (() => void) | undefined;

  constructor(request: RunRequest) {
    this.#request = request;
    this.#report = new RunReport(request);
    this.#approvals = new Approvals(request.options.approve);
    const { toolTimeMs } = request.limits;
    this.#work = new ToolWork(toolTimeMs, ({ call, line }) => {
      const message = `the tools took longer than ${toolTimeMs / 1000} s together`;
      this.fail({ type: "Timeout", message, hint: `${call.name} was running: ask it for less` }, line);
    });
  }

  /** Never rejects. `acquire` gets a guest, or rejects when none starts or the signal is aborted first. */
  execute(acquire: () => Promise<Lease>): Promise<SandboxRun>;
  execute(acquire: () => Promise<Lease>, keep: (program: DurableProgram) => RunKeeper): Promise<Outcome>;
  async execute(acquire: () => Promise<Lease>, keep?: (program: DurableProgram) => RunKeeper): Promise<Outcome> {
    const { signal } = this.#request;
    if (this.#report.sourceError) return this.#report.failed(this.#report.sourceError);
    this.#durable = keep?.(this);
    this.#work.add(this.#durable?.toolMs ?? 0);
    let stopListening = (): void => {};
    let lease: Lease | undefined;
    try {
      return await new Promise<Outcome>((resolve) => {
        this.#settle = resolve;
        const asked = performance.now();
        acquire().then(
          (held) => {
            lease = held;
            this.stats.startMs = performance.now() - asked;
            this.stats.warm = held.warm;
            this.stats.reused = held.reused;
            this.#report.noteGuest(this.#request.engine);
            this.#start(held);
          },
          (error) => this.fail(signal.aborted ? abortedError : startError(error)),
        );
        stopListening = onAbort(signal, () => this.fail(abortedError));
      });
    } finally {
      stopListening();
      lease?.release();
    }
  }

  get stats(): SandboxStats {
    return this.#report.stats;
  }

  get made(): number {
    return this.#report.toolCalls.length;
  }

  get open(): number {
    return this.#pending.size;
  }

  get resting(): boolean {
    return this.#held !== undefined || this.#session?.idle === true;
  }

  get toolMs(): number {
    return this.#work.ms;
  }

  #start(lease: Lease): void {
    if (this.#over.signal.aborted) {
      lease.release();
      return;
    }
    const { code, engine, limits, tools, imports, style, files, guard, seed, domain, session } = this.#request;
    const rules = { concurrent: engine.concurrent || style === "notebook", timeoutMs: limits.timeoutMs };
    const listener = this.#listener();
    this.#session =
      this.#durable?.openSession(lease, rules, listener) ?? new GuestSession(lease.guest, rules, listener);
    const shown = tools.map((tool) => describeTool(tool, code));
    const libraries = engine.librariesOf?.(style) ?? engine.libraries;
    // What an interpreter of Python is set back to costs it some milliseconds.
    const keep = domain === undefined ? undefined : true;
    const more = { style, libraries, files, session, keep, ...this.#durable?.request };
    this.#session.start(JSON.stringify({ type: "run", code, tools: shown, limits, imports, guard, seed, ...more }));
  }

  #listener(): SessionListener {
    const { timeoutMs } = this.#request.limits;
    return {
      onCall: (event, bytes) => this.#call(event, bytes),
      onOutcome: (event, bytes) => this.#outcome(event, bytes),
      onLog: (event) => {
        if (this.#report.log(event)) observe(() => this.#request.options.onLog?.(event.entry));
        else this.#broken();
      },
      onUsage: (memoryMb) => {
        this.stats.memoryMb = memoryMb;
      },
      onFiles: (given) => {
        const files = this.#request.engine.files?.decode(given);
        if (files === undefined) this.#broken();
        else this.#report.files = files;
      },
      onIdle: () => this.#durable?.rest(),
      onTimeout: () => {
        const message = `the program ran longer than ${timeoutMs / 1000} s`;
        this.fail({ type: "Timeout", message, hint: "look for a loop that does not end, or do less in one program" });
      },
      onFault: (fault) =>
        fault === "broken"
          ? this.#broken()
          : this.fail({ type: "EngineFailure", message: "the interpreter ended before the program did" }),
    };
  }

  #outcome(event: GuestOutcome, bytes: number): void {
    this.#report.addGuestReport(event.report);
    const error = event.type === "error" ? readError(event.error, this.#report.toolCalls) : undefined;
    if (event.type === "error" && error === undefined) {
      this.#broken();
      return;
    }
    // A limit ends everything, as the host's own deadline does.
    if (error && this.#pending.size > 0 && limitErrors.includes(error.type)) {
      this.fail(error);
      return;
    }
    const finish = (): void => {
      if (error) this.#finish(this.#report.failed(error), "program");
      else if (event.type !== "result" || !this.#report.measure(event.bytes, bytes)) this.#broken();
      else this.#finish(this.#report.ended(event.value), "program");
    };
    if (this.#pending.size === 0) {
      finish();
      return;
    }
    // A program that did not wait for its calls: they are carried out, and reported as they ended.
    this.#held = finish;
    this.#durable?.rest();
  }

  #call({ tool, args, line, conversions }: Extract<GuestEvent, { type: "call" }>, bytes: number): void {
    const { tools, callIdPrefix, options } = this.#request;
    const program = tools[tool];
    if (program === undefined) {
      this.#broken();
      return;
    }
    const refusal = this.#report.refusal(bytes);
    if (refusal) {
      this.fail(refusal, line);
      return;
    }
    const index = this.made;
    const { name } = program.tool;
    const call: SandboxToolCall = {
      ...{ callId: `${callIdPrefix}:${index + 1}`, name, args: completeArguments(program, args), ok: false, ms: 0 },
      ...(this.#durable?.isReplayed(index) && { replayed: true }),
    };
    this.#report.addCall(call);
    this.#report.addConversions(conversions, call.callId);
    const pending: PendingCall = { index, call, input: copyJson(call.args), program, line };
    this.#pending.add(pending);
    const { callId, args: shown, replayed } = call;
    observe(() => options.onToolCallStart?.({ callId, name, args: shown, ...(replayed && { replayed }) }));
    if (this.#durable === undefined) void this.#carryOut(pending);
    else {
      this.#durable.calls.carryOut({
        pending,
        ask: (reason) => this.#approvals.ask(pending, reason),
        guarded: (steps) => this.#guarded(pending, steps),
        perform: (decision) => this.#perform(pending, decision),
        deliver: (outcome, clock) => {
          if (!this.#over.signal.aborted) this.#answer(pending, outcome, clock);
        },
      });
    }
  }

  #guarded(pending: PendingCall, steps: GuardedSteps): Promise<CallOutcome | typeof left> {
    return guarded(pending, { signal: this.#over.signal, ...defined({ hooked: this.#request.options.hooked }) }, steps);
  }

  async #carryOut(pending: PendingCall): Promise<void> {
    const { signal } = this.#over;
    const { program } = pending;
    const outcome = await this.#guarded(pending, {
      decide: async () => {
        const verdict = isAsked(program.tool) ? await this.#approvals.ask(pending) : undefined;
        return signal.aborted ? left : decidedOutcome(program.tool, verdict);
      },
      perform: async () => {
        const made = await this.#perform(pending);
        if (made.ok || made.needs !== "approval") return made;
        const asked = await this.#approvals.ask(pending, made.message);
        if (signal.aborted) return left;
        return performDecided(program.tool, asked, (decision) => this.#perform(pending, decision));
      },
    });
    // After the end of the run the call stays as it was reported.
    if (outcome !== left && !signal.aborted) this.#answer(pending, outcome);
  }

  #perform(pending: PendingCall, decision?: Decision): Promise<CallOutcome> {
    const { callId, name } = pending.call;
    const { options } = this.#request;
    const { runId, wait, hooked, ask: passOn } = options;
    const ask: ToolContext["ask"] = passOn && ((question) => passOn(question, { callId, tool: name }));
    const context = { signal: this.#over.signal, ...defined({ runId, wait, ask, hooked, decision }) };
    return this.#work.perform(pending, context, (value) => {
      observe(() => options.onToolCallProgress?.({ callId, name }, value));
    });
  }

  #answer(pending: PendingCall, outcome: CallOutcome, clock?: number): void {
    const { index, call } = pending;
    this.#pending.delete(pending);
    if (outcome.ok) {
      call.ok = true;
      this.#report.addConversions(outcome.conversions, call.callId);
    } else call.error = { type: outcome.type, message: outcome.message };
    for (const note of outcome.notes ?? []) this.#report.note(`${call.name}: ${note}`);
    observe(() => this.#request.options.onToolCall?.(call, outcome.ok ? outcome.value : undefined));
    if (this.#over.signal.aborted) return;
    if (this.#held) {
      if (this.#pending.size === 0) this.#held();
      else this.#durable?.rest();
      return;
    }
    const time = clock === undefined ? "" : `,"clock":${clock}`;
    const reply = outcome.ok
      ? `{"type":"return","id":${index}${time},"value":${outcome.json}}`
      : JSON.stringify({ type: "throw", id: index, call: index, message: outcome.message, data: outcome.data, clock });
    this.#session?.answer(reply, index);
  }

  #broken(): void {
    this.fail({ type: "EngineFailure", message: "the interpreter sent something that makes no sense" });
  }

  /** Ends the run. Calls that have no answer yet have failed by the same error. */
  fail(error: SandboxError, line?: number): void {
    if (this.#over.signal.aborted) return;
    for (const { call } of this.#pending) call.error = { type: error.type, message: error.message };
    this.#finish(this.#report.failed(error, line), "host");
  }

  park(parked: SandboxRunParked["parked"]): void {
    this.#finish(this.#report.close({ status: "parked", parked }), "host");
  }

  #finish(run: Outcome, by: "program" | "host"): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#work.stop();
    this.#session?.close();
    this.stats.guestMs = this.#session?.guestMs ?? 0;
    this.stats.toolMs = this.#work.ms;
    this.stats.approvalMs = this.#approvals.ms;
    if (this.#durable === undefined) this.#settle(run);
    else void this.#durable.end(run, by).then(this.#settle);
  }
}

/** Calls an observer, which must not change a run: what it throws is ignored, and so is the rejection of an async one. */
function observe(call: () => unknown): void {
  try {
    ignoreRejection(call());
  } catch {
    // Said so at SandboxRunOptions.
  }
}
