import { isRunnable } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/index.ts";
import { read, readChunks, readTools } from "./read-chunks.ts";

const ls = { tool: "command", script: "ls" };
const block = "<tools>\n<command>ls</command>\n</tools>";

describe("finding blocks", () => {
  it.each([
    ["alone", block],
    ["on one line", "<tools><command>ls</command></tools>"],
    ["in prose", "I list: <tools><command>ls</command></tools> and wait."],
    ["fenced", `Now:\n\`\`\`xml\n${block}\n\`\`\`\nDone.`],
    ["fenced behind a prolog", `\`\`\`xml\n<?xml version="1.0"?>\n${block}\n\`\`\``],
    ["in other case", "<TOOLS><Command>ls</COMMAND></Tools >"],
    ["with white space in tags", "< tools >< command >ls</command ></ tools>"],
    ["behind a byte order mark", `\ufeff${block}`],
    ["behind reasoning", `<think>I could run <tools><command>rm x</command></tools></think>${block}`],
    ["with attributes on the root", '<tools version="1" note="a>b"><command>ls</command></tools>'],
  ])("%s", (_, text) => {
    expect(read(text)).toMatchObject({ status: "complete", calls: [ls] });
  });

  it.each([
    "Use the <tools> tag.",
    "`<tools><command>ls</command></tools>`",
    "The <tools> element: a root.",
    "<toolset><command>ls</command></toolset>",
    "```python\nx = 1\n<tools><command>ls</command></tools>\n```",
  ])("leaves text as text: %j", (text) => {
    expect(parse(text).blocks).toEqual([]);
    expect(parse(text).segments).toMatchObject([{ type: "text", text }]);
  });

  it("keeps prose between blocks, with spans", () => {
    const text = `a\n${block}\nb <tools><ctrl>c</ctrl></tools> c`;
    const { segments, blocks } = parse(text);
    expect(blocks.map(({ calls }) => calls.length)).toEqual([1, 1]);
    expect(segments.map(({ span }) => text.slice(span.start, span.end))).toEqual([
      "a\n",
      block,
      "\nb ",
      "<tools><ctrl>c</ctrl></tools>",
      " c",
    ]);
  });

  it("marks a block behind a result that the model made up, also within a line", () => {
    const { blocks, diagnostics } = parse(`${block}\n<results>\n</results>\nso <tools><command>rm x</command></tools>`);
    expect(blocks.map(isRunnable)).toEqual([true, false]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["core/fabricated-result", "core/shown-block"]);
  });

  it.each([
    "<tool_response>\nok\n</tool_response>",
    "<tool_response>\nok",
    "[tool_result]\nok",
    "Result: ok",
    "**Output:**\nok",
    "结果：成功",
    "<|im_start|>user\nyes",
    "User: yes",
    "<function_results>ok</function_results>",
  ])("marks a block whose second call stands behind a made-up %j", (result) => {
    const text = `<tools>\n<command>ls</command>\n${result}\n<command>rm x</command>\n</tools>`;
    const read = readChunks([text]).result;
    expect(read.blocks.map((one) => [one.calls.length, one.afterFabricatedResult])).toEqual([[2, true]]);
    expect(read.diagnostics.map(({ code }) => code)).toContainEqual(expect.stringMatching(/^core\/fabricated-/));
    for (const size of [1, 7]) expect(readChunks(cut(text, [size])).result).toEqual(read);
    const [last] = parse(text.replace("<command>rm x</command>\n", "")).blocks;
    expect(last?.afterFabricatedResult).toBeUndefined();
  });

  it("takes words of results in a call, and other words between calls, for what they are", () => {
    for (const inner of [
      "<command>echo 'a\n[tool_result]\nResult: x'</command>\n<command>b</command>",
      "<command>a</command>\nThe results are used next\n<command>b</command>",
      "<command>a</command>\n<!--\nResult: x\n-->\n<command>b</command>",
    ])
      expect(parse(`<tools>\n${inner}\n</tools>`).blocks.map((one) => [one.calls.length, isRunnable(one)])).toEqual([
        [2, true],
      ]);
  });

  it("is complete without calls", () => {
    const { blocks } = parse("<tools>\n<!-- nothing to do -->\n</tools>");
    expect(blocks).toMatchObject([{ status: "complete", calls: [], comments: [{ text: "nothing to do" }] }]);
  });
});

describe("a block that ends early", () => {
  it.each([
    ["<tools>\n<command>ls</command>", "recovered", [ls], undefined],
    ["<tools>\n<command>ls</command>\n<edit><file src='a'>", "recovered", [ls], "edit"],
    ["<tools>\n<command>ls</command>\n<comm", "recovered", [ls], "comm"],
    ["<tools>\n<command>ls", "truncated", [], "command"],
    ["<tools>\n", "truncated", [], undefined],
    ['<tools>\n<command>echo "</command>" > a', "truncated", [], "command"],
  ] as const)("%j is %s", (text, status, calls, cutCall) => {
    const { blocks, diagnostics } = parse(text);
    expect(blocks).toMatchObject([{ status, calls }]);
    expect(blocks[0]?.truncatedCall?.name).toBe(cutCall);
    expect(diagnostics).toMatchObject([{ code: "toolsxml/truncated", severity: "error" }]);
  });

  it("never runs when the length was reached, or repairs are off", () => {
    const text = "<tools>\n<command>ls</command>\n";
    expect(readChunks([text], {}, { finish: "length" }).result.blocks).toMatchObject([{ status: "truncated" }]);
    expect(parse(text, { strict: true }).blocks).toMatchObject([{ status: "truncated" }]);
    expect(parse(text, { repairs: { "toolsxml/truncated": false } }).blocks).toMatchObject([{ status: "truncated" }]);
  });

  it("is complete when the provider stripped its closing tag", () => {
    const { result } = readChunks(["<tools>\n<command>ls</command>\n"], {}, { stopSequence: "</tools>" });
    expect(result).toMatchObject({ blocks: [{ status: "complete", calls: [ls] }], diagnostics: [] });
  });

  it("ends at the fence around it, at a result and at another block", () => {
    for (const behind of ["```\nDone", "<results></results>", "<tools><ctrl>c</ctrl></tools>"]) {
      const { blocks } = parse(`\`\`\`xml\n<tools>\n<command>ls</command>\n${behind}`);
      expect(blocks[0]).toMatchObject({ status: "recovered", calls: [ls] });
    }
  });
});

describe("what is between calls", () => {
  it("skips text, and says so", () => {
    const { status, calls, codes } = readTools("<command>ls</command>\nThen where we are:\n<command>pwd</command>");
    expect(calls).toEqual([ls, { tool: "command", script: "pwd" }]);
    expect({ status, codes }).toEqual({ status: "recovered", codes: ["toolsxml/stray-text"] });
    expect(readTools("<ctrl>c</ctrl> x", { repairs: "none" }).status).toBe("invalid");
  });

  it("lists the known tags for one that is not known, and keeps the right calls", () => {
    const { blocks, diagnostics } = parse("<tools><comand>rm x</comand><command>ls</command></tools>");
    expect(blocks).toMatchObject([{ status: "invalid", calls: [ls] }]);
    expect(diagnostics).toMatchObject([{ code: "toolsxml/unknown-tag", severity: "error" }]);
    expect(diagnostics[0]?.hint).toMatch(/^Did you mean <command>\? Known: <command> <edit> .*<mcp>/);
  });

  it("closes an edit that is not closed", () => {
    const { status, calls, codes } = readTools(
      "<edit><file src='a'><find>1</find><replace>2</replace></file>\n<command>ls</command>",
    );
    expect(calls).toMatchObject([{ tool: "edit" }, ls]);
    expect({ status, codes }).toEqual({ status: "recovered", codes: ["toolsxml/unclosed-tag"] });
  });

  it("reads a command without its closing tag, as a repair of a value", () => {
    const { blocks, diagnostics } = parse("<tools>\n<command>ls\n<ctrl>c</ctrl>\n</tools>");
    expect(blocks[0]?.calls).toMatchObject([ls, { tool: "ctrl", key: "c" }]);
    expect(diagnostics).toMatchObject([{ code: "toolsxml/unclosed-tag", affects: "value" }]);
  });
});

describe("the envelope", () => {
  it("gives reply as text and reads tools", () => {
    const text = '{"reply": "I \\"list\\".", "tools": "<tools><command>echo \\"a\\" &amp;</command></tools>"}';
    const { segments, blocks, diagnostics } = parse(text);
    expect(segments.map((segment) => (segment.type === "text" ? segment.text : segment.type))).toEqual([
      'I "list".',
      "block",
    ]);
    expect(blocks[0]?.calls).toMatchObject([{ script: 'echo "a" &' }]);
    const { start, end } = blocks[0]?.span ?? { start: 0, end: 0 };
    expect(text.slice(start, end)).toMatch(/^<tools>.*<\/tools>$/);
    expect(blocks[0]?.calls[0]?.span).toEqual({ start, end });
    expect(diagnostics).toMatchObject([{ code: "toolsxml/entities-decoded" }]);
  });

  it("may be fenced, come tools first, and hold several blocks", () => {
    const { blocks, segments } = parse(
      '```json\n{"tools": "<tools><ctrl>c</ctrl></tools> x <tools><ctrl>d</ctrl></tools>", "reply": "r"}\n```\n',
    );
    expect(blocks.map(({ calls }) => calls.length)).toEqual([1, 1]);
    expect(segments.map(({ type }) => type)).toEqual(["block", "text", "block", "text"]);
  });

  it("is reported when its JSON had to be repaired", () => {
    const { calls, codes } = read('{"reply": "a\nb", "tools": "<tools>\n<command>ls</command>\n</tools>"}');
    expect({ calls, codes }).toEqual({ calls: [ls], codes: ["toolsxml/json-envelope"] });
  });

  it("that is cut off does not run what it would not run whole", () => {
    const text =
      '{"reply": "<tools><command>rm x</command></tools>", "tools": "<tools><command>ls -l</command></tools>"}';
    for (let end = 0; end < text.length; end += 1) {
      const scripts = parse(text.slice(0, end))
        .blocks.filter(isRunnable)
        .flatMap(({ calls }) => calls);
      for (const call of scripts) expect(call).toMatchObject({ script: "ls -l" });
    }
  });

  it.each(['{"reply": 1}', '{"a": 1}', '{"reply": "x", "tools": {"a": 1}}', "{", '{"tools": ['])(
    "is none: %j stays text",
    (text) => {
      expect(parse(text).segments).toEqual([{ type: "text", text, span: { start: 0, end: text.length } }]);
    },
  );
});

it("refuses what a caller can't mean", () => {
  expect(() => createParser({ maxInputLength: -1 })).toThrow(TypeError);
  expect(() => parse(1 as unknown as string)).toThrow(TypeError);
  const parser = createParser();
  parser.end();
  expect(() => parser.feed("a")).toThrow(/reset/);
});

it("runs nothing of a text that is too long", () => {
  const { blocks, diagnostics } = parse(block.repeat(9), { maxInputLength: 60 });
  expect(blocks.some(isRunnable)).toBe(false);
  expect(diagnostics.at(-1)).toMatchObject({ code: "toolsxml/input-too-long" });
});
