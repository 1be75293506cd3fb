import { asPattern } from "@toolglot/internal";
import type { Span } from "../span.ts";
import type { BlockGrammar, Trace } from "./block-grammar.ts";
import { closedFences, closesFence, type Fence, sentIn } from "./code.ts";
import type { TextSegment } from "./find-foreign.ts";

/** Different traces that stand close together and weigh so much are a block. */
const enough = 6;
/** So many lines without a trace part them. */
const apart = 6;

const begin = "^[^\\p{L}\\n<]{0,20}";

/** What a tool's declaration has for a value: the schema of it. */
const noSchema = `(?!\\s{0,9}\\{\\s{0,9}["'](?:type["']\\s{0,9}:\\s{0,9}["'](?:object|string|number|integer|boolean|array)|properties|description)["'])`;

/** Returns a pattern for words that stand as keys: `word:`, `"word" =`, at the start of a line or behind a bracket or comma. */
export const asKey = (words: string, value = ""): RegExp =>
  new RegExp(
    `(?:${begin}|[{,[(;][^\\p{L}\\n]{0,20})(${words})[^\\p{L}\\p{N}\\s:=：＝]{0,4}\\s{0,4}[:=：＝]${noSchema}${value}`,
    "giu",
  );

/** Returns a pattern for words that stand as tags, in brackets of any script, and with any prefix. */
export const asTag = (words: string): RegExp =>
  new RegExp(
    `(?:${begin}|(?<=\\S))[<＜〈《‹⟨«]\\s?(/?\\s?(?:[\\w.-]{1,20}:)?(?:${words}))(?![\\w-])[^<>\\n]{0,200}[>＞〉》›⟩»]`,
    "giu",
  );

const escapes =
  /\\+(?:(n|[rt](?![a-z]))|u00([0-9a-f]{2})|([!-/:-@[-`{-~]))|&(?:amp;)*(?:(lt)|(gt)|(quot)|#x?0*([0-9a-f]{2,3}));/gi;
const inlineCode = /(?<!`)(`{1,9})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)/g;
/** A sign that stands before each line of a quotation, a comment or a table. */
const lineSign = /^\s*([^\s\p{L}\p{N}<[({\\&"'`*]{1,3})\s/u;
const invisible = /[\u180e\u200b-\u200d\u2060\ufeff]/g;

/** Returns a line as it was before something escaped it once, or more often; it may be several lines then. */
function unfold(line: string): string {
  if (!/[\\&\u180e\u200b-\u200d\u2060\ufeff]/.test(line)) return line;
  return line.replace(invisible, "").replace(escapes, (all, control, unit, sign, lt, gt, quot, entity) => {
    if (control) return control === "n" ? "\n" : " ";
    if (unit) return String.fromCharCode(Number.parseInt(unit, 16));
    if (entity) return String.fromCharCode(Number.parseInt(entity, /#x/i.test(all) ? 16 : 10));
    return sign ?? (lt ? "<" : gt ? ">" : quot ? '"' : all);
  });
}

const key = "tool|tool_name|name|function|action|recipient_name|call";

type Tools = readonly { name: string; inputSchema?: unknown }[];

/** Traces of calls of tools that a text names: one is of the tool, the other of an argument. */
function toolTraces(tools: Tools, texts: readonly string[]): Trace[] {
  const named = tools.filter(({ name }) => name !== "" && texts.some((text) => text.includes(name))).slice(0, 20);
  const params = named.flatMap(({ inputSchema }) =>
    Object.keys((inputSchema as { properties?: object })?.properties ?? {}),
  );
  if (params.length === 0) return [];
  const any = (names: string[]): string => [...new Set(names)].slice(0, 200).map(asPattern).join("|");
  const names = any(named.map(({ name }) => name));
  const isNamed = new RegExp(
    `(?:${begin}|[{,[(;][^\\p{L}\\n]{0,20})(?:${key})[^\\p{L}\\p{N}\\n]{1,9}(${names})(?![\\w-])`,
    "giu",
  );
  const patterns = [names, any(params)].flatMap((words) => [asKey(words), asTag(words)]);
  return [isNamed, ...patterns].map((pattern) => [pattern, 3]);
}

/** Text that looks like a block. */
interface Unread extends Span {
  /** The same sign stands before all its lines: it is shown. */
  isQuoted: boolean;
}

/** A grammar's rules about text that was meant as a block. */
export type UnreadRules = Pick<BlockGrammar<unknown>, "traces" | "marks">;

/**
 * Returns the first place where text looks like a block of the reader's own format that lacks its form: escaped, with signs or numbers
 * before its lines, with a prefix, in another notation. Each line is folded once, and asked for the grammar's words in the shape of a key
 * or a tag. A fence that is closed is documentation, unless it begins with such a line.
 *
 * @param isSent A block of the message is sent: then only texts that hold a mark count.
 */
export function findUnread(
  all: readonly TextSegment[],
  fences: readonly Fence[],
  { traces: own = [], marks = /$^/ }: UnreadRules,
  tools: Tools,
  isSent: boolean,
): Unread | undefined {
  if (own.length === 0) return undefined;
  const texts = isSent ? all.filter(({ text }) => marks.test(text)) : all;
  if (texts.length === 0) return undefined;
  const called = isSent
    ? []
    : toolTraces(
        tools,
        texts.map(({ text }) => text),
      );
  const reader = new TraceReader([...own, ...called], fences);
  for (const { text, span } of texts) {
    const found = reader.read(text, span.start);
    if (found) return found;
  }
  return undefined;
}

/** What every trace holds. */
const hasSign = /[<＜〈《‹⟨«»「『:=：＝&\\[{']/;

/** The fence at hand. */
interface FencePlace {
  fence: Fence;
  /** Its first line is still to come. */
  isFirst: boolean;
  /** It is documentation. */
  shows: boolean;
}

class TraceReader {
  readonly #traces: readonly Trace[];
  readonly #fenceAt: (offset: number) => Fence | undefined;
  #inside: FencePlace | undefined;

  constructor(traces: readonly Trace[], fences: readonly Fence[]) {
    this.#traces = traces;
    this.#fenceAt = closedFences(fences);
  }

  /** Reads a text that begins at an offset. */
  read(text: string, offset: number): Unread | undefined {
    let seen = new Set<string>();
    let found: Unread | undefined;
    let sign: string | undefined;
    let weight = 0;
    let gap = 0;
    let at = 0;
    for (const line of text.split("\n")) {
      const start = offset + at;
      at += line.length + 1;
      if (!hasSign.test(line) || line.length > 20_000) {
        if (line.trim() === "") continue;
        gap += 1;
        const inside = this.#enter(start, offset);
        if (inside?.isFirst) {
          inside.isFirst = false;
          inside.shows = true;
        }
        continue;
      }
      if (gap > apart) {
        seen = new Set();
        weight = 0;
        found = undefined;
      }
      const gained = this.#weigh(line, start, offset, seen);
      gap = gained > 0 ? 0 : gap + 1;
      if (gained === 0) continue;
      weight += gained;
      const own = lineSign.exec(line)?.[1];
      sign = found ? (sign === own ? own : undefined) : own;
      found = { start: found?.start ?? start, end: start + line.length, isQuoted: sign !== undefined };
      if (weight >= enough) return found;
    }
    return undefined;
  }

  /** Returns what the traces of a line weigh that were not seen yet. */
  #weigh(written: string, start: number, offset: number, seen: Set<string>): number {
    const inside = this.#enter(start, offset);
    if (inside && closesFence(written, inside.fence)) return 0;
    // Inline code is a mention; what has its line for itself is weaker evidence.
    let isCode = false;
    const plain = written.replace(inlineCode, (code) => {
      isCode = code === written.trim();
      return isCode ? code : "";
    });
    let gained = 0;
    for (const line of unfold(plain).split("\n"))
      for (const [pattern, value] of this.#traces)
        for (const { 1: name = "" } of line.matchAll(pattern)) {
          const word = `${value}${name.toLowerCase().replace(/\s/g, "")}`;
          if (seen.has(word) || (inside?.shows && value <= enough)) continue;
          seen.add(word);
          gained += value;
        }
    if (inside?.isFirst) {
      inside.isFirst = false;
      inside.shows = gained === 0 && !/^\s*[[{(<\-#]/.test(written);
    }
    return isCode ? Math.min(gained, enough / 2) : gained;
  }

  #enter(start: number, offset: number): FencePlace | undefined {
    const fence = this.#fenceAt(start);
    if (!fence) this.#inside = undefined;
    else if (this.#inside?.fence !== fence) {
      const isFirst = fence.body >= offset && sentIn.test(fence.info);
      this.#inside = { fence, isFirst, shows: !isFirst };
    }
    return this.#inside;
  }
}
