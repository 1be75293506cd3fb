import type { Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { BlockGrammar } from "./block-grammar.ts";
import { closesFence, type FenceRange, sentIn } from "./code.ts";

/**
 * What a folded line may hold of a block, and how much it says; six and more are a block, and seven also where a fence shows other things.
 * The first group names it.
 */
export type Trace = readonly [pattern: RegExp, weight: number];

/** Different traces that stand close together and weigh so much are a block. */
const enough = 6;
/** So many lines without a trace part them. */
const apart = 6;

const begin = "^[^\\p{L}\\n<]{0,20}";

/** A pattern for words that stand as keys: `word:`, `"word" =`, at the start of a line or behind a bracket or comma. */
export const asKey = (words: string, value = ""): RegExp =>
  new RegExp(`(?:${begin}|[{,[(;][^\\p{L}\\n]{0,20})(${words})[^\\p{L}\\p{N}\\s:=：＝]{0,4}\\s{0,4}[:=：＝]${value}`, "giu");

/** A pattern for words that stand as tags, in brackets of any script, and with any prefix. */
export const asTag = (words: string): RegExp =>
  new RegExp(
    `(?:${begin}|(?<=\\S))[<＜〈《‹⟨«]\\s?(/?\\s?(?:[\\w.-]{1,20}:)?(?:${words}))(?![\\w-])[^<>\\n]{0,200}[>＞〉》›⟩»]`,
    "giu",
  );

const escapes = /\\+(?:([rnt])(?![a-z])|u00([0-9a-f]{2})|([!-/:-@[-`{-~]))|&(?:amp;)*(?:(lt)|(gt)|(quot)|#x?0*([0-9a-f]{2,3}));/gi;
const inlineCode = /(`+)[^\n]{1,400}?(?<!`)\1(?!`)/g;
const invisible = /[\u180e\u200b-\u200d\u2060\ufeff]/g;

/** A line as it was before something escaped it once, or more often; it may be several lines then. */
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

/** By the list of tools: most texts that a program reads are read with the same ones. */
const known = new WeakMap<Tools, Trace[]>();

/** Traces of calls of declared tools: one names a tool, the other an argument. */
function toolTraces(tools: Tools): Trace[] {
  let traces = known.get(tools);
  if (!traces) {
    traces = makeTraces(tools);
    known.set(tools, traces);
  }
  return traces;
}

function makeTraces(tools: Tools): Trace[] {
  const quote = (name: string): string => name.replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&");
  const any = (names: string[]): string => [...new Set(names)].slice(0, 400).map(quote).join("|");
  const names = any(tools.map(({ name }) => name));
  const params = any(
    tools.flatMap(({ inputSchema }) => Object.keys((inputSchema as { properties?: object } | undefined)?.properties ?? {})),
  );
  if (names === "" || params === "") return [];
  const named = new RegExp(`(?:${begin}|[{,[(;][^\\p{L}\\n]{0,20})(?:${key})[^\\p{L}\\p{N}\\n]{1,9}(${names})(?![\\w-])`, "giu");
  return [
    [named, 3],
    [asTag(names), 3],
    [asKey(params), 3],
    [asTag(params), 3],
  ];
}

/**
 * The first place where text looks like a block of the reader's own format that lacks its form: escaped, with signs or numbers before
 * its lines, with a prefix, in another notation. Each line is folded once, and asked for the grammar's words in the shape of a key
 * or a tag. A fence that is closed is documentation, unless it begins with such a line.
 */
export function findUnread<Block>(
  texts: readonly Segment<Block>[],
  fences: readonly FenceRange[],
  { traces: own = [], protocol }: Pick<BlockGrammar<unknown>, "traces" | "protocol">,
  tools: Tools,
): Span | undefined {
  if (own.length === 0 || protocol === "native") return undefined;
  let traces: readonly Trace[] | undefined;
  let next = 0;
  for (const segment of texts) {
    if (segment.type !== "text") continue;
    traces ??= [...own, ...toolTraces(tools)];
    const { text, span } = segment;
    const seen = new Set<string>();
    let found: Span | undefined;
    let weight = 0;
    let gap = 0;
    let at = 0;
    /** The fence at hand, and whether its first line is still to come, or it is documentation. */
    let inside: { fence: FenceRange; isFirst: boolean; shows: boolean } | undefined;
    for (const written of text.split("\n")) {
      const start = span.start + at;
      at += written.length + 1;
      while ((fences[next]?.end ?? start) < start) next += 1;
      const fence = fences[next];
      if (!fence || start < fence.body || start >= fence.end || fence.end === Infinity) inside = undefined;
      else if (inside?.fence !== fence) {
        const isFirst = fence.body >= span.start && sentIn.test(fence.info);
        inside = { fence, isFirst, shows: !isFirst };
      }
      if (written.trim() === "" || written.length > 20_000 || (fence && closesFence(written, fence))) continue;
      let gained = 0;
      // Inline code is a mention; what has its line for itself says less.
      let isCode = false;
      const plain = written.replace(inlineCode, (code) => {
        isCode = code === written.trim();
        return isCode ? code : "";
      });
      for (const line of unfold(plain).split("\n"))
        for (const [pattern, value] of traces)
          for (const { 1: name = "" } of line.matchAll(pattern)) {
            const word = `${value}${name.toLowerCase().replace(/\s/g, "")}`;
            if (seen.has(word) || (inside?.shows && value <= enough)) continue;
            seen.add(word);
            gained += value;
          }
      if (isCode) gained = Math.min(gained, enough / 2);
      if (inside?.isFirst) {
        inside.isFirst = false;
        inside.shows = gained === 0 && !/^\s*[[{(<\-#]/.test(written);
      }
      if (gained === 0) {
        gap += 1;
        if (gap <= apart) continue;
        seen.clear();
        weight = 0;
        found = undefined;
        continue;
      }
      gap = 0;
      weight += gained;
      found = { start: found?.start ?? start, end: start + written.length };
      if (weight >= enough) return found;
    }
  }
  return undefined;
}
