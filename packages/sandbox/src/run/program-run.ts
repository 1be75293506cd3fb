import { requiresApproval, sanitizeErrorMessage, ToolglotError } from "@toolglot/core";
import { copyJson, onAbort } from "@toolglot/internal";
import type { SandboxDurableRunOptions, SandboxRunParked } from "../durable/types.ts";
import type { Engine } from "../engine.ts";
import type { Lease } from "../pool.ts";
import type { ImportPolicy, SandboxError, SandboxLimits, SandboxRun, SandboxStats, SandboxToolCall } from "../types.ts";
import { Approvals, type Verdict } from "./approvals.ts";
import type { Durability, DurableProgram } from "./durability.ts";
import { readError } from "./guest-report.ts";
import type { GuestSaid } from "./guest-said.ts";
import { GuestSession, type Session, type SessionListener } from "./guest-session.ts";
import { observe } from "./observe.ts";
import { RunBook } from "./run-book.ts";
import { type CallOutcome, type Flight, ToolWork } from "./tool-work.ts";
import { completeArguments, describeTool, type ProgramTool } from "./tools.ts";

/** What a run is made of. */
export interface RunRequest {
  code: string;
  engine: Engine;
  limits: SandboxLimits;
  tools: readonly ProgramTool[];
  imports: ImportPolicy;
  guard: boolean;
  seed: string;
  callIdPrefix: string;
  options: Omit<SandboxDurableRunOptions, "durable">;
  signal: AbortSignal;
}

type Outcome = SandboxRun | SandboxRunParked;

/** Errors of a guest that has used up what it may use. */
const limitErrors: readonly string[] = ["Timeout", "MemoryLimit", "MemoryError"];

/** One program from its start to its one outcome. */
export class ProgramRun implements DurableProgram {
  readonly #request: RunRequest;
  readonly #book: RunBook;
  readonly #flights = new Set<Flight>();
  readonly #approvals: Approvals;
  readonly #work: ToolWork;
  /** Aborted at the end of the run, so that a tool which is still at work can stop. */
  readonly #over = new AbortController();
  #durability: Durability | undefined;
  #session: Session | undefined;
  #settle: (run: Outcome) => void = () => {};
  /** The outcome of a program that ended before its calls did. */
  #held: (() => void) | undefined;

  constructor(request: RunRequest) {
    this.#request = request;
    this.#book = new RunBook(request);
    this.#approvals = new Approvals(request.options.approve);
    const { toolTimeMs } = request.limits;
    this.#work = new ToolWork(toolTimeMs, ({ call, line }) => {
      const message = `the tools took longer than ${toolTimeMs / 1000} s together`;
      this.fail({ type: "Timeout", message, hint: `${call.name} was running: ask it for less` }, line);
    });
  }

  /** Never rejects. `acquire` gets a guest, or rejects when none starts or the signal is aborted first. */
  execute(acquire: () => Promise<Lease>): Promise<SandboxRun>;
  execute(acquire: () => Promise<Lease>, durability: Durability): Promise<Outcome>;
  async execute(acquire: () => Promise<Lease>, durability?: Durability): Promise<Outcome> {
    const { signal } = this.#request;
    if (this.#book.unfit) return this.#book.failed(this.#book.unfit);
    if (durability) {
      this.#durability = durability;
      this.#work.add(durability.toolMs);
      durability.attach(this, acquire);
    }
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
            this.#book.surround(this.#request.engine);
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
    return this.#book.stats;
  }

  get made(): number {
    return this.#book.toolCalls.length;
  }

  get open(): number {
    return this.#flights.size;
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
    const { code, engine, limits, tools, imports, guard, seed } = this.#request;
    const rules = { concurrent: engine.concurrent, timeoutMs: limits.timeoutMs };
    const listener = this.#listener();
    this.#session =
      this.#durability?.openSession(lease, rules, listener) ?? new GuestSession(lease.guest, rules, listener);
    const { libraries } = engine;
    const more = { ...(libraries === undefined ? {} : { libraries }), ...this.#durability?.request };
    this.#session.start(
      JSON.stringify({ type: "run", code, tools: tools.map(describeTool), limits, imports, guard, seed, ...more }),
    );
  }

  #listener(): SessionListener {
    const { timeoutMs } = this.#request.limits;
    return {
      onCall: (said, bytes) => this.#call(said, bytes),
      onOutcome: (said, bytes) => this.#outcome(said, bytes),
      onLog: (said) => {
        if (this.#book.log(said)) observe(() => this.#request.options.onLog?.(said.entry));
        else this.#broken();
      },
      onUsage: (memoryMb) => {
        this.stats.memoryMb = memoryMb;
      },
      onIdle: () => this.#durability?.rest(),
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

  #outcome(said: Extract<GuestSaid, { type: "result" | "error" }>, bytes: number): void {
    this.#book.report(said.report);
    const error = said.type === "error" ? readError(said.error, this.#book.toolCalls) : undefined;
    if (said.type === "error" && error === undefined) {
      this.#broken();
      return;
    }
    // A limit ends everything, as the host's own deadline does.
    if (error && this.#flights.size > 0 && limitErrors.includes(error.type)) {
      this.fail(error);
      return;
    }
    const finish = (): void => {
      if (error) this.#finish(this.#book.failed(error), "program");
      else if (said.type !== "result" || !this.#book.measure(said.bytes, bytes)) this.#broken();
      else this.#finish(this.#book.ended(said.value), "program");
    };
    if (this.#flights.size === 0) {
      finish();
      return;
    }
    // A program that did not wait for its calls: they are carried out, and reported as they ended.
    this.#held = finish;
    this.#durability?.rest();
  }

  #call({ tool, args, line }: Extract<GuestSaid, { type: "call" }>, bytes: number): void {
    const { tools, callIdPrefix, options } = this.#request;
    const program = tools[tool];
    if (program === undefined) {
      this.#broken();
      return;
    }
    const refusal = this.#book.refusal(bytes);
    if (refusal) {
      this.fail(refusal, line);
      return;
    }
    const index = this.made;
    const { name } = program.tool;
    const call: SandboxToolCall = {
      ...{ callId: `${callIdPrefix}:${index + 1}`, name, args: completeArguments(program, args), ok: false, ms: 0 },
      ...(this.#durability?.isReplayed(index) ? { replayed: true } : {}),
    };
    this.#book.call(call);
    const flight: Flight = { index, call, input: copyJson(call.args), program, line };
    this.#flights.add(flight);
    const { callId, args: shown, replayed } = call;
    observe(() => options.onToolCallStart?.({ callId, name, args: shown, ...(replayed ? { replayed } : {}) }));
    if (this.#durability === undefined) void this.#carryOut(flight);
    else {
      this.#durability.carryOut({
        flight,
        ask: () => this.#approvals.ask(call),
        perform: () => this.#perform(flight),
        deliver: (outcome, clock) => {
          if (!this.#over.signal.aborted) this.#answer(flight, outcome, clock);
        },
      });
    }
  }

  async #carryOut(flight: Flight): Promise<void> {
    const { signal } = this.#over;
    const { call, program } = flight;
    const verdict: Verdict | undefined = requiresApproval(program.tool) ? await this.#approvals.ask(call) : undefined;
    if (signal.aborted) return;
    const outcome = deniedOutcome(call.name, verdict) ?? (await this.#perform(flight));
    // After the end of the run the call stays as it was reported.
    if (!signal.aborted) this.#answer(flight, outcome);
  }

  #perform(flight: Flight): Promise<CallOutcome> {
    const { callId, name } = flight.call;
    return this.#work.perform(flight, this.#over.signal, (value) => {
      observe(() => this.#request.options.onToolCallProgress?.({ callId, name }, value));
    });
  }

  #answer(flight: Flight, outcome: CallOutcome, clock?: number): void {
    const { index, call } = flight;
    this.#flights.delete(flight);
    if (outcome.ok) call.ok = true;
    else call.error = { type: outcome.type, message: outcome.message };
    observe(() => this.#request.options.onToolCall?.(call, outcome.ok ? outcome.value : undefined));
    if (this.#over.signal.aborted) return;
    if (this.#held) {
      if (this.#flights.size === 0) this.#held();
      else this.#durability?.rest();
      return;
    }
    const time = clock === undefined ? "" : `,"clock":${clock}`;
    const reply = outcome.ok
      ? `{"type":"return","id":${index}${time},"value":${outcome.json}}`
      : JSON.stringify({ type: "throw", id: index, call: index, message: outcome.message, clock });
    this.#session?.answer(reply, index);
  }

  #broken(): void {
    this.fail({ type: "EngineFailure", message: "the interpreter sent something that makes no sense" });
  }

  /** Ends the run. Calls that have no answer yet have failed by the same error. */
  fail(error: SandboxError, line?: number): void {
    if (this.#over.signal.aborted) return;
    for (const { call } of this.#flights) call.error = { type: error.type, message: error.message };
    this.#finish(this.#book.failed(error, line), "host");
  }

  park(parked: SandboxRunParked["parked"]): void {
    const { logs, toolCalls, stats } = this.#book;
    this.#finish({ status: "parked", parked, logs, toolCalls, stats }, "host");
  }

  #finish(run: Outcome, by: "program" | "host"): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#work.stop();
    this.#session?.close();
    this.stats.guestMs = this.#session?.guestMs ?? 0;
    this.stats.toolMs = this.#work.ms;
    this.stats.approvalMs = this.#approvals.ms;
    if (this.#durability === undefined) this.#settle(run);
    else void this.#durability.end(run, by).then(this.#settle);
  }
}

/** What a refusal comes to; undefined when the call may run. */
export function deniedOutcome(name: string, verdict: Verdict | undefined): CallOutcome | undefined {
  if (verdict === undefined || verdict.status === "approved") return undefined;
  const message = verdict.status === "denied" ? verdict.message : `${name} was denied: nobody has decided yet`;
  return { ok: false, type: "Denied", message, told: true };
}

const abortedError: SandboxError = { type: "Aborted", message: "the run was aborted" };

/** Why there is no guest. */
export function startError(error: unknown): SandboxError {
  if (ToolglotError.isInstance(error) && error.code === "sandbox/disposed") return abortedError;
  const reason = error instanceof Error ? error.message : String(error);
  return { type: "EngineFailure", message: `no interpreter started: ${sanitizeErrorMessage(reason)}` };
}
