import type { AnyTool, BoundTool, JsonObject } from "@toolglot/core";
import type { SessionStart } from "../durable/records.ts";
import type { SandboxDurableRunOptions } from "../durable/types.ts";
import type { EncodedFile, Engine } from "../engine.ts";
import type { SandboxConversion } from "../run-types.ts";
import type { ImportPolicy, ProgramStyle, SandboxLimits, SandboxToolCall } from "../types.ts";

/** Answer of a tool. */
export interface CallAnswer {
  value: unknown;
  /** For the program. */
  json: string;
  /** What the program finds otherwise than the tool gave it. */
  conversions: SandboxConversion[];
}

/** A tool with its names in the program. */
export interface ProgramTool {
  tool: AnyTool;
  names: BoundTool;
  /** Where it stands besides, when its name has one dot: `File.Read` is the member `Read` of `File`. */
  member?: readonly [group: string, name: string];
}

/** A call that has no answer yet. */
export interface PendingCall {
  /** Place in the list of calls. */
  index: number;
  call: SandboxToolCall;
  /** A copy of the call's arguments, for the tool alone: nobody changes what it gets, and it changes nobody's. */
  input: Record<string, unknown>;
  program: ProgramTool;
  line: number | undefined;
}

/** The outcome of a call. `isCertain`: the tool itself reported its failure, with a `ToolError`; `needs`: it did nothing yet. */
export type CallOutcome =
  | ({ ok: true } & CallAnswer & Noted)
  | ({ ok: false; type: string; message: string; isCertain: boolean; needs?: Need; data?: JsonObject } & Noted);

/** Notes of a tool besides its value, for who reads what the program prints. */
export interface Noted {
  notes?: readonly string[];
}

/** Need of a call before its tool does anything: see `ToolError`. */
export type Need = "approval" | "later";

/** Parts of a run. */
export interface RunRequest {
  code: string;
  engine: Engine;
  limits: SandboxLimits;
  tools: readonly ProgramTool[];
  domain?: string | undefined;
  /** Set for a program of a session. `held`: names the memory that it continues from; `reseed`: it gets new random numbers. */
  session?: { held: string; reseed: boolean; maxFileBytes: number } | undefined;
  /** The image that it continues from, by its journal. */
  start?: SessionStart | undefined;
  imports: ImportPolicy;
  style: ProgramStyle;
  /** For the program, by path under its folder, as base64. */
  files?: readonly EncodedFile[] | undefined;
  guard: boolean;
  seed: string;
  callIdPrefix: string;
  options: Omit<SandboxDurableRunOptions, "durable">;
  signal: AbortSignal;
}
