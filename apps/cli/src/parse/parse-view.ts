import { type BlockBase, type Diagnostic, isRunnable, type ParseResult, type Segment } from "@toolglot/core";
import { formatDiagnostic, LineCounter } from "@toolglot/core/diagnostics";
import type { Style } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import type { CallWords } from "../words/calls.ts";

/** How a result is shown: in which colours and language, and how wide. */
interface ParseLook {
  style: Style;
  width: number;
  words: CallWords["parse"];
}

/** A result for people: each segment under a head with its place, then every finding with its line and carets. */
export function parseView(source: string, result: ParseResult<BlockBase>, { style, width, words }: ParseLook): string {
  const lines = new LineCounter(source);
  const segments = result.segments.map((segment) => segmentText(segment, lines, style));
  const findings = result.diagnostics.map((found) => findingText(source, found, lines, { style, width, words }));
  const runnable = result.blocks.filter(isRunnable).length;
  const summary = words.summary(result.blocks.length, runnable, result.diagnostics.length);
  return `${[...segments, ...findings, style.strong(summary)].join("\n\n")}\n`;
}

function segmentText(segment: Segment<BlockBase>, lines: LineCounter, style: Style): string {
  const { line, column } = lines.position(segment.span.start);
  const place = style.dim(`${line}:${column}`);
  if (segment.type !== "block") {
    return `${style.accent(segment.type)} ${place}\n${indent(segment.text.trim(), style.dim)}`;
  }
  const { status, span: _, ...content } = segment.block as BlockBase & Record<string, unknown>;
  const colour = isRunnable(segment.block) ? style.good : style.bad;
  return `${style.accent("block")} ${colour(status)} ${place}\n${indent(fields(content), style.code)}`;
}

/** The block as an outline: one line for each value, longer texts below their name. */
function fields(value: unknown, depth = 0): string {
  const pad = "  ".repeat(depth);
  return Object.entries(value as object)
    .filter(([key, item]) => !hidden.has(key) && !isEmpty(item))
    .map(([key, item]) => {
      if (typeof item === "string") {
        if (!item.includes("\n")) return `${pad}${key}: ${item}`;
        return `${pad}${key}:\n${indent(item, (text) => text, `${pad}  | `)}`;
      }
      if (typeof item === "object" && item !== null) return `${pad}${key}:\n${fields(item, depth + 1)}`;
      return `${pad}${key}: ${JSON.stringify(item)}`;
    })
    .join("\n");
}

/** Shown in another form, or twice what is shown already. */
const hidden = new Set(["span", "codeSpan", "raw", "commonRaw", "rawCode", "diagnostics"]);

function isEmpty(item: unknown): boolean {
  return item === undefined || (typeof item === "object" && item !== null && Object.keys(item).length === 0);
}

function findingText(
  source: string,
  found: Diagnostic,
  lines: LineCounter,
  { style, width, words }: ParseLook,
): string {
  const [head = "", ...rest] = formatDiagnostic(source, found, { lines, width }).split("\n");
  const colour = found.severity === "error" ? style.bad : found.severity === "warning" ? style.warn : style.dim;
  const affects = found.affects === "none" ? "" : style.dim(words.affects(found.affects));
  return [colour(head) + affects, ...rest].join("\n");
}

function indent(text: string, paint: (line: string) => string, lead = "  "): string {
  return visible(text)
    .split("\n")
    .map((line) => lead + paint(line))
    .join("\n");
}
