import { asPattern } from "@toolglot/internal";
import type { Span } from "../span.ts";
import { callFormats, type TextProtocol } from "./call-formats.ts";

/** How closers of other formats look at the end of a text: elements and words in brackets by name, special tokens by their shape. */
interface Closers {
  element: RegExp;
  bracket: RegExp;
  token: RegExp;
}

const known = new Map<TextProtocol, Closers>();

/** No closer is longer. */
const longest = 160;

function closersOf(own: TextProtocol): Closers {
  const before = known.get(own);
  if (before) return before;
  const formats = callFormats.filter(({ protocol }) => protocol !== own);
  const marks = formats.flatMap(({ marks, close = [] }) => [...marks.flatMap(({ open }) => open), ...close]);
  const named = (shape: RegExp): string =>
    [...new Set(marks.flatMap((open) => shape.exec(open)?.[1]?.toLowerCase() ?? []))].map(asPattern).join("|");
  const prefix = "(?:[\\w-]{1,40}[:|]|[|｜]{1,2}\\w{1,40}[|｜]{1,2})?";
  const lone = formats.flatMap(({ close = [] }) => close.filter((mark) => !mark.startsWith("</")).map(asPattern));
  const made: Closers = {
    element: new RegExp(`</\\s{0,9}(${prefix}(?:${named(/^<\/?(?:\w+[:|])?(\w+)/)}))(?::\\w{0,16})?\\s{0,9}>$`, "i"),
    bracket: new RegExp(`\\[/(${named(/^\[(\w+)\]$/)})\\]$`, "i"),
    token: new RegExp(`(?:<(?:[|｜]|end_)[^<>[\\n]{1,60}>|<[\\w/]{1,60}[|｜]>|${lone.join("|")})$`, "i"),
  };
  known.set(own, made);
  return made;
}

/**
 * Returns the closers of other call formats that a value ends with, and that nothing in it opens, as indices; undefined when there are
 * none. Models close what they were trained on by habit, at the end of a long value, and then close what they are writing.
 *
 * Give it a value as it was written: a closer that is escaped, or parted over two sections of CDATA, was meant.
 *
 * @param own The reader's own protocol, whose closers are none here.
 */
export function foreignCloser(text: string, own: TextProtocol): Span | undefined {
  let end = text.trimEnd().length;
  if (!/[>\]]$|>{5,7} ?REPLACE$/.test(text.slice(Math.max(0, end - longest), end))) return undefined;
  const { element, bracket, token } = closersOf(own);
  const last = end;
  const found: { name: string | undefined; shape: string; start: number }[] = [];
  for (;;) {
    const tail = text.slice(Math.max(0, end - longest), end);
    const match = element.exec(tail) ?? bracket.exec(tail) ?? token.exec(tail);
    if (!match) break;
    const start = end - match[0].length;
    found.push({ name: match[1], shape: match[0].charAt(0), start });
    end = text.slice(0, start).trimEnd().length;
  }
  // A text of nothing else is about them.
  if (end === 0) return undefined;
  const looked = new Map<string, boolean>();
  const isOpened = (name: string, shape: string): boolean => {
    const key = shape + name.toLowerCase();
    let opened = looked.get(key);
    if (opened === undefined) {
      const count = (mark: string): number =>
        text.match(new RegExp(`${asPattern(shape)}${mark}${asPattern(name)}(?![\\w-])`, "gi"))?.length ?? 0;
      opened = count("") >= count("/");
      looked.set(key, opened);
    }
    return opened;
  };
  // A token before the last ones shows a text that is about tokens.
  const tokens = (): boolean => /<(?:[|｜]|start_)|<{5,7} ?SEARCH/.test(text.slice(0, end));
  const start = found
    .filter(({ name, shape }) => !(name === undefined ? tokens() : isOpened(name, shape)))
    .at(-1)?.start;
  return start === undefined ? undefined : { start, end: last };
}
