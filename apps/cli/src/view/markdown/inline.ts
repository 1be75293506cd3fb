import type { Style } from "../style.ts";

type Paint = (text: string) => string;

/** Takes a piece of text with its look. */
export type Take = (text: string, paint: Paint) => void;

/** The looks within a line, each the same function all the time. */
export interface Looks {
  plain: Paint;
  style: Style;
}

/** Characters between the two halves of a mark. */
const farthest = 2000;

const word = /[\p{L}\p{N}]/u;

/**
 * Emits the text of one line without the marks of bold, italics, code and links, each piece with its look. Returns how much was read: all of it
 * when `isWhole`, else up to the first mark whose other half has not come yet. `before`: the character before it in its line. Marks without the other half are text; names like `snake_case` and
 * `2*3*4` have none.
 */
export function readInline(text: string, isWhole: boolean, { plain, style }: Looks, take: Take, before = " "): number {
  let at = 0;
  let from = 0;
  const flush = (): void => {
    if (at > from) take(text.slice(from, at), plain);
  };
  while (at < text.length) {
    const found = markAt(text, at, isWhole, text[at - 1] ?? before);
    if (found === "open") break;
    if (found === undefined) {
      at += 1;
      continue;
    }
    flush();
    const { kind, inner, end, url } = found;
    if (kind === "escape") take(inner, plain);
    else if (kind === "code") take(inner, style.code);
    else {
      const look = { strong: style.strong, emphasis: style.emphasis, link: style.accent }[kind];
      readInline(inner, true, { plain: over(plain, look), style }, take);
      if (url !== undefined && url !== inner) take(` (${url})`, style.dim);
    }
    at = end;
    from = end;
  }
  flush();
  return at;
}

interface Mark {
  kind: "escape" | "code" | "strong" | "emphasis" | "link";
  inner: string;
  end: number;
  url?: string;
}

/** The mark that begins at a place; `open` when its other half may be still to come. */
function markAt(text: string, at: number, isWhole: boolean, before: string): Mark | "open" | undefined {
  switch (text[at]) {
    case "\\":
      if (at + 1 === text.length) return isWhole ? undefined : "open";
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")
        ? { kind: "escape", inner: text[at + 1] ?? "", end: at + 2 }
        : undefined;
    case "`":
      return before === "`" ? undefined : codeAt(text, at, isWhole);
    case "*":
    case "_":
      return before === text[at] ? undefined : emphasisAt(text, at, isWhole, before);
    case "!":
    case "[":
      return linkAt(text, at, isWhole);
    default:
      return undefined;
  }
}

function codeAt(text: string, at: number, isWhole: boolean): Mark | "open" | undefined {
  const run = runAt(text, at);
  const isTooFar = text.length > at + farthest;
  for (let end = text.indexOf(run, at + run.length); end >= 0 && end < at + farthest; ) {
    const closing = runAt(text, end);
    if (closing === run && (isWhole || end + run.length < text.length))
      return {
        kind: "code",
        inner: text.slice(at + run.length, end).replace(/^ (.*\S.*) $/, "$1"),
        end: end + run.length,
      };
    end = text.indexOf(run, end + closing.length);
  }
  return isWhole || isTooFar ? undefined : "open";
}

function emphasisAt(text: string, at: number, isWhole: boolean, before: string): Mark | "open" | undefined {
  const mark = text[at] as string;
  const run = runAt(text, at);
  // What follows is not known yet.
  if (at + run.length === text.length) return isWhole ? undefined : "open";
  // One alone is as often a product, a wildcard (`src/*.ts`) or SQL's `COUNT(*)`.
  const isLoose = (run.length === 1 ? /[\s)\]},.;:!?/]/ : /\s/).test(text[at + run.length] ?? " ");
  const isInWord = (mark === "_" && word.test(before)) || (run.length === 1 && /[\w/]/.test(before));
  if (isLoose || isInWord || run.length > 3) return undefined;
  const isTooFar = text.length > at + farthest;
  for (
    let end = text.indexOf(run, at + run.length);
    end >= 0 && end < at + farthest;
    end = text.indexOf(run, end + 1)
  ) {
    const after = text[end + run.length];
    if (after === undefined && !isWhole) return "open";
    const fits =
      !(run.length === 1 ? /[\s\\([{/]/ : /[\s\\]/).test(text[end - 1] ?? "") &&
      after !== mark &&
      text[end - 1] !== mark;
    if (!fits || (mark === "_" && word.test(after ?? "")) || end === at + run.length) continue;
    const inner = text.slice(at + run.length, end);
    // A name of Python, as `__init__`.
    if (run === "__" && /^\w+$/.test(inner)) return undefined;
    if (run.length < 3) return { kind: run.length === 2 ? "strong" : "emphasis", inner, end: end + run.length };
    return { kind: "strong", inner: `${mark}${inner}${mark}`, end: end + run.length };
  }
  return isWhole || isTooFar ? undefined : "open";
}

const link = /^!?\[((?:[^[\]\\]|\\.)+)\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\)/;
const linkToCome = /^!?(?:\[(?:[^[\]\\]|\\.?)*(?:\](?:\([^)]*)?)?)?$/;

function linkAt(text: string, at: number, isWhole: boolean): Mark | "open" | undefined {
  const rest = text.slice(at, at + farthest);
  const [all, inner = "", url = ""] = link.exec(rest) ?? [];
  if (all !== undefined) return { kind: "link", inner, url, end: at + all.length };
  return !isWhole && rest.length < farthest && linkToCome.test(rest) ? "open" : undefined;
}

/** The same characters in a row. */
function runAt(text: string, at: number): string {
  let end = at + 1;
  while (text[end] === text[at]) end += 1;
  return text.slice(at, end);
}

const looks = new WeakMap<Paint, WeakMap<Paint, Paint>>();

/** A look over another, the same function for the same two. */
function over(below: Paint, above: Paint): Paint {
  const known = looks.get(below) ?? new WeakMap<Paint, Paint>();
  looks.set(below, known);
  const both = known.get(above) ?? ((text: string) => below(above(text)));
  known.set(above, both);
  return both;
}
