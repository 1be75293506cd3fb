import { lineEnd, matchAt, matchesOf } from "@toolglot/internal";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { BlockGrammar } from "./block-grammar.ts";
import { closedFences, type Fence, inlineCodeIn } from "./code.ts";
import type { Source } from "./source.ts";
import { resultMarker, turnLabel, turnToken } from "./text-marks.ts";

/** What only the host writes, and the model wrote. */
export interface Fabricated extends Span {
  kind: "result" | "turn";
}

/** A line such as `Name: value`, or one that introduces some. */
const listLine = /^[ \t]*(?:[-*+|>] ?)?[\p{L}\w ./()-]{1,40}[:：=]/u;
/** Findings about text whose end was a guess, or that no value took in. */
const movesEnd = /stray|unclosed|truncated|missing-root|unknown-tag/;
/** Those of text between the calls of a block. */
const isBetween = /stray-text|unknown-tag/;

/** Returns where the last call of a block begins: a result before it, also within the block, is one that the model made up. */
export function lastCallOf<Block extends BlockBase>(grammar: BlockGrammar<Block>, block: Block): number {
  return grammar.lastCall?.(block) ?? block.span.start;
}

/**
 * Turns that the model wrote itself, in the text of a whole message, and results and turns that damaged blocks took in, or that stand
 * between the calls of a block. In inline code, and in fences that are closed, they are mentions. In order.
 */
export function findFabricated<Block extends BlockBase>(
  segments: readonly Segment<Block>[],
  fences: readonly Fence[],
  diagnostics: readonly Diagnostic[],
  source: Pick<Source, "slice">,
  grammar: BlockGrammar<Block>,
): Fabricated[] {
  const doubtful = diagnostics
    .filter(({ affects, code }) => affects === "value" || movesEnd.test(code))
    .sort((a, b) => a.span.start - b.span.start);
  const found: Fabricated[] = [];
  const last = segments.findLast(({ type }) => type === "block")?.span.start ?? -1;
  const fenceAt = closedFences(fences);
  let doubt = 0;
  /** Nothing but white space and reasoning came so far. */
  let begins = true;
  let afterBlock = false;
  /** The last lines of the block before, if they are comments or headings: a label may look like one. */
  let tail = "";
  for (const segment of segments) {
    const { type, span } = segment;
    if (type === "block") {
      while ((doubtful[doubt]?.span.end ?? span.start) < span.start) doubt += 1;
      const next = doubtful[doubt];
      if (next && next.span.start <= span.end && span.start < last)
        found.push(...swallowed(source.slice(span.start, span.end), span.start));
      const lastCall = lastCallOf(grammar, segment.block);
      for (let at = doubt; (doubtful[at]?.span.start ?? lastCall) < lastCall; at += 1) {
        const { code, span } = doubtful[at] as Diagnostic;
        if (isBetween.test(code))
          found.push(...swallowed(source.slice(span.start, Math.min(span.end, lastCall)), span.start, true));
      }
      begins = false;
      afterBlock = true;
      tail = lastLines.exec(source.slice(Math.max(span.start, span.end - 200), span.end))?.[0] ?? "";
    }
    if (type !== "text") continue;
    const text = tail + segment.text;
    const offset = span.start - tail.length;
    tail = "";
    const turns = marksOf(text, span.start < last, afterBlock).map((mark): Fabricated => ({ kind: "turn", ...mark }));
    // Of other texts, the lines were looked at.
    const results = grammar.whole ? swallowed(text, 0).filter(({ kind }) => kind === "result") : [];
    for (const { kind, start, end } of [...turns, ...results].sort((a, b) => a.start - b.start)) {
      if ((begins && text.slice(0, start).trim() === "") || fenceAt(offset + start)) continue;
      found.push({ kind, start: offset + start, end: offset + end });
    }
    begins &&= text.trim() === "";
  }
  return found;
}

/** A short line that a colon ends, a heading, or a line that begins with signs. */
const hasLabel = /(?:^|\n)(?:[^\n:：]{1,60}[:：]|[^\p{L}\n>|`]{0,24}[#=~<[【-])/u;
const lastLines = /(?:\n[ \t]*(?:#|\[[^[\]\n]*\]$)[^\n]*)+\s*$(?![\s\S])/m;
/** Three words, or a sentence: what somebody says, and no name. */
const says = /^\s*(?:\S+[ \t]+\S+[ \t]+\S|[^\n]{2,}[.!?。！？]\s*(?:\n|$)|[\u3040-\u9fff]{4})/;

/** Returns what a text holds of marks that begin a turn, in order. Labels in words count where a block may follow. */
function marksOf(text: string, mayPrecede: boolean, afterBlock: boolean): Span[] {
  const found: Span[] = mayPrecede && hasLabel.test(text) ? labelsOf(text, afterBlock) : [];
  if (!text.includes("<") && !text.includes("[")) return found;
  const isCode = inlineCodeIn(text);
  for (const { 0: token, index } of matchesOf(turnToken, text))
    if (!isCode(index)) found.push({ start: index, end: index + token.length });
  return found.sort((a, b) => a.start - b.start);
}

/**
 * Labels of a turn in words. Those of a user and of other speakers count unless they are entries of a list, or names; those in doubt
 * when the assistant's follows. Of others those behind a block count, or behind the user's.
 */
function labelsOf(text: string, afterBlock: boolean): Span[] {
  const found: Span[] = [];
  let doubtful: Span | undefined;
  for (const { 0: label, 1: before = "", 2: user, 3: assistant, 4: speaker, index } of matchesOf(turnLabel, text)) {
    const span = { start: index + label.search(/\S/), end: index + label.trimEnd().length };
    if (user || (speaker && !afterBlock)) {
      const isSure = afterBlock || !isEntry(text, index, lineEnd(text, index));
      if (isSure && (user || (says.test(text.slice(index + label.length)) && !before.includes("#")))) found.push(span);
      else doubtful ??= span;
    } else if (assistant) {
      if (doubtful) found.push(doubtful);
      doubtful = undefined;
      if (afterBlock && assistant.length > 1) found.push(span);
    } else if (afterBlock) found.push(span);
  }
  return found;
}

/** Whether a line is one of several such as `Name: value`. */
function isEntry(text: string, start: number, end: number): boolean {
  const before =
    text
      .slice(Math.max(0, start - 300), start)
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  const behind = text.slice(end + 1, end + 300).split("\n", 1)[0] as string;
  return (listLine.test(before) && !/[.?!。？！]$/.test(before)) || listLine.test(behind);
}

/** Results and turns on lines of their own in the text of a block; in words where no value can stand. */
function swallowed(text: string, offset: number, inWords = false): Fabricated[] {
  const found: Fabricated[] = [];
  const add = (kind: Fabricated["kind"], index: number, length: number): void => {
    found.push({ kind, start: offset + index, end: offset + index + length });
  };
  if (inWords) for (const { 0: label, index } of matchesOf(turnLabel, text)) add("turn", index, label.length);
  for (const { 0: blank, index } of matchesOf(/^[^\S\n]*[[<]/gm, text)) {
    const start = index + blank.length - 1;
    const line = text.slice(start, Math.min(lineEnd(text, start), start + 200));
    const length = resultMarker(line, true);
    const turn = matchAt(turnToken, line, 0);
    if (typeof length === "number") add("result", start, length);
    else if (turn?.index === 0) add("turn", start, turn[0].length);
  }
  return found.sort((a, b) => a.start - b.start);
}
