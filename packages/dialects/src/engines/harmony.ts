import { isSpace } from "@toolglot/internal";
import { bodyBehind, type CallHead, readerOf } from "../names/text.ts";
import { more } from "../scan/marks.ts";
import type { NameReader } from "../scan/parts.ts";

/** A header of a message of harmony. */
interface Header {
  recipient: string | undefined;
  channel: string;
  /** Of its recipient. */
  start: number;
  /** The index behind it. */
  end: number;
}

const anyWord = /[\w.:-]{1,100}/y;

/**
 * Reads a header at an index: its recipient stands in the role's part or behind the channel, the type of its content with a mark or
 * without. Undefined when there is none, `"more"` when only more text decides.
 */
function headerAt(text: string, at: number, ended: boolean): Header | "more" | undefined {
  let next = at;
  let start = at;
  let isCut = false;
  const literal = (wanted: string): boolean => {
    if (text.startsWith(wanted, next)) {
      next += wanted.length;
      return true;
    }
    if (text.length - next < wanted.length && wanted.startsWith(text.slice(next))) isCut = true;
    return false;
  };
  const word = (): string | undefined => {
    anyWord.lastIndex = next;
    const found = anyWord.exec(text)?.[0];
    next += found?.length ?? 0;
    if (next >= text.length) isCut = true;
    return found;
  };
  const space = (): void => {
    while (isSpace(text.charCodeAt(next))) next += 1;
  };
  const recipient = (): string | undefined => {
    space();
    if (!literal("to=")) return undefined;
    start = next;
    const found = word();
    space();
    return found;
  };
  const undecided = (): "more" | undefined => (isCut && !ended ? "more" : undefined);
  literal("<|start|>assistant");
  const before = recipient();
  if (!literal("<|channel|>")) return undecided();
  space();
  const channel = word();
  const behind = recipient();
  literal("<|constrain|>");
  space();
  word();
  space();
  if (!literal("<|message|>")) return undecided();
  return { recipient: behind ?? before, channel: channel ?? "", start, end: next };
}

/** Returns the index behind a header that stands before text, and vanishes; 0 when there is none, or `more`. */
export function proseHeaderAt(text: string, at: number, ended: boolean): number {
  const found = headerAt(text, at, ended);
  if (found === "more") return more;
  return found && found.recipient === undefined && found.channel !== "analysis" ? found.end : 0;
}

/** Whether the end of the text cut off the header of a message to a tool. */
const isCutHeader = (text: string, at: number): boolean =>
  /^(?:<\|start\|>assistant)?\s{0,9}(?:<\|channel\|>\s{0,9}\w{1,40}\s{1,9})?to=/.test(text.slice(at, at + 100)) &&
  text.startsWith("<|", at) &&
  headerAt(text, at, false) === "more";

function recipientAt(text: string, at: number, ended: boolean): CallHead | "more" | undefined {
  const header = headerAt(text, at, ended);
  if (!header || header === "more") return header;
  const { recipient, start, end } = header;
  return recipient === undefined ? undefined : { name: recipient, id: undefined, start, end };
}

/** The name is the recipient in a header. */
export const headerName: NameReader = {
  callAt(text, at, marks, ended) {
    const head = recipientAt(text, at, ended);
    if (head === "more") return more;
    if (!head) return ended && isCutHeader(text, at) ? 1 : 0;
    return bodyBehind(head, text, marks, ended);
  },
  read: /* @__PURE__ */ readerOf((text, at, _marks, ended) => recipientAt(text, at, ended)),
};
