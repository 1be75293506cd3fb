import type { JsonObject, LogEntry, Usage } from "@toolglot/core";
import type { EncodedFile } from "../engine.ts";
import type { SandboxConversion, SandboxError, SandboxStats } from "../run-types.ts";
import type { FileOutput, ImportPolicy, ProgramStyle, SandboxLanguage } from "../types.ts";

// What stands in the journal. Scope `sandbox:<id>`; keys `run`, `call:<n>` and `approval:<n>`, n counted from 1. Of a session also
// `unkept`, when no image comes of a program that has ended, and `file`, for one that was written from outside.

/** Of the form below. */
export const journalVersion = 1;

/** `data` of the key `run`: all that a program needs to start the same way again. */
export interface RunHeader {
  version: number;
  language: SandboxLanguage;
  /** The engine's label. */
  engine: string;
  source: string;
  seed: string;
  /** Milliseconds since the epoch: the time that the program starts at, and the age of the run. */
  clock: number;
  timeZone: string;
  /** As the run began: it counts to its end. */
  keepMs: number;
  imports: ImportPolicy;
  /** Absent: `attp`. */
  style?: ProgramStyle;
  /** Names of the tools, each with its signature in the program. */
  tools: Record<string, string>;
  /** Of a program of a session. */
  session?: SessionStart;
  /** That the program was given. */
  files?: readonly EncodedFile[];
}

/** The image of a session that a program continues from. */
export interface SessionStart {
  id: string;
  turn: number;
  /** The HMAC of the image, in hex. */
  image: string;
  /** It gets new random numbers. */
  reseed: boolean;
}

/** `outcome` of the key `run`. */
export type RunOutcome = (
  | { status: "ok"; value: unknown; files?: FileOutput[] }
  | { status: "error"; error: SandboxError }
) & {
  logs: LogEntry[];
  stats: SandboxStats;
};

/** `outcome` of a key `call:<n>`: what the program was answered. */
export type CallAnswer = {
  /** The place of the answer among all that the program got, rising, gaps allowed. */
  delivery: number;
  /** The program's clock from then on, milliseconds since the epoch. */
  at: number;
  /** Milliseconds of this call, and of all tools until then. */
  ms: number;
  toolMs: number;
  name: string;
  args: Record<string, unknown>;
  notes?: readonly string[];
  usage?: Usage;
} & (
  | { ok: true; json: string; conversions?: SandboxConversion[] }
  | { ok: false; type: string; message: string; data?: JsonObject }
);

/** `outcome` of a key `approval:<n>`. */
export type KeptDecision = { approved: true } | { approved: false; message: string };

/** One call as the journal has it. */
export interface KeptCall {
  /** Counted from 0. */
  index: number;
  fingerprint: string;
  inDoubt: boolean;
  /** The tool may have been run. */
  started: boolean;
  leaseUntil: number;
  /** Known since the tool was about to run, or was denied. */
  name?: string;
  args?: Record<string, unknown>;
  answer?: CallAnswer;
}

/** Calls by index; calls that were given free are absent. */
export type KeptCalls = ReadonlyMap<number, KeptCall>;

/** Returns the highest of a number that answers have; `least` when there is none. */
export function highest(calls: KeptCalls, field: "delivery" | "at" | "toolMs", least: number): number {
  let found = least;
  for (const { answer } of calls.values()) if (answer) found = Math.max(found, answer[field]);
  return found;
}

/** Returns a call as text: `pay {"amount":5}`, at most some 200 characters. */
export function describeCall(name: string, args: object | undefined): string {
  const text = args === undefined ? "" : JSON.stringify(args);
  return `${name} ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`.trim();
}
