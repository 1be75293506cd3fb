import { fromBase64, isObject } from "@toolglot/internal";
import type { EncodedFile } from "../engine.ts";
import type { FileOutput } from "../types.ts";
import { type CallAnswer, journalVersion, type KeptDecision, type RunHeader, type RunOutcome } from "./records.ts";

// What a log returns was written by a run, supposedly: each of these returns undefined for what no run writes.

/** Of a header of another version only what every version has is looked at. */
export function readHeader(data: unknown): RunHeader | undefined {
  if (!isObject(data)) return undefined;
  const { version, language, source, clock } = data;
  if (typeof version !== "number" || typeof clock !== "number" || !areTexts(language, source)) return undefined;
  if (version === journalVersion) {
    const { engine, seed, timeZone, keepMs, imports, tools } = data;
    if (!areTexts(engine, seed, timeZone, imports) || typeof keepMs !== "number") return undefined;
    if (!isObject(tools) || !areTexts(...Object.values(tools))) return undefined;
    const { session, files = [] } = data;
    if (session !== undefined && !(isObject(session) && areTexts(session.id, session.image))) return undefined;
    if (!Array.isArray(files) || !files.every((file) => readFile(file) !== undefined)) return undefined;
  }
  return data as unknown as RunHeader;
}

export function readOutcome(outcome: unknown): RunOutcome | undefined {
  if (!isObject(outcome) || !Array.isArray(outcome.logs) || !isObject(outcome.stats)) return undefined;
  const { status, error } = outcome;
  const isWhole =
    status === "ok"
      ? Object.hasOwn(outcome, "value")
      : status === "error" && isObject(error) && areTexts(error.type, error.message);
  if (!isWhole) return undefined;
  if (!Array.isArray(outcome.files)) return outcome as unknown as RunOutcome;
  try {
    const files = outcome.files.map(({ data, ...file }) =>
      typeof data === "string" ? { ...file, data: fromBase64(data) } : file,
    );
    return { ...outcome, files: files as FileOutput[] } as unknown as RunOutcome;
  } catch {
    return undefined;
  }
}

/** Returns a file on its way to a program. */
export function readFile(file: unknown): EncodedFile | undefined {
  return isObject(file) && areTexts(file.path, file.data) ? (file as unknown as EncodedFile) : undefined;
}

/** Returns what a call was asked to do. */
export function readAsked(data: unknown): Pick<CallAnswer, "name" | "args"> | undefined {
  if (!isObject(data) || typeof data.name !== "string" || !isObject(data.args)) return undefined;
  return { name: data.name, args: data.args };
}

export function readAnswer(outcome: unknown): CallAnswer | undefined {
  if (!isObject(outcome) || readAsked(outcome) === undefined) return undefined;
  const { delivery, at, ms, toolMs, ok, json, type, message } = outcome;
  if (![delivery, at, ms, toolMs].every((each) => typeof each === "number")) return undefined;
  const isWhole = ok === true ? areTexts(json) : ok === false && areTexts(type, message);
  return isWhole ? (outcome as unknown as CallAnswer) : undefined;
}

export function readDecision(outcome: unknown): KeptDecision | undefined {
  if (!isObject(outcome)) return undefined;
  const { approved, message } = outcome;
  if (approved === true) return { approved };
  return approved === false && typeof message === "string" ? { approved, message } : undefined;
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
