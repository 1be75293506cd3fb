import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { parseRecording, type Recording, replayRun } from "@toolglot/agent";
import { ToolglotError } from "@toolglot/core";
import type { RunView } from "../view/run-view.ts";
import { asDeclined, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { dialectName, isProtocol, type ProtocolName, protocolNames } from "./protocol-names.ts";
import { protocolOf } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** A file that runs are recorded into, one after another. */
export interface RecordFile {
  /** Notes the protocol of the run that comes, where its recording does not say which one of a family it is. */
  begins(protocol: ProtocolName): void;
  line(text: string): void;
  /** Notes that the run before declined its question, which only documents of ATTP say by themselves. */
  declined(): void;
  close(): void;
}

const declinedLine = '{"type":"declined"}';
const protocolLine = /^\{"type":"protocol","name":"(.+)"\}$/;

/** A run as it was recorded, and whether it declined its question. */
export interface RecordedRun {
  recording: Recording;
  declined: boolean;
  protocol: ProtocolName;
}

/** Opens a new recording; the file is written line by line, so that a crash loses nothing. Throws `UsageError`. */
export function openRecord(path: string): RecordFile {
  let file: number;
  try {
    file = openSync(path, "w", 0o600);
  } catch (error) {
    throw new UsageError(`--record can't write ${path}: ${(error as Error).message}`);
  }
  return {
    begins: (protocol) => {
      if (dialectName.test(protocol)) writeSync(file, `{"type":"protocol","name":"${protocol}"}\n`);
    },
    line: (text) => {
      writeSync(file, `${text}\n`);
    },
    declined: () => {
      writeSync(file, `${declinedLine}\n`);
    },
    close: () => closeSync(file),
  };
}

/** Reads the runs of a recorded file. Throws `UsageError` when it is none. */
export function readRecord(path: string): RecordedRun[] {
  let lines: string[];
  try {
    lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    throw new UsageError(`--replay can't read ${path}: ${(error as Error).message}`);
  }
  const starts = lines.flatMap((line, index) => (isHead(line) ? [index] : []));
  if (starts.length === 0) throw new UsageError(`${path} is no recording: it has no head line.`);
  try {
    return starts.map((start, index) => {
      const own = lines.slice(start, starts[index + 1]).filter((line) => !protocolLine.test(line));
      const declined = own.at(-1) === declinedLine;
      const recording = parseRecording((declined ? own.slice(0, -1) : own).join("\n"));
      const [, name = ""] = protocolLine.exec(lines[start - 1] ?? "") ?? [];
      return { recording, declined, protocol: isProtocol(name) ? name : protocolOfRecording(recording) };
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} is no recording: ${(error as Error).message}`);
  }
}

function isHead(line: string): boolean {
  try {
    return (JSON.parse(line) as { type?: unknown }).type === "head";
  } catch {
    return false;
  }
}

/** Plays recorded runs into a view; resolves with the exit code of the first that did not end well. Throws `ToolglotError` when a
 * replay differs from what was recorded. */
export async function playRecord(runs: readonly RecordedRun[], view: RunView): Promise<number> {
  for (const { recording, declined, protocol: name } of runs) {
    const texts = modelTexts(recording);
    const protocol = protocolOf(name, recording.head.options.locale ?? "en");
    const run = replayRun(recording, { protocol });
    for await (const event of run) {
      view.event(asDeclined(event, declined));
      if (event.type === "step-start") view.modelText(texts[event.stepIndex] ?? "");
    }
    const { divergence } = run;
    if (divergence) throw new ToolglotError("agent/replay-divergence", divergence.message);
    const code = exitCodeOf(await run.result, declined);
    if (code !== exitCodes.answered) return code;
  }
  return exitCodes.answered;
}

function protocolOfRecording({ head }: Recording): ProtocolName {
  const name = protocolNames.find((known) => head.protocol.startsWith(`${known}/`));
  if (name === undefined || !isProtocol(name))
    throw new UsageError(`The recording's protocol ${head.protocol} is not known here.`);
  return name;
}

/** What the model wrote, step by step. */
function modelTexts({ entries }: Recording): string[] {
  const texts: string[] = [];
  for (const entry of entries) {
    if (entry.type === "model-request") texts.push("");
    else if (entry.type === "model-part" && typeof entry.part === "string") {
      texts[texts.length - 1] += entry.part;
    }
  }
  return texts;
}
