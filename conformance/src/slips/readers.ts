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
import { createParser as createToolsXmlParser, type ToolsXmlCall } from "@toolglot/toolsxml";
import type { Reading } from "./judge.ts";
import type { SlipCase, Value } from "./slip.ts";

/** Reads a case with one of this project's parsers. */
export type Reader = (slipCase: SlipCase, chunks: readonly string[]) => Reading;

export interface Ran {
  value: Value;
  span: Span;
}

/** Makes a reader of cases from a parser. `runsOf`: the calls of a block that would run. */
export function reader<Block extends BlockBase>(
  createParser: (options: ParseOptions) => Parser<Block>,
  tools: readonly ToolDefinition[],
  runsOf: (block: Block) => Ran[],
  /** Findings besides diagnostics: faults that go back to the model as the result of a call. */
  alsoSaid: (block: Block) => boolean = () => false,
): Reader {
  return ({ end }, chunks) => {
    const parser = createParser(tools.length > 0 ? { tools } : {});
    for (const chunk of chunks) parser.feed(chunk);
    const result = parser.end(end);
    const runnable = result.blocks.filter(isRunnable);
    const runs = runnable.flatMap((block) => heldRuns(result, block, runsOf(block)));
    const said = result.diagnostics.some(({ severity }) => severity !== "info") || runnable.some(alsoSaid);
    return { runs, said };
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

/** Data as it goes over a wire: records without a prototype are like others. */
const plain = (data: object): Value => JSON.parse(JSON.stringify(data)) as Value;

/** The steps that a plan runs: those without errors, up to the first that stops it. */
function stepsOf(block: TamBlock, tools: readonly ToolDefinition[]): Ran[] {
  const ran: Ran[] = [];
  for (const step of bindPlan(block, tools).steps) {
    const { tool, params, errors, onError, span } = step;
    if (errors.length === 0) ran.push({ value: plain({ tool, params }), span: span ?? block.span });
    else if (onError === "stop") break;
  }
  return ran;
}

/** Whether a call lacks what its tool requires: then the toolkit's check of the input fails it before it runs. */
function lacks(call: Partial<ToolsXmlCall>, tools: readonly ToolDefinition[]): boolean {
  if (call.tool !== "custom") return false;
  const { input, name } = call;
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  const required = typeof schema === "object" ? (schema.required ?? []) : [];
  return required.some((param) => !Object.hasOwn(input ?? {}, param));
}

/** The readers by format. */
export const readers: Readonly<Record<string, (tools: readonly ToolDefinition[]) => Reader>> = {
  attp: (tools) =>
    reader(createAttpParser, tools, ({ toolCall, span }) =>
      toolCall?.status === "success" ? [{ value: { code: toolCall.code }, span }] : [],
    ),
  tam: (tools) =>
    reader(
      createTamParser,
      tools,
      (block) => stepsOf(block, tools),
      (block) => bindPlan(block, tools).steps.some(({ errors }) => errors.length > 0),
    ),
  toolsxml: (tools) =>
    reader(
      createToolsXmlParser,
      tools,
      ({ calls }) => calls.flatMap(({ span, ...call }) => (lacks(call, tools) ? [] : [{ value: plain(call), span }])),
      ({ calls }) => calls.some((call) => lacks(call, tools)),
    ),
};
