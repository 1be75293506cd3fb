import { behindSpace, more } from "../scan/marks.ts";
import type { RunHeader } from "../scan/parts.ts";

const anyName = /[\w.:-]{1,100}/y;

/** Returns what finds the header of a run, which has a `{name}` in it. Its first word may stand in the prompt. */
export function runHeader(header: string): RunHeader {
  const [whole = "", behind = ""] = header.split("{name}");
  const short = whole.slice(whole.lastIndexOf(" ") + 1);
  const endAt = (text: string, at: number, ended: boolean): number => {
    const start = behindSpace(text, at);
    const before = text.startsWith("<", start) ? whole : short;
    const begun = text.slice(start, start + before.length);
    if (begun !== before) return !ended && begun.length < before.length && before.startsWith(begun) ? more : 0;
    anyName.lastIndex = start + before.length;
    const name = anyName.exec(text)?.[0].length ?? 0;
    const next = start + before.length + name;
    const rest = text.slice(next, next + behind.length);
    if (rest !== behind) return !ended && rest.length < behind.length && behind.startsWith(rest) ? more : 0;
    return next + behind.length;
  };
  return { befores: [whole, short], endAt };
}
