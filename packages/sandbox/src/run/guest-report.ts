import { isObject } from "@toolglot/internal";
import type { SandboxConversion, SandboxError, SandboxToolCall } from "../types.ts";

/** A guest's report is text for a model: longer text is cut. */
const maxTextLength = 4000;
const maxEntries = 100;

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
}

function position(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The error of a guest's report; undefined when it is none. */
export function readError(report: unknown, calls: readonly SandboxToolCall[]): SandboxError | undefined {
  if (!isObject(report)) return undefined;
  const type = text(report.type);
  const message = text(report.message);
  if (!type || message === undefined) return undefined;
  const error: SandboxError = { type, message };
  const line = position(report.line);
  const column = position(report.column);
  const sourceLine = text(report.sourceLine);
  const hint = text(report.hint);
  const call = typeof report.call === "number" ? calls[report.call] : undefined;
  if (line !== undefined) error.line = line;
  if (column !== undefined) error.column = column;
  if (sourceLine !== undefined) error.sourceLine = sourceLine;
  if (hint) error.hint = hint;
  if (call !== undefined && !call.ok) error.callId = call.callId;
  return error;
}

/** The conversions of a guest's report. */
export function readConversions(report: unknown): SandboxConversion[] {
  if (!Array.isArray(report)) return [];
  return report.slice(0, maxEntries).flatMap((entry: unknown) => {
    if (!isObject(entry)) return [];
    const { path, from, to } = { path: text(entry.path), from: text(entry.from), to: text(entry.to) };
    return path === undefined || from === undefined || to === undefined ? [] : [{ path, from, to }];
  });
}

/** The warnings of a guest's report. */
export function readWarnings(report: unknown): string[] {
  if (!Array.isArray(report)) return [];
  return report.slice(0, maxEntries).flatMap((entry: unknown) => text(entry) ?? []);
}
