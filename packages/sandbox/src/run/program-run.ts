import { type LogEntry, sanitizeErrorMessage } from "@toolglot/core";
import type { Engine } from "../engine.ts";
import { utf8Bytes } from "../json.ts";
import type { Lease } from "../pool.ts";
import type {
  ImportPolicy,
  SandboxError,
  SandboxLimits,
  SandboxRun,
  SandboxRunOptions,
  SandboxStats,
  SandboxToolCall,
} from "../types.ts";
import { Approvals } from "./approvals.ts";
import { readError } from "./guest-report.ts";
import type { GuestReport, GuestSaid } from "./guest-said.ts";
import { GuestSession } from "./guest-session.ts";
import { Stopwatch } from "./stopwatch.ts";
import { completeArguments, describeTool, errorForGuest, executeTool, type ProgramTool } from "./tools.ts";

/** What surrounds a value in a frame: conversions and warnings. */
const FRAME_OVERHEAD_BYTES = 256 * 1024;
/** The last line may end a little beyond the limit. */
const LOG_SLACK_BYTES = 64;

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
  options: SandboxRunOptions;
  signal: AbortSignal;
}

/** A call between the program's asking and its answer. */
interface Flight {
  /** Place in the list of calls. */
  index: number;
  call: SandboxToolCall;
  program: ProgramTool;
  line: number | undefined;
}

/** What a call came to. */
type CallOutcome = { ok: true; value: unknown; json: string } | { ok: false; type: string; message: string };

/** One program from its start to its one outcome. */
export class ProgramRun {
  readonly #request: RunRequest;
  readonly #logs: LogEntry[] = [];
  readonly #toolCalls: SandboxToolCall[] = [];
  readonly #stats: SandboxStats;
  readonly #flights = new Set<Flight>();
  readonly #approvals: Approvals;
  readonly #guestWatch = new Stopwatch();
  readonly #toolWatch = new Stopwatch();
  /** Aborted at the end of the run, so that a tool which is still at work can stop. */
  readonly #over = new AbortController();
  #session: GuestSession | undefined;
  #settle: (run: SandboxRun) => void = () => {};
  #settled = false;
  /** The outcome of a program that ended before its calls did. */
  #held: (() => void) | undefined;
  #cuts = 0;
  #working = 0;
  #toolTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(request: RunRequest) {
    this.#request = request;
    this.#approvals = new Approvals(request.options.approve);
    this.#stats = {
      engine: request.engine.label,
      isolation: request.engine.isolation,
      limits: { ...request.limits },
      startMs: 0,
      warm: false,
      guestMs: 0,
      toolMs: 0,
      approvalMs: 0,
      toolCalls: 0,
      sourceBytes: utf8Bytes(request.code),
      resultBytes: 0,
      logBytes: 0,
      conversions: [],
      warnings: [],
    };
  }

  /** Never rejects. `lease` gets a guest, or rejects when none starts or the signal is aborted first. */
  async execute(lease: () => Promise<Lease>): Promise<SandboxRun> {
    const { limits, signal } = this.#request;
    const { sourceBytes } = this.#stats;
    if (sourceBytes > limits.maxSourceBytes) {
      return this.#failed({
        type: "SourceTooLarge",
        message: `the program has ${sourceBytes} bytes, more than ${limits.maxSourceBytes}`,
        hint: "write less code, and let tools bring the data",
      });
    }
    const asked = performance.now();
    let held: Lease;
    try {
      held = await lease();
    } catch (error) {
      if (signal.aborted) return this.#failed(abortedError);
      const reason = error instanceof Error ? error.message : String(error);
      return this.#failed({
        type: "EngineFailure",
        message: `no interpreter started: ${sanitizeErrorMessage(reason)}`,
      });
    }
    this.#stats.startMs = performance.now() - asked;
    this.#stats.warm = held.warm;
    this.#stats.isolation = this.#request.engine.isolation;
    const onAbort = (): void => this.#fail(abortedError);
    try {
      return await new Promise<SandboxRun>((resolve) => {
        this.#settle = resolve;
        if (signal.aborted) {
          onAbort();
          return;
        }
        signal.addEventListener("abort", onAbort, { once: true });
        this.#start(held);
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
      held.release();
      this.#over.abort();
    }
  }

  #start({ guest }: Lease): void {
    const { code, engine, limits, tools, imports, guard, seed } = this.#request;
    const { timeoutMs } = limits;
    const rules = { concurrent: engine.concurrent, timeoutMs, watch: this.#guestWatch };
    this.#session = new GuestSession(guest, rules, {
      onCall: (said) => this.#call(said),
      onOutcome: (said, bytes) => this.#outcome(said, bytes),
      onLog: (said) => this.#log(said),
      onUsage: (memoryMb) => {
        this.#stats.memoryMb = memoryMb;
      },
      onIdle: () => {},
      onTimeout: () =>
        this.#fail({
          type: "Timeout",
          message: `the program ran longer than ${timeoutMs / 1000} s`,
          hint: "look for a loop that does not end, or do less in one program",
        }),
      onFault: (fault) =>
        fault === "broken"
          ? this.#broken()
          : this.#fail({ type: "EngineFailure", message: "the interpreter ended before the program did" }),
    });
    this.#session.start(
      JSON.stringify({ type: "run", code, tools: tools.map(describeTool), limits, imports, guard, seed }),
    );
  }

  #outcome(said: Extract<GuestSaid, { type: "result" | "error" }>, bytes: number): void {
    this.#report(said.report);
    const finish = (): void => {
      if (said.type === "result") this.#result(said.value, said.bytes, bytes);
      else {
        const error = readError(said.error, this.#toolCalls);
        if (error === undefined) this.#broken();
        else this.#fail(error);
      }
    };
    // A program that did not wait for its calls: they are carried out, and reported as they ended.
    if (this.#flights.size > 0) this.#held = finish;
    else finish();
  }

  #result(value: unknown, reported: number | undefined, bytes: number): void {
    // What the guest's side has measured; a guest that lies is held to the frame.
    const { maxResultBytes } = this.#request.limits;
    this.#stats.resultBytes = reported !== undefined && reported <= bytes ? reported : bytes;
    if (this.#stats.resultBytes > maxResultBytes || bytes > maxResultBytes + FRAME_OVERHEAD_BYTES) this.#broken();
    else this.#finish({ status: "ok", value, ...this.#rest() });
  }

  #report({ conversions, warnings }: GuestReport): void {
    this.#stats.conversions = conversions;
    this.#stats.warnings.push(...warnings);
  }

  #log({ entry, cut }: Extract<GuestSaid, { type: "log" }>): void {
    const { maxLogBytes } = this.#request.limits;
    if (cut) {
      this.#cuts++;
      this.#stats.warnings.push(`output was cut at ${maxLogBytes} bytes`);
    } else {
      this.#stats.logBytes += utf8Bytes(entry.text) + 1;
    }
    // The guest's side cuts before this point, and once.
    if (this.#stats.logBytes > maxLogBytes + LOG_SLACK_BYTES || this.#cuts > 1) {
      this.#broken();
      return;
    }
    this.#logs.push(entry);
    observe(() => this.#request.options.onLog?.(entry));
  }

  #call({ tool, args, line }: Extract<GuestSaid, { type: "call" }>): void {
    const { tools, limits, callIdPrefix, options } = this.#request;
    const program = tools[tool];
    if (program === undefined) {
      this.#broken();
      return;
    }
    const index = this.#toolCalls.length;
    if (index >= limits.maxToolCalls) {
      const error = { type: "ToolCallLimit", message: `the program made more than ${limits.maxToolCalls} tool calls` };
      this.#fail({ ...error, hint: "ask for more at once, or for less in all" }, line);
      return;
    }
    const call: SandboxToolCall = {
      callId: `${callIdPrefix}:${index + 1}`,
      name: program.tool.name,
      args: completeArguments(program, args),
      ok: false,
      ms: 0,
    };
    this.#toolCalls.push(call);
    this.#stats.toolCalls++;
    const flight: Flight = { index, call, program, line };
    this.#flights.add(flight);
    observe(() => options.onToolCallStart?.({ callId: call.callId, name: call.name, args: call.args }));
    void this.#carryOut(flight);
  }

  async #carryOut(flight: Flight): Promise<void> {
    const { call, program } = flight;
    const asked = this.#approvals.refusal(program, call);
    const refusal = asked && (await asked);
    if (this.#settled) return;
    const outcome: CallOutcome =
      refusal === undefined ? await this.#perform(flight) : { ok: false, type: "Denied", message: refusal };
    // After the end of the run the call stays as it was reported.
    if (!this.#settled) this.#answer(flight, outcome);
  }

  async #perform({ call, program, line }: Flight): Promise<CallOutcome> {
    this.#startTool(call.name, line);
    const started = performance.now();
    try {
      const context = { signal: this.#over.signal, callId: call.callId };
      return { ok: true, ...(await executeTool(program, call.args, context)) };
    } catch (error) {
      return { ok: false, type: "ToolError", message: errorForGuest(error) };
    } finally {
      if (!this.#settled) call.ms = performance.now() - started;
      this.#endTool();
    }
  }

  #startTool(name: string, line: number | undefined): void {
    if (this.#working++ > 0) return;
    this.#toolWatch.start();
    const { toolTimeMs } = this.#request.limits;
    this.#toolTimer = setTimeout(() => {
      const message = `the tools took longer than ${toolTimeMs / 1000} s together`;
      this.#fail({ type: "Timeout", message, hint: `${name} was running: ask it for less` }, line);
    }, toolTimeMs - this.#toolWatch.ms);
  }

  #endTool(): void {
    if (--this.#working > 0) return;
    clearTimeout(this.#toolTimer);
    this.#toolWatch.stop();
  }

  #answer(flight: Flight, outcome: CallOutcome): void {
    const { index, call } = flight;
    this.#flights.delete(flight);
    if (outcome.ok) call.ok = true;
    else call.error = { type: outcome.type, message: outcome.message };
    observe(() => this.#request.options.onToolCall?.(call, outcome.ok ? outcome.value : undefined));
    if (this.#settled) return;
    if (this.#held) {
      if (this.#flights.size === 0) this.#held();
      return;
    }
    const reply = outcome.ok
      ? `{"type":"return","id":${index},"value":${outcome.json}}`
      : JSON.stringify({ type: "throw", id: index, call: index, message: outcome.message });
    this.#session?.answer(reply);
  }

  #broken(): void {
    this.#fail({ type: "EngineFailure", message: "the interpreter sent something that makes no sense" });
  }

  #rest(): Pick<SandboxRun, "logs" | "toolCalls" | "stats"> {
    this.#stats.guestMs = this.#guestWatch.ms;
    this.#stats.toolMs = this.#toolWatch.ms;
    this.#stats.approvalMs = this.#approvals.ms;
    return { logs: this.#logs, toolCalls: this.#toolCalls, stats: this.#stats };
  }

  #failed(error: SandboxError): SandboxRun {
    return { status: "error", error, ...this.#rest() };
  }

  #fail(error: SandboxError, line?: number): void {
    if (this.#settled) return;
    this.#session?.close();
    for (const { call } of this.#flights) call.error = { type: error.type, message: error.message };
    const sourceLine = line === undefined ? undefined : this.#request.code.split("\n")[line - 1];
    this.#finish(
      this.#failed({
        ...error,
        ...(line === undefined ? {} : { line }),
        ...(sourceLine === undefined ? {} : { sourceLine: sourceLine.trimEnd() }),
      }),
    );
  }

  #finish(run: SandboxRun): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#toolTimer);
    this.#session?.close();
    this.#settle(run);
  }
}

const abortedError: SandboxError = { type: "Aborted", message: "the run was aborted" };

/** Observers must not change a run. */
function observe(tell: () => void): void {
  try {
    tell();
  } catch {
    // Said so at SandboxRunOptions.
  }
}
