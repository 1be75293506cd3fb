import { Worker } from "node:worker_threads";
import { looksBinary } from "./file-kind.ts";
import type { Pattern } from "./pattern.ts";

/** A line that fits; what is long is cut around what fits. */
export interface MatchedLine {
  line: number;
  text: string;
}

/** What one file holds. */
export interface FileMatches {
  /** Lines that fit, or places where a text of several lines begins. */
  count: number;
  /** The first of them. */
  lines: MatchedLine[];
}

/** How the thread is to work. */
export interface MatcherOptions {
  /** Lines given of one file. */
  maxLines: number;
  /** UTF-16 units of a line. */
  maxLine: number;
  /** Milliseconds that one file may take. */
  patience: number;
}

/** Why a file was not searched through. `gave-up`: it took too long, or too much memory. `pattern`: the expression can't be run at all. */
export class MatchFault extends Error {
  readonly reason: "gave-up" | "pattern";

  constructor(reason: "gave-up" | "pattern", message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Runs in a thread of its own, since an expression can take for ever on a single line, and nothing else ends that. It's given as
 * text so that it needs no file beside the bundle.
 */
const script = String.raw`
"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const { pattern, maxLines, maxLine } = workerData;
const { literal, needles } = pattern;
const regex = literal === undefined ? new RegExp(pattern.source, pattern.flags) : undefined;
const sure = regex !== undefined && !pattern.flags.includes("i") ? needles : undefined;

function around(line, start, end) {
  if (line.length <= maxLine) return line;
  const room = Math.max(0, maxLine - (end - start));
  let from = Math.max(0, Math.min(start - Math.floor(room / 3), line.length - maxLine));
  let to = Math.min(line.length, from + maxLine);
  if (from > 0 && /[\udc00-\udfff]/.test(line[from])) from++;
  if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1])) to--;
  return (from > 0 ? "…" : "") + line.slice(from, to) + (to < line.length ? "…" : "");
}

function search(text) {
  const found = { count: 0, lines: [] };
  let counted = 0;
  let number = 1;
  const lineAt = (position) => {
    for (let at = text.indexOf("\n", counted); at !== -1 && at < position; at = text.indexOf("\n", counted)) {
      number++;
      counted = at + 1;
    }
    return number;
  };
  const lineFrom = (start) => {
    const end = text.indexOf("\n", start);
    return end === -1 ? text.length : end;
  };
  const add = (start, end, from, to) => {
    found.count++;
    if (found.lines.length >= maxLines) return;
    found.lines.push({ line: lineAt(start), text: around(text.slice(start, end), from - start, to - start) });
  };
  const test = (start, end) => {
    const match = regex.exec(text.slice(start, end));
    if (match !== null) add(start, end, start + match.index, start + match.index + match[0].length);
  };
  const next = (start) => {
    if (regex === undefined) return text.indexOf(literal, start);
    if (sure.length === 1) return text.indexOf(sure[0], start);
    let nearest = -1;
    for (const needle of sure) {
      const at = text.indexOf(needle, start);
      if (at !== -1 && (nearest === -1 || at < nearest)) nearest = at;
    }
    return nearest;
  };
  if (regex !== undefined && (sure === undefined || sure.length > 3)) {
    if (sure !== undefined && !sure.some((needle) => text.includes(needle))) return found;
    for (let start = 0; start < text.length; ) {
      const end = lineFrom(start);
      test(start, end);
      start = end + 1;
    }
    return found;
  }
  for (let at = next(0); at !== -1; ) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const end = lineFrom(at);
    if (regex === undefined) add(start, end, at, Math.min(end, at + literal.length));
    else test(start, end);
    at = end >= text.length ? -1 : next(end + 1);
  }
  return found;
}

parentPort.on("message", (bytes) => {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  try {
    parentPort.postMessage(search(text));
  } catch (error) {
    parentPort.postMessage({ failed: String(error && error.message) });
  }
});
`;

/** Searches files for a pattern, one at a time, without holding up anybody. */
export class Matcher {
  readonly #worker: Worker;
  readonly #patience: number;
  #waiting: { done(found: FileMatches): void; fail(error: Error): void } | undefined;
  #ended: Error | undefined;

  constructor(pattern: Pattern, { maxLines, maxLine, patience }: MatcherOptions) {
    this.#patience = patience;
    this.#worker = new Worker(script, {
      eval: true,
      workerData: { pattern, maxLines, maxLine },
      // Nothing of the host: neither its variables nor its options.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.on("message", (answer: FileMatches | { failed: string }) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if ("failed" in answer) waiting?.fail(new MatchFault("pattern", answer.failed));
      else waiting?.done(answer);
    });
    this.#worker.on("error", (error) => this.#end(new MatchFault("gave-up", error.message)));
    this.#worker.unref();
  }

  /** The bytes are handed over. Rejects with {@link MatchFault}; after `gave-up` the matcher is of no more use. */
  async search(bytes: Uint8Array): Promise<FileMatches> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#waiting !== undefined) throw new TypeError("one file at a time");
    if (looksBinary(bytes.subarray(0, 256 * 1024)) || bytes.includes(0)) return { count: 0, lines: [] };
    let clock: NodeJS.Timeout | undefined;
    try {
      return await new Promise<FileMatches>((done, fail) => {
        this.#waiting = { done, fail };
        clock = setTimeout(() => this.#end(new MatchFault("gave-up", "it took too long")), this.#patience);
        this.#worker.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
      });
    } finally {
      clearTimeout(clock);
    }
  }

  async close(): Promise<void> {
    this.#end(new MatchFault("gave-up", "it was closed"));
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.fail(error);
    this.#waiting = undefined;
    void this.#worker.terminate();
  }
}
