import type { LogEntry } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { Engine } from "../engine.ts";
import { utf8Bytes } from "../json.ts";
import type { SandboxConversion, SandboxError, SandboxRunError, SandboxRunOk, SandboxStats } from "../run-types.ts";
import type { FileOutput, SandboxLanguage, SandboxLimits, SandboxToolCall } from "../types.ts";
import { type GuestEvent, type GuestReport, maxEntries } from "./guest-events.ts";
import type { RunRequest } from "./types.ts";

/** What surrounds a value in a frame: conversions and warnings. */
const frameOverheadBytes = 256 * 1024;
/** They are kept, for `toolCalls`: one call has 4 MB at the most, a run this. */
const maxArgumentBytes = 32 * 1024 * 1024;
/** The last line may end a little beyond the limit. */
const logSlackBytes = 64;
/** Of a line that is shown, in UTF-16 units. */
const maxSourceLineLength = 400;

/** Where lines of a program end, as its engine counts them. */
const lineEnds: Readonly<Record<SandboxLanguage, RegExp>> = { python: /\r\n|\r|\n/, javascript: /\r?\n/ };

/** Collects what a run reports in the end, and checks that the guest kept to its limits with it. */
export class RunReport {
  readonly logs: LogEntry[] = [];
  readonly toolCalls: SandboxToolCall[] = [];
  readonly stats: SandboxStats;
  files: FileOutput[] | undefined;
  readonly #code: string;
  readonly #lineEnd: RegExp;
  readonly #limits: SandboxLimits;
  #cuts = 0;
  #argumentBytes = 0;

  constructor({ code, engine, limits, domain }: Pick<RunRequest, "code" | "engine" | "limits" | "domain">) {
    this.#code = code;
    this.#lineEnd = lineEnds[engine.language];
    this.#limits = limits;
    this.stats = {
      engine: engine.label,
      isolation: engine.isolation,
      limits: { ...limits },
      startMs: 0,
      warm: false,
      reused: 0,
      guestMs: 0,
      toolMs: 0,
      approvalMs: 0,
      toolCalls: 0,
      sourceBytes: utf8Bytes(code),
      resultBytes: 0,
      logBytes: 0,
      conversions: [],
      warnings: [],
      ...defined({ domain }),
    };
  }

  /** What the program runs in, known when it has a guest. */
  noteGuest({ isolation, warnings = [] }: Engine): void {
    this.stats.isolation = isolation;
    this.stats.warnings.push(...warnings);
  }

  /** What is wrong with the program before it starts. */
  get sourceError(): SandboxError | undefined {
    const { sourceBytes } = this.stats;
    const { maxSourceBytes } = this.#limits;
    if (sourceBytes <= maxSourceBytes) return undefined;
    const message = `the program has ${sourceBytes} bytes, more than ${maxSourceBytes}`;
    return { type: "SourceTooLarge", message, hint: "write less code, and let tools bring the data" };
  }

  /** False when the guest printed more than its side lets a program print. */
  log({ entry, cut }: Extract<GuestEvent, { type: "log" }>): boolean {
    const { maxLogBytes } = this.#limits;
    if (cut > 0) {
      this.#cuts++;
      this.stats.warnings.push(`output of more than ${maxLogBytes} bytes: ${cut} in the middle are left out`);
    } else {
      this.stats.logBytes += utf8Bytes(entry.text) + 1;
    }
    // The guest's side cuts before this point, and once.
    if (this.stats.logBytes > maxLogBytes + logSlackBytes || this.#cuts > 1) return false;
    this.logs.push(entry);
    return true;
  }

  /** Adds a tool's note, which stands with what the program prints. */
  note(text: string): void {
    this.logs.push({ stream: "stderr", text });
  }

  /** Returns why the program may not make another call, with arguments of so many bytes; undefined when it may. */
  refusal(bytes: number): SandboxError | undefined {
    const { maxToolCalls } = this.#limits;
    if (this.toolCalls.length >= maxToolCalls) {
      const message = `the program made more than ${maxToolCalls} tool calls`;
      return { type: "ToolCallLimit", message, hint: "ask for more at once, or for less in all" };
    }
    this.#argumentBytes += bytes;
    if (this.#argumentBytes <= maxArgumentBytes) return undefined;
    const message = `the arguments of its tool calls have more than ${maxArgumentBytes / 1024 / 1024} MB together`;
    return { type: "ToolCallLimit", message, hint: "give the tools ids or summaries, not whole data" };
  }

  addCall(call: SandboxToolCall): void {
    this.toolCalls.push(call);
    this.stats.toolCalls++;
  }

  addGuestReport({ conversions, warnings }: GuestReport): void {
    this.addConversions(conversions);
    this.stats.warnings.push(...warnings);
  }

  /** `callId`: of the call whose arguments, or whose result, came out changed. */
  addConversions(found: readonly SandboxConversion[], callId?: string): void {
    const { conversions } = this.stats;
    const listed = callId === undefined ? found : found.map((each) => ({ ...each, callId }));
    conversions.push(...listed.slice(0, maxEntries - conversions.length));
  }

  /**
   * False when the value is larger than the guest's side lets it be. `reported`: its bytes as the guest has measured them;
   * a guest that lies is held to `bytes`, those of the message.
   */
  measure(reported: number | undefined, bytes: number): boolean {
    const { maxResultBytes } = this.#limits;
    this.stats.resultBytes = reported !== undefined && reported <= bytes ? reported : bytes;
    return this.stats.resultBytes <= maxResultBytes && bytes <= maxResultBytes + frameOverheadBytes;
  }

  ended(value: unknown): SandboxRunOk {
    return this.close({ status: "ok", value, ...defined({ files: this.files }) });
  }

  /** `line`: where in the program, when the host knows it. */
  failed(error: SandboxError, line?: number): SandboxRunError {
    const sourceLine =
      line === undefined ? undefined : this.#code.split(this.#lineEnd)[line - 1]?.replace("\ufeff", "");
    const place = defined({ line, sourceLine: sourceLine?.slice(0, maxSourceLineLength).trimEnd() });
    return this.close({ status: "error", error: { ...error, ...place } });
  }

  /** Returns how the run ended, with all that was collected. */
  close<End>(end: End): End & Pick<RunReport, "logs" | "toolCalls" | "stats"> {
    const { logs, toolCalls, stats } = this;
    return { ...end, logs, toolCalls, stats };
  }
}
