import type { EndOptions } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, parse, type TamParserOptions } from "../src/index.ts";
import { blockOfLines, readChunks } from "./read-chunks.ts";

const start = "<|[REQUEST_TOOL]|>\n";
const end = "<|[END_TOOL]|>\n";
const command = "command:»»»T«««\n";

/** Findings as code, severity, what they affect, and the text they lie on. */
function findings(text: string, options: TamParserOptions = {}, how?: EndOptions): string[] {
  const parser = createParser(options);
  parser.feed(text);
  const { diagnostics } = parser.end(how);
  return diagnostics.map(({ code, severity, affects, span }) =>
    [code.slice(4), severity, affects, text.slice(span.start, span.end)].join(" | "),
  );
}

describe("a call outside of all blocks", () => {
  it.each([
    ["a start marker with another letter", `<|[REQUEST_TOL]|>\n${command}${end}`],
    ["no pipes", `<[REQUEST_TOOL]>\n${command}${end}`],
    ["no start marker", `I write it.\n\n${command}a:»»»x«««\n${end}`],
    ["a fence", `\`\`\`xml\n${command}${end}\`\`\`\n`],
    ["an end marker behind a closer", `a:»»»x«««${end}`],
    ["an end marker alone", end],
    ["no marker at all", command],
    ["fields behind the start marker", `I run: <|[REQUEST_TOOL]|>command:»»»T«««<|[END_TOOL]|>\n`],
    ["text behind the start marker", "<|[REQUEST_TOOL]|> now\n"],
    ["line ends of Windows", `<|REQUEST_TOOL|>\r\n${command}\r\n<|[END_TOOL]|>\r\n`],
    ["a block before it", `${start}${command}${end}\n<|REQUEST_TOOL|>\n${command}${end}`],
  ])("is said: %s", (_, text) => {
    const { blocks, diagnostics } = parse(text);
    const own = blocks.length > 0 ? ["complete"] : [];
    expect(blocks.map(({ status }) => status)).toEqual(own);
    expect(diagnostics.map(({ code, severity, affects }) => [code, severity, affects])).toEqual([
      ["tam/unopened-block", "error", "structure"],
    ]);
    expect(readChunks(cut(text, [1]))).toEqual(readChunks([text]));
  });

  it("spans what is left of it", () => {
    expect(findings(`Now:\n<|REQUEST_TOOL|>\n${command}a:»»»x«««\n${end}Done.\n`)).toEqual([
      `unopened-block | error | structure | ${command}a:»»»x«««\n${end.trim()}`,
    ]);
  });

  it.each([
    ["inline code", "A block begins with `<|[REQUEST_TOOL]|>` and ends with `<|[END_TOOL]|>`, fields are `command:»»»T«««`."],
    ["a sentence", "It begins with <|[REQUEST_TOOL]|> and ends with <|[END_TOOL]|>, as in command:»»»T«««."],
    ["reasoning", `<think>\n${command}${end}</think>\nNo.\n`],
    ["an end marker written twice", `${start}${command}${end}\n${end}`],
  ])("is not seen in %s", (_, text) => {
    expect(findings(text)).toEqual([]);
  }); // biome-ignore format: one case a line
});

describe("a block that may be text of a value", () => {
  const doubt = (text: string): string => `ambiguous-delimiter | warning | value | ${text}`;

  it("stands behind a value that is not closed, and so may all that follow", () => {
    const inner = `${start}command:»»»Shell«««\n${end}`;
    const text = `${start}${command}a:»»»\nA call:\n${inner}so (b:»»») it is\n${inner}`;
    const { blocks } = parse(text);
    expect(blocks.map(({ status }) => status)).toEqual(["truncated", "recovered", "recovered"]);
    expect(findings(text).slice(2)).toEqual([doubt(inner.trim()), doubt(inner.trim())]);
  });

  it("stands before an end marker too many", () => {
    const text = `${start}${command}a:»»»A call:\n«««\n${start}b:»»»x«««\n${command}${end}so\n«««\n${end}`;
    const { blocks } = parse(text);
    expect(blocks.map(({ status }) => status)).toEqual(["recovered", "recovered"]);
    expect(findings(text)).toContain(doubt(text.trimEnd()));
    expect(parse(text, { strict: true }).blocks.map(({ status }) => status)).toEqual(["invalid", "invalid"]);
  });

  it("was ended by a fence in it", () => {
    const block = `${start}${command}a:»»»\nx\n«««\n\`\`\`\n«««\n${end}`;
    expect(findings(`\`\`\`\n${block}\`\`\`\n`)).toContain(doubt(block.trimEnd()));
  });

  it("is none behind a block that only lacks its end marker", () => {
    expect(findings(`${start}${command}a:»»»x«««\n${start}${command}${end}`)).toEqual([
      `unclosed-block | warning | structure | ${start}${command}a:»»»x«««`,
    ]);
  });
});

describe("delimiters that do not answer each other", () => {
  it.each([
    ["»»x«««", "»»x«««", "x"],
    ["»»'x«««", "»»'x«««", "'x"],
    ["»»»x_««", "««", "x_"],
    ["»»»x<<<", "<<<", "x"],
    [">>>x«««", ">>>x«««", "x"],
  ])("put the value in doubt: %s", (field, place, value) => {
    const text = `${start}${command}a:${field}\n${end}`;
    expect(parse(text).blocks[0]?.steps[0]?.params.a).toBe(value);
    expect(findings(text)).toEqual([`mixed-delimiters-used | warning | value | ${place}`]);
    expect(parse(text, { strict: true }).blocks[0]?.status).toBe("invalid");
  });

  it.each([
    ["on a line of its own", "a:»»»x«««\n«««\nb:»»»y«««\n"],
    ["on the same line", "a:»»»x««« «««\nb:»»»y«««\n"],
  ])("put the value in doubt: a closer twice, %s", (_, fields) => {
    expect(findings(`${start}${command}${fields}${end}`)).toEqual(["ambiguous-delimiter | warning | value | «««"]);
  });

  it("may stand right before the end marker", () => {
    for (const [opener, closer] of ["»»» «««", ">>> <<<"].map((pair) => pair.split(" "))) {
      const text = `${start}command:${opener}T${closer}\na:${opener}1${closer}<|[END_TOOL]|>\n`;
      const [block] = parse(text).blocks;
      expect([block?.steps[0]?.params.a, block?.warnings.includes("unclosed_block")]).toEqual(["1", false]);
      expect(readChunks(cut(text, [1]))).toEqual(readChunks([text]));
    }
    expect(findings(`${start}${command}a:»»»1«««<| b«««\n${end}`)).toEqual([]);
  });
});

describe("a text that ends behind a value", () => {
  const open = `${start}${command}a:»»»`;
  it.each<[string, string, EndOptions | undefined, string]>([
    ["a plain one", "x«««", undefined, "unclosed-block | warning | structure"],
    ["one with a field in it", "x b:»»»y««« z«««", undefined, "unclosed-block | warning | value"],
    ["the same, and the message was at its end", "x b:»»»y««« z«««", { finish: "stop" }, "unclosed-block | warning | structure"],
    ["with a closer of another family", "x\n《《《", undefined, "unclosed-block | error | value"],
    ["with a shorter closer", "x\n««", undefined, "unclosed-block | error | value"],
  ])("%s", (_, value, how, finding) => {
    expect(findings(open + value, {}, how)[0]).toBe(`${finding} | ${open}${value}`);
  }); // biome-ignore format: one case a line
});

describe("indentation of fields", () => {
  it.each([
    ["all lines alike", "  a:»»»\n  x\n    y\n\n  z\n  «««\n", "x\n  y\n\nz", false],
    ["the specification's example", "  a:»»»x\n  y«««\n", "x\ny", false],
    ["the first line further", "  a:»»»\n    x\n    y\n«««\n", "  x\n  y", false],
    ["no field indented", "a:»»»\nx\n  y\n«««\n", "x\n  y", false],
    ["lines at the margin", "  a:»»»\nx\n    y\n«««\n", "x\n  y", true],
    ["by a tab", "\ta:»»»\nx\n    y\n«««\n", "x\n   y", true],
    ["lines indented less", "    a:»»»x\n  y\n      z«««\n", "x\ny\n  z", true],
  ])("%s", (_, fields, value, uneven) => {
    const text = `${start}${command}${fields}${end}`;
    expect(parse(text).blocks[0]?.steps[0]?.params.a).toBe(value);
    const body = fields.slice(fields.indexOf("»»»") + 3, fields.indexOf("«««"));
    expect(findings(text)).toEqual(uneven ? [`uneven-indent | warning | value | ${body}`] : []);
    expect(parse(text, { strict: true }).blocks[0]?.status).toBe(uneven ? "invalid" : "complete");
  });
});

it("prefers the spelling that a tool declares", () => {
  const tools = [{ name: "T", description: "", inputSchema: { properties: { xY: {}, x_y: {}, plain: {} } } }];
  const fields = "xY_1:»»»1«««\nx_y_1:»»»2«««\nPlain 1:»»»3«««\n";
  const { result, events } = readChunks([`${start}command_1:»»»T«««\n${fields}${end}`], { tools });
  expect(result.diagnostics).toEqual([]);
  expect(result.blocks[0]?.steps[0]?.params).toEqual({ xY: "1", x_y: "2", plain: "3" });
  const deltas = events.flatMap((event) => (event.type === "param-delta" ? [[event.param, event.text]] : []));
  expect(deltas).toEqual([["xY", "1"], ["x_y", "2"], ["plain", "3"]]); // biome-ignore format: pairs
});

it("holds back fields between reasoning tags", () => {
  const text = blockOfLines("command:»»»T«««", "<think>", "a:»»»no«««", "</think>");
  expect(findings(text)).toEqual(["stray-text | warning | value | <think>", "stray-text | warning | value | </think>"]);
});

it("takes no type hint for another in strict mode", () => {
  const text = blockOfLines("command:»»»T«««", "a:»»»1«««", "type_hint_a:»»»integer«««");
  expect(parse(text).blocks[0]?.status).toBe("recovered");
  expect(parse(text, { strict: true }).blocks[0]?.status).toBe("invalid");
});
