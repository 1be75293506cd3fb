import type { LogEntry } from "@toolglot/core";
import { defined, isCount, isObject } from "@toolglot/internal";
import type { GuestMessage } from "../engine.ts";
import type { SandboxConversion, SandboxError } from "../run-types.ts";
import type { SandboxToolCall } from "../types.ts";

// Messages of a guest, which may be hostile. Texts in them are for a model: longer ones are cut.

const maxTextLength = 4000;
export const maxEntries = 100;

/** Report that comes with an outcome. */
export interface GuestReport {
  conversions: SandboxConversion[];
  warnings: string[];
}

/** A message of a guest that has the form it must have. Whether it may come now is another question. */
export type GuestEvent =
  /** `cut`: bytes that were left out here. */
  | { type: "log"; entry: LogEntry; cut: number }
  | { type: "usage"; memoryMb: number }
  | { type: "idle"; answered: number; wake: number | undefined }
  | { type: "files"; files: unknown }
  | {
      type: "call";
      id: number | undefined;
      tool: number;
      args: Record<string, unknown>;
      line: number | undefined;
      conversions: SandboxConversion[];
    }
  | { type: "result"; value: unknown; bytes: number | undefined; report: GuestReport }
  | { type: "error"; error: unknown; report: GuestReport };

/** End of a program. */
export type GuestOutcome = Extract<GuestEvent, { type: "result" | "error" }>;

/** Reads a message; undefined when it makes no sense. */
export function readGuestMessage(message: GuestMessage): GuestEvent | undefined {
  switch (message.type) {
    case "log": {
      const { stream, text, cut = 0 } = message;
      if ((stream !== "stdout" && stream !== "stderr") || typeof text !== "string" || !isCount(cut)) return undefined;
      return { type: "log", entry: { stream, text }, cut };
    }
    case "usage":
      return typeof message.memoryMb === "number" ? { type: "usage", memoryMb: message.memoryMb } : undefined;
    case "idle": {
      const answered = readCount(message.answered);
      return answered === undefined ? undefined : { type: "idle", answered, wake: readCount(message.wake) };
    }
    case "files":
      return { type: "files", files: message.files };
    case "call": {
      const { id, args, line } = message;
      const tool = readCount(message.tool);
      if (tool === undefined || !isObject(args)) return undefined;
      const conversions = readConversions(message.conversions);
      return {
        type: "call",
        id: readCount(id),
        tool,
        args,
        line: typeof line === "number" ? line : undefined,
        conversions,
      };
    }
    case "result":
      if (!Object.hasOwn(message, "value")) return undefined;
      return { type: "result", value: message.value, bytes: readCount(message.bytes), report: readReport(message) };
    case "error":
      return { type: "error", error: message.error, report: readReport(message) };
    default:
      return undefined;
  }
}

/** Returns the error of an outcome; undefined when it is none. */
export function readError(error: unknown, calls: readonly SandboxToolCall[]): SandboxError | undefined {
  if (!isObject(error)) return undefined;
  const type = readText(error.type);
  const message = readText(error.message);
  if (!type || message === undefined) return undefined;
  const call = typeof error.call === "number" ? calls[error.call] : undefined;
  return {
    type,
    message,
    ...defined({
      line: readCount(error.line) || undefined,
      column: readCount(error.column) || undefined,
      sourceLine: readText(error.sourceLine),
      hint: readText(error.hint) || undefined,
      callId: call?.ok === false ? call.callId : undefined,
    }),
  };
}

function readReport({ conversions, warnings }: GuestMessage): GuestReport {
  return {
    conversions: readConversions(conversions),
    warnings: readList(warnings, (entry) => readText(entry) ?? []),
  };
}

/** Returns those of a list that make sense. */
export function readConversions(conversions: unknown): SandboxConversion[] {
  return readList(conversions, (entry) => {
    if (!isObject(entry)) return [];
    const [path, from, to] = [entry.path, entry.from, entry.to].map(readText);
    return path === undefined || from === undefined || to === undefined ? [] : { path, from, to };
  });
}

function readList<Entry>(list: unknown, read: (entry: unknown) => Entry | []): Entry[] {
  return Array.isArray(list) ? list.slice(0, maxEntries).flatMap<Entry>(read as (entry: unknown) => Entry) : [];
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
}

function readCount(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}
