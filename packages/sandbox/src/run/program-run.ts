import { type LogEntry, requiresApproval, sanitizeErrorMessage } from "@toolglot/core";
import type { Engine, Guest, GuestMessage } from "../engine.ts";
import { isRecord } from "../json.ts";
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
import { readConversions, readError, readWarnings } from "./guest-report.ts";
import { completeArguments, describeTool, errorForGuest, executeTool, type ProgramTool } from "./tools.ts";

/** The program gets its interrupt at the deadline, and this long to report its line; then the process is killed. */
const GRACE_MS = 250;

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

/** One program from its start to its one outcome. The guest may be hostile: nothing it says is believed unread. */
export class ProgramRun {
  readonly #request: RunRequest;
  readonly #logs: LogEntry[] = [];
  readonly #toolCalls: SandboxToolCall[] = [];
  readonly #stats: SandboxStats;
  /** Aborted at the end of the run, so that a tool which is still at work can stop. */
  readonly #over = new AbortController();
  #guest: Guest | undefined;
  #settle: (run: SandboxRun) => void = () => {};
  #settled = false;
  #cuts = 0;
  #calling = false;
  #current: SandboxToolCall | undefined;
  #timer: NodeJS.Timeout | undefined;
  #guestSince = 0;

  constructor(request: RunRequest) {
    this.#request = request;
    this.#stats = {
      engine: request.engine.label,
      limits: { ...request.limits },
      startMs: 0,
      warm: false,
      guestMs: 0,
      toolMs: 0,
      approvalMs: 0,
      toolCalls: 0,
      sourceBytes: Buffer.byteLength(request.code),
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
    const onAbort = (): void => this.#fail(abortedError);
    try {
      return await new Promise<SandboxRun>((resolve) => {
        this.#settle = resolve;
        if (signal.aborted) {
          onAbort();
          return;
        }
        signal.addEventListener("abort", onAbort, { once: true });
        this.#start(held.guest);
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
      held.release();
      this.#over.abort();
    }
  }

  #start(guest: Guest): void {
    const { code, limits, tools, imports, guard, seed } = this.#request;
    this.#guest = guest;
    guest.listen({
      onMessage: (message, bytes) => this.#receive(message, bytes),
      onEnd: () => this.#fail({ type: "EngineFailure", message: "the interpreter ended before the program did" }),
    });
    guest.send(JSON.stringify({ type: "run", code, tools: tools.map(describeTool), limits, imports, guard, seed }));
    this.#resumeGuest();
  }

  #receive(message: GuestMessage, bytes: number): void {
    if (this.#settled) return;
    const { type } = message;
    if (type === "log") this.#log(message);
    else if (type === "usage") this.#usage(message.memoryMb);
    else if (this.#calling) this.#broken();
    else if (type === "call") void this.#call(message);
    else if (type === "result" && Object.hasOwn(message, "value")) this.#result(message, bytes);
    else if (type === "error") this.#error(message);
    else this.#broken();
  }

  #usage(memoryMb: unknown): void {
    // Once, before the outcome.
    if (typeof memoryMb !== "number" || this.#stats.memoryMb !== undefined) this.#broken();
    else this.#stats.memoryMb = memoryMb;
  }

  #result(message: GuestMessage, bytes: number): void {
    this.#pauseGuest();
    this.#report(message);
    // What the guest's side has measured; a guest that lies is held to the frame.
    const { bytes: reported } = message;
    const { maxResultBytes } = this.#request.limits;
    this.#stats.resultBytes = typeof reported === "number" && reported >= 0 && reported <= bytes ? reported : bytes;
    if (this.#stats.resultBytes > maxResultBytes || bytes > maxResultBytes + FRAME_OVERHEAD_BYTES) {
      this.#broken();
      return;
    }
    this.#finish({ status: "ok", value: message.value, ...this.#rest() });
  }

  #error(message: GuestMessage): void {
    this.#pauseGuest();
    this.#report(message);
    const error = readError(message.error, this.#toolCalls);
    if (error === undefined) this.#broken();
    else this.#fail(error);
  }

  #report(message: GuestMessage): void {
    this.#stats.conversions = readConversions(message.conversions);
    this.#stats.warnings.push(...readWarnings(message.warnings));
  }

  #log(message: GuestMessage): void {
    const { stream, text } = message;
    const { maxLogBytes } = this.#request.limits;
    if ((stream !== "stdout" && stream !== "stderr") || typeof text !== "string") {
      this.#broken();
      return;
    }
    const entry: LogEntry = { stream, text };
    if (message.cut === true) {
      this.#cuts++;
      this.#stats.warnings.push(`output was cut at ${maxLogBytes} bytes`);
    } else {
      this.#stats.logBytes += Buffer.byteLength(text) + 1;
    }
    // The guest's side cuts before this point, and once.
    if (this.#stats.logBytes > maxLogBytes + LOG_SLACK_BYTES || this.#cuts > 1) {
      this.#broken();
      return;
    }
    this.#logs.push(entry);
    observe(() => this.#request.options.onLog?.(entry));
  }

  async #call(message: GuestMessage): Promise<void> {
    this.#pauseGuest();
    this.#calling = true;
    const { tools, limits, callIdPrefix } = this.#request;
    const program = typeof message.tool === "number" ? tools[message.tool] : undefined;
    const line = typeof message.line === "number" ? message.line : undefined;
    if (program === undefined || !isRecord(message.args)) {
      this.#broken();
      return;
    }
    if (this.#toolCalls.length >= limits.maxToolCalls) {
      const error = { type: "ToolCallLimit", message: `the program made more than ${limits.maxToolCalls} tool calls` };
      this.#fail({ ...error, hint: "ask for more at once, or for less in all" }, line);
      return;
    }
    const call: SandboxToolCall = {
      callId: `${callIdPrefix}:${this.#toolCalls.length + 1}`,
      name: program.tool.name,
      args: completeArguments(program, message.args),
      ok: false,
      ms: 0,
    };
    this.#toolCalls.push(call);
    this.#current = call;
    this.#stats.toolCalls++;
    const index = this.#toolCalls.length - 1;
    const { callId, name, args } = call;
    observe(() => this.#request.options.onToolCallStart?.({ callId, name, args }));
    const refusal = await this.#askApproval(program, call);
    if (this.#settled) return;
    if (refusal !== undefined) {
      call.error = { type: "Denied", message: refusal };
      this.#answer(call, undefined, throwReply(refusal, index));
    } else {
      await this.#runTool(program, call, index, line);
    }
  }

  /** Why the call is denied; undefined when it may run. */
  async #askApproval(program: ProgramTool, call: SandboxToolCall): Promise<string | undefined> {
    if (!requiresApproval(program.tool)) return undefined;
    const { approve } = this.#request.options;
    if (approve === undefined) return `${call.name} was denied: it needs an approval and nobody is there to give it`;
    const asked = performance.now();
    try {
      const { callId, name, args } = call;
      const reason = `The program wants to call ${name}.`;
      const decision = await approve({ kind: "tool-call", callId, tool: name, input: args, reason });
      if (decision.approved === true) return undefined;
      return decision.reason ? `${name} was denied: ${decision.reason}` : `${name} was denied`;
    } catch {
      return `${call.name} was denied: the approval could not be asked for`;
    } finally {
      this.#stats.approvalMs += performance.now() - asked;
    }
  }

  async #runTool(program: ProgramTool, call: SandboxToolCall, index: number, line: number | undefined): Promise<void> {
    const { limits } = this.#request;
    const { callId, name, args } = call;
    const left = limits.toolTimeMs - this.#stats.toolMs;
    const started = performance.now();
    this.#timer = setTimeout(() => {
      const message = `the tools took longer than ${limits.toolTimeMs / 1000} s together`;
      this.#fail({ type: "Timeout", message, hint: `${name} was running: ask it for less` }, line);
    }, left);
    let value: unknown;
    let reply: string;
    try {
      const found = await executeTool(program, args, { signal: this.#over.signal, callId });
      value = found.value;
      reply = `{"type":"return","value":${found.json}}`;
      call.ok = true;
    } catch (error) {
      const message = errorForGuest(error);
      reply = throwReply(message, index);
      if (!this.#settled) call.error = { type: "ToolError", message };
    }
    // After the end of the run the call stays as it was reported.
    if (this.#settled) return;
    call.ms = performance.now() - started;
    this.#stats.toolMs += call.ms;
    this.#answer(call, value, reply);
  }

  #answer(call: SandboxToolCall, value: unknown, reply: string): void {
    clearTimeout(this.#timer);
    this.#calling = false;
    this.#current = undefined;
    observe(() => this.#request.options.onToolCall?.(call, value));
    if (this.#settled) return;
    this.#resumeGuest();
    this.#guest?.send(reply);
  }

  #resumeGuest(): void {
    this.#guestSince = performance.now();
    const left = this.#request.limits.timeoutMs - this.#stats.guestMs;
    this.#timer = setTimeout(() => this.#timeout(), left + GRACE_MS);
  }

  #pauseGuest(): void {
    clearTimeout(this.#timer);
    this.#stats.guestMs += performance.now() - this.#guestSince;
    this.#guestSince = 0;
  }

  #timeout(): void {
    this.#pauseGuest();
    const seconds = this.#request.limits.timeoutMs / 1000;
    this.#fail({
      type: "Timeout",
      message: `the program ran longer than ${seconds} s`,
      hint: "look for a loop that does not end, or do less in one program",
    });
  }

  #broken(): void {
    this.#fail({ type: "EngineFailure", message: "the interpreter sent something that makes no sense" });
  }

  #rest(): Pick<SandboxRun, "logs" | "toolCalls" | "stats"> {
    return { logs: this.#logs, toolCalls: this.#toolCalls, stats: this.#stats };
  }

  #failed(error: SandboxError): SandboxRun {
    return { status: "error", error, ...this.#rest() };
  }

  #fail(error: SandboxError, line?: number): void {
    if (this.#settled) return;
    if (this.#guestSince > 0) this.#pauseGuest();
    if (this.#current) this.#current.error = { type: error.type, message: error.message };
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
    clearTimeout(this.#timer);
    this.#guest?.kill();
    this.#settle(run);
  }
}

function throwReply(message: string, call: number): string {
  return JSON.stringify({ type: "throw", message, call });
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
