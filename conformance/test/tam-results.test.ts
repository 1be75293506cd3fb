import { readFileSync } from "node:fs";
import { isRunnable, type ToolResult } from "@toolglot/core";
import { formatResults, parse, type TamBlock, type TamStep } from "@toolglot/tam";
import { expect, it } from "vitest";

interface ExpectedStep {
  status: "ok" | "error" | "pending";
  text?: string;
  trimmed?: string;
  value?: unknown;
  starts?: string;
  error?: string[];
  taskId?: string;
  absent?: string[];
  notes?: string[];
  wellFormed?: true;
}

interface ResultVector {
  name: string;
  spec: string;
  results: ToolResult[];
  options?: { maxChars?: number };
  expect: { steps: ExpectedStep[]; maxLength?: number };
}

const file = new URL("../results/tam.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: ResultVector[] };

it.each(vectors)("writes results for the model: $name", ({ results, options, expect: wanted }) => {
  const text = formatResults(results, options);
  if (wanted.steps.length === 0) {
    expect(text).toBe("");
    return;
  }
  expect(parse(text).blocks.filter(isRunnable)).toEqual([]);
  if (wanted.maxLength !== undefined) expect(text.length).toBeLessThanOrEqual(wanted.maxLength);
  const { steps } = readBack(text, wanted.steps.length);
  expect(steps.map(({ index }) => index)).toEqual(wanted.steps.map((_, at) => at + 1));
  wanted.steps.forEach((step, at) => {
    expectStep(steps[at] as TamStep, step, text);
  });
});

it("names the request", () => {
  const result: ToolResult = { callId: "1", status: "ok", content: [], data: 1, metadata: { requestId: "req-«««1" } };
  expect(readBack(formatResults([result]), 1).requestId).toMatch(/^req-.*1$/);
});

/** The results as the steps of a block: the same grammar, so the marks and a command for each step are all it takes. */
function readBack(text: string, steps: number): TamBlock {
  const [, inner] = /^<\|\[TOOL_RESULT\]\|>\n([\s\S]*)<\|\[END_RESULT\]\|>\s*$/.exec(text) ?? [];
  expect(inner).toBeDefined();
  const commands = Array.from({ length: steps }, (_, at) => `command_${at + 1}:»»»Result«««\n`).join("");
  const { blocks, segments, diagnostics } = parse(`<|[REQUEST_TOOL]|>\n${commands}${inner}<|[END_TOOL]|>\n`);
  expect(diagnostics).toEqual([]);
  expect(segments.map(({ type }) => type)).toEqual(["block"]);
  expect(blocks.map(({ status }) => status)).toEqual(["complete"]);
  return blocks[0] as TamBlock;
}

function expectStep({ params, raw }: TamStep, wanted: ExpectedStep, whole: string): void {
  const known = new Set(["status", "result", "error", "task_id", "stdout", "stderr", "cut"]);
  expect(Object.keys(params).filter((name) => !known.has(name))).toEqual([]);
  expect(params.status).toBe(wanted.status);
  // A value of several lines may have an extra line break at each end.
  const value = raw.result?.replace(/^\n([\s\S]*)\n$/, "$1");
  if (wanted.text !== undefined) expect(value).toBe(wanted.text);
  if (wanted.trimmed !== undefined) expect(params.result?.trim()).toBe(wanted.trimmed);
  if ("value" in wanted) expect(JSON.parse(params.result as string)).toEqual(wanted.value);
  if (wanted.starts !== undefined) expect(params.result?.startsWith(wanted.starts)).toBe(true);
  if (wanted.wellFormed) expect(params.result).not.toMatch(/\p{Surrogate}/u);
  if (wanted.error) expect(params.error?.trim()).toBeTruthy();
  for (const part of wanted.error ?? []) expect(params.error).toContain(part);
  if (wanted.taskId !== undefined) expect(params.task_id).toBe(wanted.taskId);
  for (const part of wanted.notes ?? []) expect(whole).toContain(part);
  for (const name of wanted.absent ?? []) expect(params).not.toHaveProperty(name);
}
