import type { LogEntry } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { GuestMessage } from "../engine.ts";
import type { SandboxConversion } from "../types.ts";
import { readConversions, readWarnings } from "./guest-report.ts";

/** What comes with an outcome. */
export interface GuestReport {
  conversions: SandboxConversion[];
  warnings: string[];
}

/** A message of a guest that has the form it must have. Whether it was its turn is another question. */
export type GuestSaid =
  | { type: "log"; entry: LogEntry; cut: boolean }
  | { type: "usage"; memoryMb: number }
  | { type: "idle"; answered: number }
  | { type: "call"; id: number | undefined; tool: number; args: Record<string, unknown>; line: number | undefined }
  | { type: "result"; value: unknown; bytes: number | undefined; report: GuestReport }
  | { type: "error"; error: unknown; report: GuestReport };

/** Reads a message; undefined when it makes no sense. */
export function readGuestMessage(message: GuestMessage): GuestSaid | undefined {
  switch (message.type) {
    case "log":
      return readLog(message);
    case "usage":
      return typeof message.memoryMb === "number" ? { type: "usage", memoryMb: message.memoryMb } : undefined;
    case "idle": {
      const answered = whole(message.answered);
      return answered === undefined ? undefined : { type: "idle", answered };
    }
    case "call":
      return readCall(message);
    case "result":
      if (!Object.hasOwn(message, "value")) return undefined;
      return { type: "result", value: message.value, bytes: whole(message.bytes), report: readReport(message) };
    case "error":
      return { type: "error", error: message.error, report: readReport(message) };
    default:
      return undefined;
  }
}

function readLog({ stream, text, cut }: GuestMessage): GuestSaid | undefined {
  if ((stream !== "stdout" && stream !== "stderr") || typeof text !== "string") return undefined;
  return { type: "log", entry: { stream, text }, cut: cut === true };
}

function readCall({ id, tool, args, line }: GuestMessage): GuestSaid | undefined {
  const index = whole(tool);
  if (index === undefined || !isObject(args)) return undefined;
  return { type: "call", id: whole(id), tool: index, args, line: typeof line === "number" ? line : undefined };
}

function readReport({ conversions, warnings }: GuestMessage): GuestReport {
  return { conversions: readConversions(conversions), warnings: readWarnings(warnings) };
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}
