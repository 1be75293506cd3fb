import { isObject, parseJson } from "@toolglot/internal";
import { aiSdk } from "./ai-sdk.ts";
import { chatMessages, isAnswer, surroundingsOf } from "./chat-messages.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import type { LogEntry, LogReader } from "./log-reader.ts";
import { type Telemetry, telemetryOf } from "./open-telemetry.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { toolglot } from "./toolglot.ts";

/** All readers. A record is that of the first one that knows it; the one with the fewest marks is the last. */
const logReaders: readonly LogReader[] = [claudeCode, codex, pi, opencode, aiSdk, toolglot, geminiCli, chatMessages];

/** Receiver of what is in a record. */
export interface EntryTaker {
  /** `pointer`: of the entry's record. `isInside`: it stands in a record that holds a whole conversation. */
  entry(entry: LogEntry, pointer: string, isInside: boolean, record: Record<string, unknown>): void;
  /** A list of messages begins, with a conversation's first one. */
  listStart(): void;
  /** The record is over. */
  conversationEnd(): void;
}

/** So deep stands a message in what a tracer keeps of a request, in lists of lists. */
const maxDepth = 12;
/** What was there before the answer: it is read before it, in whichever order it is written. */
const isHistory = /^(?:request|inputs?|messages|contents|history|prompt)$/;
const holds = /^(?:request|response|inputs?|outputs?|messages|contents|history|prompt|body|result|steps|runs)$/;
/** What tracers keep as JSON in a string. */
const keptAsText = /^(?:input|output|request|response|body)$/;

/** Calls that are remembered. */
const maxCalled = 100_000;
/** The same among the attributes of a span. */
const isAsked = /[._](?:input[._]messages|prompt(?:\.messages)?)$/;

/** Reads records, and what is in them. The reader that knew the one before is asked first. */
export class RecordReader {
  #last: LogReader = claudeCode;
  /** Ids of calls that were in an answer: a tool's own span tells them once more. */
  readonly #called = new Set<string>();

  /** Returns whether a reader knows the record, or something in it. */
  read(record: Record<string, unknown>, pointer: string, taker: EntryTaker): boolean {
    return this.#record(record, pointer, taker, 0);
  }

  #record(record: Record<string, unknown>, pointer: string, taker: EntryTaker, depth: number): boolean {
    for (const reader of [this.#last, ...logReaders]) {
      const entry = reader.read(record);
      if (!entry) continue;
      this.#last = reader;
      this.#saw(entry);
      taker.entry(entry, pointer, depth > 0, record);
      return true;
    }
    const telemetry = telemetryOf(record);
    if (telemetry) return this.#telemetry(telemetry, record, pointer, taker, depth);
    const around = surroundingsOf(record);
    // What holds no messages itself is about the whole file: the members of a document, less its lists.
    if (around) taker.entry(around, pointer, depth > 0 || Object.keys(record).some((name) => holds.test(name)), record);
    let isKnown = around !== undefined && (around.items.length > 0 || !isAnswer(record));
    const rank = ([name]: [string, unknown]): number => Number(!isHistory.test(name));
    for (const [name, value] of Object.entries(record).sort((one, other) => rank(one) - rank(other))) {
      const isText = typeof value === "string" && keptAsText.test(name) && /^\s*[[{]/.test(value);
      const inner = isText ? parseJson(value) : value;
      if (Array.isArray(inner) && isHistory.test(name)) taker.listStart();
      if (this.#member(inner, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, taker, depth + 1))
        isKnown = true;
      else if (name === "output" && typeof inner === "string" && around) {
        // What a tracer keeps of a generation.
        taker.entry({ items: [{ type: "text", text: inner, path: "/output" }] }, pointer, true, record);
        isKnown = true;
      }
    }
    if (depth === 0) taker.conversationEnd();
    return isKnown;
  }

  #saw({ items }: LogEntry): void {
    for (const item of items)
      if (item.type === "call" && item.id !== undefined && this.#called.size < maxCalled) this.#called.add(item.id);
  }

  #telemetry(
    { about, said, members }: Telemetry,
    record: Record<string, unknown>,
    pointer: string,
    taker: EntryTaker,
    depth: number,
  ): true {
    const items = about.items.filter((item) => item.type !== "call" || !this.#called.has(item.id ?? ""));
    taker.entry({ ...about, items }, pointer, true, record);
    if (said) this.#saw(said.entry);
    if (said) taker.entry(said.entry, `${pointer}${said.path}`, true, said.message);
    const history = members.filter(([name]) => isAsked.test(name));
    const answers = members.filter(([name]) => !isAsked.test(name));
    for (const [name, value] of [...history, ["", record.events] as const, ...answers]) {
      if (isAsked.test(name) && Array.isArray(value)) taker.listStart();
      this.#member(value, `${pointer}/${name === "" ? "events" : `attributes/${name}`}`, taker, depth + 1);
    }
    if (depth === 0) taker.conversationEnd();
    return true;
  }

  #member(value: unknown, pointer: string, taker: EntryTaker, depth: number): boolean {
    if (depth > maxDepth) return false;
    if (!Array.isArray(value)) return isObject(value) && this.#record(value, pointer, taker, depth);
    let isKnown = false;
    for (const [index, item] of value.entries())
      if (typeof item === "object" && this.#member(item, `${pointer}/${index}`, taker, depth + 1)) isKnown = true;
    return isKnown;
  }
}
