import { createHash } from "node:crypto";
import type { LogEntry } from "./logs/log-reader.ts";

/** Messages that are remembered. */
const maxKnown = 100_000;
/** A message of a list of them, and not an answer to it. */
const inList =
  /(?:\/(?:request|inputs?|messages|contents|history|prompt)|[._](?:input[._]messages|prompt(?:\.messages)?))(?:\/\d+)+(?:\/kwargs|\/data|\/message)?$/;

/** Knows which messages stood in a record before: each request repeats the whole conversation so far. */
export class Repeats {
  readonly #known = new Set<string>();
  #chain = "";

  /** A list of messages begins. */
  restart(): void {
    this.#chain = "";
  }

  /** Returns the key of a message: of it and all before it. Undefined for what is no message. */
  next({ items }: LogEntry, message: Record<string, unknown>): string | undefined {
    const said = items.flatMap((item) =>
      item.type === "text" ? [item.text] : item.type === "call" ? [item.id, item.name, item.input] : [],
    );
    const content = said.length > 0 ? said : (message.content ?? message.parts);
    if (content === undefined) return undefined;
    this.#chain = createHash("sha1")
      .update(`${this.#chain}${textIn(content)}`)
      .digest("base64");
    return this.#chain;
  }

  /** Whether a message of a list was there before; it is from now on. */
  isRepeat(key: string | undefined, pointer: string, isHistory = inList.test(pointer)): boolean {
    if (key === undefined) return false;
    const isKnown = this.#known.has(key);
    if (!isKnown) this.#known.add(key);
    for (const oldest of this.#known)
      if (this.#known.size > maxKnown) this.#known.delete(oldest);
      else break;
    return isKnown && isHistory;
  }
}

/** Returns a content as JSON; what is nested deeper than a stack is like any other such thing. */
function textIn(content: unknown): string {
  try {
    return JSON.stringify(content);
  } catch {
    return "";
  }
}
