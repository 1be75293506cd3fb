import { parse as parseAttp } from "@toolglot/attp";
import { bindPlan, parse as parseTam } from "@toolglot/tam";
import { parse as parseToolsXml, toolsxmlProtocol } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";
import { bodyCall, oneCall, type Task, threeCalls, tools } from "../src/tokens/content.ts";
import { breakEven, costOf, promptLength } from "../src/tokens/costs.ts";
import { tokenizers } from "../src/tokens/count.ts";
import { type Form, forms } from "../src/tokens/forms.ts";
import { tokenTables } from "../src/tokens/index.ts";

const tasks = [oneCall, bodyCall, ...threeCalls];
const { attp, thinking, tam, toolsxml } = forms;
const written = (form: Form, task: Task): string[] => form.turns(task).map(({ call }) => call);

describe.each(tasks.map((task) => [task.title, task] as const))("what is counted for %s", (_, task) => {
  const wanted = task.calls.map(({ name, input }) => ({ name, input }));

  it("is in TAM what its parser reads as these calls", () => {
    const read = written(tam, task).flatMap((text) => {
      const { blocks, diagnostics } = parseTam(text, { tools });
      expect(diagnostics).toEqual([]);
      return blocks.flatMap((block) => bindPlan(block, tools).steps);
    });
    // TAM trims values; a file keeps its last line break only when that was written.
    const trimmed = (value: unknown): unknown => (typeof value === "string" ? value.trim() : value);
    const plain = (input: object): object =>
      Object.fromEntries(Object.entries(input).map(([key, value]) => [key, trimmed(value)]));
    expect(read.map(({ tool, params, errors }) => ({ name: tool, input: plain(params), errors }))).toEqual(
      wanted.map(({ name, input }) => ({ name, input: plain(input), errors: [] })),
    );
  });

  it("is in ToolsXML what its parser reads as these calls", () => {
    const read = written(toolsxml, task).flatMap((text) => {
      const { blocks, diagnostics } = parseToolsXml(text, { tools });
      expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
      return blocks.flatMap(({ calls }) => calls);
    });
    expect(read.map((call) => (call.tool === "custom" ? { name: call.name, input: call.input } : call))).toEqual(
      wanted,
    );
  });

  it("is in ATTP the task's program", () => {
    const { blocks, diagnostics } = parseAttp(written(attp, task).join("\n"), { tools });
    // Thoughts are counted apart.
    expect(diagnostics.map(({ code }) => code)).toEqual(["attp/missing-thought"]);
    expect(blocks.map(({ toolCall }) => toolCall?.status === "success" && toolCall.code.trim())).toEqual([
      task.program.code.trim(),
    ]);
    const [thought] = written(thinking, task).map((text) => parseAttp(text, { tools }));
    expect(thought?.diagnostics).toEqual([]);
    expect(thought?.blocks[0]?.toolCall).toEqual(blocks[0]?.toolCall);
  });

  it("is in native JSON these calls, each with its result", () => {
    const messages = written(forms.wire, task).map((text) => JSON.parse(text));
    const calls = messages.flatMap(({ tool_calls }) => tool_calls);
    expect(calls.map(({ function: f }) => ({ name: f.name, input: JSON.parse(f.arguments) }))).toEqual(wanted);
    const results = forms.wire.turns(task).flatMap(({ result }) => result.split("\n").map((line) => JSON.parse(line)));
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }) => id));
    expect(results.map(({ content }) => JSON.parse(content))).toEqual(task.calls.map(({ data }) => data));
    expect(written(forms.bare, task).flatMap((text) => text.split("\n").map((line) => JSON.parse(line)))).toEqual(
      wanted.map(({ name, input }) => ({ name, arguments: input })),
    );
  });
});

it("should need as many turns as each form's rules ask for", () => {
  const turns = (form: Form): number[] => threeCalls.map((task) => form.turns(task).length);
  expect([forms.wire, attp, tam, toolsxml].map(turns)).toEqual([
    [1, 3, 3],
    [1, 1, 1],
    [1, 1, 3],
    [1, 3, 3],
  ]);
});

it("should find the first time at which a longer prompt is paid for", () => {
  const [tokenizer] = tokenizers;
  if (!tokenizer) throw new Error("no tokenizer");
  const found = breakEven(bodyCall, toolsxml, forms.wire, tokenizer);
  const mine = costOf(bodyCall, toolsxml, tokenizer);
  const theirs = costOf(bodyCall, forms.wire, tokenizer);
  expect(found.longer).toBe(promptLength(toolsxml, tokenizer) - promptLength(forms.wire, tokenizer));
  expect(found.saved).toBe(theirs.written + theirs.results - mine.written - mine.results);
  expect(found.length).toBe(Math.ceil(found.longer / found.saved));
  // One call a turn: n + 1 turns read the prompt, and each exchange is read in every later one.
  const balance = (n: number): number =>
    (found.saved * n * (n + 1)) / 2 + (theirs.written - mine.written) * n - found.longer * (n + 1);
  expect(balance(found.uncached)).toBeGreaterThanOrEqual(0);
  expect(balance(found.uncached - 1)).toBeLessThan(0);
  expect(breakEven(oneCall, tam, forms.bare, tokenizer).length).toBe(Number.POSITIVE_INFINITY);
});

it("should make tables whose rows have a cell for each column", () => {
  for (const { columns, rows } of tokenTables()) {
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toHaveLength(columns.length);
      expect(row.join()).not.toMatch(/NaN|undefined/);
    }
  }
});

it("is in a history no more than 1.05 times what the model wrote, with tools that nobody marked", () => {
  const text = { type: "string" } as const;
  const declared = [
    {
      name: "write_file",
      description: "",
      inputSchema: {
        type: "object" as const,
        properties: { path: text, content: text, mode: { type: "integer" as const } },
      },
    },
  ];
  const cards = Array.from({ length: 10 }, (_, at) =>
    `<div class="card" id="c${at}">\n  <h2>Card & ${at}</h2>\n  <p>"Text" of ${at}</p>\n</div>\n`.repeat(4),
  );
  const model = cards.map(
    (content, at) =>
      `<tools>\n<write_file mode="420">\n<path>cards/${at}.html</path>\n<content><![CDATA[${content}]]></content>\n</write_file>\n</tools>`,
  );
  const protocol = toolsxmlProtocol({ prompt: { forProtocol: "toolsxml/1", build: ({ toolsText }) => toolsText } });
  const held = cards.map((content, at) => {
    const call = {
      id: "1",
      name: "write_file",
      input: { path: `cards/${at}.html`, content, mode: 420 },
      protocol: "x",
    };
    const actions = [{ kind: "calls" as const, span: { start: 0, end: 0 }, calls: [call] }];
    return protocol.formatActions(actions, { tools: declared, lossy: true });
  });
  for (const { count } of tokenizers) expect(count(held.join("\n")) / count(model.join("\n"))).toBeLessThan(1.05);
});
