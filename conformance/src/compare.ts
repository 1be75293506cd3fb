import { type BlockBase, type Diagnostic, isRunnable, type ParseResult, type Segment, type Span } from "@toolglot/core";
import { show, valueDifferences } from "./values.ts";
import {
  type ExpectedBlock,
  type ExpectedDiagnostic,
  type ExpectedSegment,
  expandText,
  type Vector,
  type VectorText,
} from "./vector.ts";

/** Everything in which a result differs from what the vector expects, a sentence each. Empty: it conforms. */
export function differences<Block extends BlockBase>(
  vector: Vector,
  source: string,
  result: ParseResult<Block>,
): string[] {
  const { expect } = vector;
  const found: string[] = [];
  if (expect.blocks) {
    if (expect.blocks.length !== result.blocks.length)
      found.push(`blocks: expected ${expect.blocks.length}, got ${result.blocks.length}`);
    expect.blocks.forEach((expected, index) => {
      const block = result.blocks[index];
      if (block) found.push(...blockDifferences(expected, source, block).map((text) => `blocks[${index}].${text}`));
    });
  }
  if (expect.blockCount !== undefined && expect.blockCount !== result.blocks.length)
    found.push(`blocks: expected ${expect.blockCount}, got ${result.blocks.length}`);
  const runnable = result.blocks.filter(isRunnable).length;
  if (expect.runnable !== undefined && expect.runnable !== runnable)
    found.push(`runnable blocks: expected ${expect.runnable}, got ${runnable}`);
  if (expect.segments) found.push(...segmentDifferences(expect.segments, source, result.segments));
  found.push(...diagnosticDifferences(vector, source, result.diagnostics));
  return found;
}

function blockDifferences(expected: ExpectedBlock, source: string, block: BlockBase): string[] {
  const { status, trim, ...rest } = expected;
  const found: string[] = [];
  if (status && ![status].flat().includes(block.status))
    found.push(`status: expected ${[status].flat().join(" or ")}, got ${block.status}`);
  const actual = block as BlockBase & Record<string, unknown>;
  const context = { source, trim };
  for (const [key, value] of Object.entries(rest)) {
    if (key === "text")
      found.push(...valueDifferences(key, value, sliceOf(source, block.span), { source, trim: true }));
    else if (key.endsWith("Text")) {
      const span = actual[`${key.slice(0, -4)}Span`] as Span | undefined;
      // The one line break after an opener, which TOML drops, may be inside the span or not.
      const text = span && sliceOf(source, span).replace(/^\r?\n/, "");
      const wanted = value === null ? null : expandText(value as VectorText).replace(/^\r?\n/, "");
      found.push(...valueDifferences(key, wanted, text, context));
    } else found.push(...valueDifferences(key, value, actual[key], context));
  }
  return found;
}

function segmentDifferences<Block>(expected: ExpectedSegment[], source: string, segments: Segment<Block>[]): string[] {
  const shown = segments.filter(
    ({ type, span }) => type === "block" || withoutBom(sliceOf(source, span)).trim() !== "",
  );
  const types = (list: { type: string }[]): string => list.map(({ type }) => type).join(", ") || "none";
  if (types(expected) !== types(shown)) return [`segments: expected ${types(expected)}, got ${types(shown)}`];
  return expected.flatMap(({ text, value }, index) => {
    const segment = shown[index] as Segment<Block>;
    const pairs: [VectorText | undefined, string][] = [
      [text, withoutBom(sliceOf(source, segment.span))],
      [value, segment.type === "block" ? "" : segment.text],
    ];
    return pairs.flatMap(([wanted, actual]) =>
      wanted === undefined || expandText(wanted).trim() === actual.trim()
        ? []
        : [`segments[${index}]: expected ${show(expandText(wanted))}, got ${show(actual)}`],
    );
  });
}

function diagnosticDifferences(vector: Vector, source: string, diagnostics: Diagnostic[]): string[] {
  const { diagnostics: expected, moreDiagnostics } = vector.expect;
  const pairs = pairUp(expected, diagnostics, source);
  const found = expected
    .filter((_, index) => pairs[index] === undefined)
    .map((item) => `diagnostics: none fits ${show(item)}`);
  if (moreDiagnostics !== true) {
    const used = new Set(pairs);
    for (const diagnostic of diagnostics) {
      if (used.has(diagnostic) || (moreDiagnostics === "info" && diagnostic.severity === "info")) continue;
      if (moreDiagnostics === "same" && expected.some((item) => fits(item, diagnostic, source))) continue;
      found.push(`diagnostics: unexpected ${describe(diagnostic, source)}`);
    }
  }
  if (found.length > 0)
    found.push(`diagnostics are: ${diagnostics.map((d) => describe(d, source)).join("; ") || "none"}`);
  return found;
}

/** A different diagnostic for each expectation: a maximum matching, so that vague entries do not take exact ones. */
function pairUp(expected: ExpectedDiagnostic[], diagnostics: Diagnostic[], source: string): (Diagnostic | undefined)[] {
  const takenBy = new Map<Diagnostic, number>();
  const place = (index: number, tried: Set<Diagnostic>): boolean => {
    for (const diagnostic of diagnostics) {
      if (tried.has(diagnostic) || !fits(expected[index] as ExpectedDiagnostic, diagnostic, source)) continue;
      tried.add(diagnostic);
      const holder = takenBy.get(diagnostic);
      if (holder === undefined || place(holder, tried)) {
        takenBy.set(diagnostic, index);
        return true;
      }
    }
    return false;
  };
  expected.forEach((_, index) => {
    place(index, new Set());
  });
  const pairs: (Diagnostic | undefined)[] = expected.map(() => undefined);
  for (const [diagnostic, index] of takenBy) pairs[index] = diagnostic;
  return pairs;
}

function fits(expected: ExpectedDiagnostic, diagnostic: Diagnostic, source: string): boolean {
  const { code, severity, affects, at, touches, mentions = [] } = expected;
  return (
    (code === undefined || code === diagnostic.code) &&
    (severity === undefined || severity === diagnostic.severity) &&
    (affects === undefined || affects === diagnostic.affects) &&
    (at === undefined || at === sliceOf(source, diagnostic.span)) &&
    (touches === undefined || overlaps(source, touches, diagnostic.span)) &&
    [mentions].flat().every((part) => `${diagnostic.message} ${diagnostic.hint ?? ""}`.includes(part))
  );
}

function overlaps(source: string, text: string, { start, end }: Span): boolean {
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) {
    if (start < at + text.length && end > at) return true;
  }
  return false;
}

function describe({ code, severity, affects, span, message }: Diagnostic, source: string): string {
  return `${code} (${severity}, affects ${affects}) at ${show(sliceOf(source, span))}: ${message}`;
}

function sliceOf(source: string, { start, end }: Span): string {
  return source.slice(start, end);
}

function withoutBom(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
