import { isObject } from "@toolglot/internal";
import { recordLists } from "../log-records.ts";
import { aiSdk } from "./ai-sdk.ts";
import { chatMessages } from "./chat-messages.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import type { LogEntry, LogReader } from "./log-reader.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { toolglot } from "./toolglot.ts";

/** All readers. A record is that of the first one that knows it; the one with the fewest marks is the last. */
const logReaders: readonly LogReader[] = [claudeCode, codex, pi, opencode, aiSdk, toolglot, geminiCli, chatMessages];

/** Receiver of what is in a record. */
export interface EntryTaker {
  /** `pointer`: of the entry's record. `isInside`: it stands in a record that holds a whole conversation. */
  entry(entry: LogEntry, pointer: string, isInside: boolean): void;
  /** The conversation that stands in one record is over. */
  conversationEnd(): void;
}

/** A message in the body of an answer of a batch stands in three records. */
const maxDepth = 4;

/** Members that hold what a reader knows: the bodies that proxies and batches keep. */
const wrappers = ["request", "response", "body"];

/** Reads records, and what is in them. The reader that knew the one before is asked first. */
export class RecordReader {
  #last: LogReader = claudeCode;

  /** Returns whether a reader knows the record. `depth`: in how many others it stands. */
  read(record: Record<string, unknown>, pointer: string, taker: EntryTaker, depth = 0): boolean {
    for (const reader of [this.#last, ...logReaders]) {
      const entry = reader === chatMessages && hasList(record) ? undefined : reader.read(record);
      if (!entry) continue;
      this.#last = reader;
      taker.entry(entry, pointer, depth > 0);
      return true;
    }
    return depth < maxDepth && this.#inside(record, pointer, taker, depth + 1);
  }

  /** A record that holds a list of records, as one request does, or bodies of requests. */
  #inside(record: Record<string, unknown>, pointer: string, taker: EntryTaker, depth: number): boolean {
    let isKnown = false;
    if (hasList(record)) {
      const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !recordLists.has(name)));
      const around = chatMessages.read(rest);
      if (around) taker.entry(around, pointer, true);
      for (const name of recordLists) {
        const list = record[name];
        if (!Array.isArray(list)) continue;
        for (const [index, item] of list.entries())
          if (isObject(item) && this.read(item, `${pointer}/${name}/${index}`, taker, depth)) isKnown = true;
      }
      taker.conversationEnd();
      return isKnown;
    }
    for (const name of wrappers) {
      const inner = record[name];
      if (isObject(inner) && this.read(inner, `${pointer}/${name}`, taker, depth)) isKnown = true;
    }
    return isKnown;
  }
}

const hasList = (record: Record<string, unknown>): boolean =>
  [...recordLists].some((name) => Array.isArray(record[name]));
