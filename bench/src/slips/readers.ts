import { createParser as createAttpParser } from "@toolglot/attp";
import {
  type BlockBase,
  type Diagnostic,
  isRunnable,
  type ParseOptions,
  type ParseResult,
  type Parser,
  type Span,
  type ToolDefinition,
} from "@toolglot/core";
import { bindPlan, createParser as createTamParser, type TamBlock } from "@toolglot/tam";
import { createParser as createToolsXmlParser } from "@toolglot/toolsxml";
import type { Reading } from "./judge.ts";
import type { Random } from "./random.ts";
import type { SlipCase, Value } from "./slip.ts";

/** Reads a case with one of this project's parsers. */
export type Reader = (slipCase: SlipCase, chunks: readonly string[]) => Reading;

interface Ran {
  value: Value;
  span: Span;
}

function reader<Block extends BlockBase>(
  createParser: (options: ParseOptions) => Parser<Block>,
  tools: readonly ToolDefinition[],
  runsOf: (block: Block) => Ran[],
): Reader {
  return ({ end }, chunks) => {
    const parser = createParser(tools.length > 0 ? { tools } : {});
    for (const chunk of chunks) parser.feed(chunk);
    const result = parser.end(end);
    const runs = result.blocks.filter(isRunnable).flatMap((block) => heldRuns(result, block, runsOf(block)));
    return { runs, said: result.diagnostics.some(({ severity }) => severity !== "info") };
  };
}

const overlap = (a: Span, b: Span): boolean => a.start <= b.end && b.start <= a.end;

/** As the agent's loop has it: a finding that affects a value holds back the calls it lies in, or all when it lies in none. */
function heldRuns<Block extends BlockBase>(
  { diagnostics, segments }: ParseResult<Block>,
  block: Block,
  ran: Ran[],
): Reading["runs"] {
  const whole = segments.find((segment) => segment.type === "block" && segment.block === block)?.span ?? block.span;
  const findings = diagnostics.filter(({ affects, span }: Diagnostic) => affects === "value" && overlap(span, whole));
  const hits = findings.map((finding) => ran.filter(({ span }) => overlap(finding.span, span)));
  const all = hits.some((hit) => hit.length === 0);
  return ran.map((one) => ({ value: one.value, held: all || hits.some((hit) => hit.includes(one)) }));
}

/** The steps that a plan runs: those without errors, up to the first that stops it. */
function stepsOf(block: TamBlock, tools: readonly ToolDefinition[]): Ran[] {
  const ran: Ran[] = [];
  for (const step of bindPlan(block, tools).steps) {
    const { tool, params, errors, onError, span } = step;
    if (errors.length === 0) ran.push({ value: { tool, params: { ...params } } as Value, span: span ?? block.span });
    else if (onError === "stop") break;
  }
  return ran;
}

/** The readers by format. */
export const readers: Readonly<Record<string, (tools: readonly ToolDefinition[]) => Reader>> = {
  attp: (tools) =>
    reader(createAttpParser, tools, ({ toolCall, span }) =>
      toolCall?.status === "success" ? [{ value: { code: toolCall.code }, span }] : [],
    ),
  tam: (tools) => reader(createTamParser, tools, (block) => stepsOf(block, tools)),
  toolsxml: (tools) =>
    reader(createToolsXmlParser, tools, ({ calls }) =>
      calls.map(({ span, ...call }) => ({ value: call as unknown as Value, span })),
    ),
};

/** A text in pieces of 1 to 12 units. */
export function cut(text: string, random: Random): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = random.between(1, 12);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}
