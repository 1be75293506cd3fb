import { isRunnable, type ToolDefinition } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { cut } from "@toolglot/internal/testing/parsers";
import { expect, it } from "vitest";
import { bindPlan, parse } from "../src/index.ts";
import { blockOfLines, readChunks } from "./read-chunks.ts";

const start = "<|[REQUEST_TOOL]|>\n";
const end = "<|[END_TOOL]|>\n";
const size = rounds(12_000, 30_000);
const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length));
const open = (body: string): string => `${start}a:»»»${body}`;
const around = (body: string): string => blockOfLines("command:»»»T«««", `a:»»»${body}«««`);

/** Text that makes a careless parser look twice at everything. With quadratic cost these take minutes, not moments. */
const hostile: Record<string, string> = {
  openers: start + fill("a:»»»\n"),
  "openers of all families": start + fill("a:>>>\nb:»»»\nc:»>>\nd:》》》\n"),
  "openers within lines": open(fill("(b:»»» ")),
  closers: open(fill("«««\n")),
  "closers before text": open(fill("««« x\n")),
  "closers of another family": open(fill("<<<\n# x\n")),
  "values closed by another family": start + fill("a:»»»x<<<\n"),
  "end markers": open(fill(`\n${end}`)),
  "start markers": open(fill(`\n${start}`)),
  blocks: fill(start + end),
  "open blocks": fill(`${start}a:»»»x\n`),
  "open values in blocks": fill(`${start}a:»»»x\n${end}`),
  "nested fields": around(`\n${fill("b:»»»x«««\n")}`),
  "nested fields without an end": open(`\n${fill("b:»»»x«««\n")}`),
  "nested fields before text": open(`\n${fill("b:»»»x««« y\n")}`),
  "almost-closers": around(fill("«« « ")),
  marks: around(fill("<")),
  "other marks": around(fill("»")),
  "broken markers": around(fill("\n<|[END_TOOL")),
  "markers with text": around(fill("\n<|[END_TOOL]|> x")),
  colons: around(fill(": ")),
  spaces: around(`x${fill(" ")}y`),
  "line breaks after a closer": around(`««« ${fill("\n")}x`),
  fences: `\`\`\`\n${open(fill("```js\n```\n"))}`,
  "one long key": start + fill("k"),
  "stray text": start + fill("stray text\n"),
  "one line of fields": start + fill("a:»»»x««« "),
  commands: start + Array.from({ length: 2000 }, (_, at) => `command_${at}:»»»T«««\n`).join("") + end,
};

it.each(Object.entries(hostile))("%s: the same in any chunks, and no error", (_, text) => {
  const whole = readChunks([text]);
  expect(readChunks(cut(text, [1]))).toEqual(whole);
  expect(readChunks(cut(text, [8, 3]))).toEqual(whole);
});

it("holds a value of a million units", () => {
  const body = `x = <b>${"y << 2\n".repeat(150_000)}</b>`;
  const { result } = readChunks(cut(around(body), [4096]));
  expect(result.blocks[0]?.steps[0]?.params.a).toBe(body);
});

it("reads a thousand blocks", () => {
  const { result } = readChunks([`\`\`\`\n${around("x")}\`\`\`\n`.repeat(1000)]);
  expect(result.blocks.filter(isRunnable)).toHaveLength(1000);
});

it("reads unknown names at the same cost whatever is declared, and bounds what it says of them", () => {
  const declared = (count: number): ToolDefinition[] => [
    {
      name: "note",
      description: "",
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: count }, (_, at) => [`parameter_${at}`, { type: "string" }]),
        ),
      },
    },
  ];
  const keys = Array.from({ length: 2000 }, (_, at) => `paramter_${at}q:»»»x«««`).join("\n");
  const text = `<|[REQUEST_TOOL]|>\ncommand:»»»note«««\n${keys}\n<|[END_TOOL]|>`;
  const cost = (tools: ToolDefinition[]): number => {
    const started = process.cpuUsage();
    const { blocks, diagnostics } = parse(text, { tools });
    for (const block of blocks) bindPlan(block, tools);
    const { user } = process.cpuUsage(started);
    expect(diagnostics.length).toBeLessThan(50);
    expect(diagnostics.filter(({ message }) => message.includes("Did you mean")).length).toBeLessThanOrEqual(10);
    expect(blocks[0]?.steps[0]?.errors.filter(({ message }) => message.includes("Did you mean"))).toHaveLength(10);
    return user / 1000;
  };
  cost(declared(1));
  expect(cost(declared(400))).toBeLessThan(Math.max(300, 4 * cost(declared(1))));
});
