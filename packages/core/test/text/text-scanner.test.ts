import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BlockBase, EndOptions, ParseOptions, ParseResult } from "../../src/index.ts";
import { type BlockEnd, type BlockGrammar, type BlockReader, type Source, TextScanner } from "../../src/text-layer.ts";

/** A protocol as small as can be: `BEGIN` and `END` on lines of their own. */
interface Call extends BlockBase {
  body: string;
}

class Reader implements BlockReader<Call> {
  waitsForLine = false;
  constructor(
    readonly start: number,
    readonly opener: string,
    readonly closer: string,
  ) {}
  read(source: Source, end?: EndOptions): BlockEnd<Call> | undefined {
    const found = source.text.indexOf(this.closer, source.at);
    if (found < 0 && !end) return undefined;
    const stop = found < 0 ? source.length : source.base + found + this.closer.length;
    const body = source.slice(this.start + this.opener.length, found < 0 ? stop : stop - this.closer.length);
    const status = found < 0 ? "truncated" : "complete";
    return { block: { status, span: { start: this.start, end: stop }, body }, end: stop, closedFence: false };
  }
}

const grammar: BlockGrammar<Call> = {
  protocol: "toolsxml",
  line({ text, at, end, blockStart }, ended) {
    const line = text.slice(at, end < 0 ? undefined : end);
    if (line === "BEGIN" && (end >= 0 || ended)) return new Reader(blockStart, text.slice(at, at + 6), "END\n");
    return end < 0 && !ended && "BEGIN".startsWith(line) ? "more" : "no";
  },
};

function scan(
  chunks: string[],
  options: ParseOptions = {},
  end?: EndOptions,
): { result: ParseResult<Call>; said: string[] } {
  const said: string[] = [];
  const say = (kind: string, text: string): void => {
    if (said.at(-1)?.startsWith(`${kind}:`)) said[said.length - 1] += text;
    else said.push(`${kind}:${text}`);
  };
  const scanner = new TextScanner<Call>({
    ...options,
    grammar,
    onEvent: (event) => {
      if (event.phase === "text" || event.phase === "reasoning") say(event.phase, event.text);
      else if (event.phase === "block-start") said.push(`start:${event.start}`);
      else if (event.phase === "block-end") said.push(`block:${event.block.body}`);
      else if (event.phase === "diagnostic") said.push(`diagnostic:${event.diagnostic.code}`);
    },
  });
  for (const chunk of chunks) scanner.feed(chunk);
  return { result: scanner.end(end), said };
}

const shape = ({ segments }: ParseResult<Call>): string[] =>
  segments.map((segment) =>
    segment.type === "block" ? `block ${segment.block.body}` : `${segment.type} ${segment.text}`,
  );
const codes = ({ diagnostics }: ParseResult<Call>): string[] => diagnostics.map(({ code }) => code);

describe("reasoning", () => {
  it.each([
    ["<think>a</think>b", ["reasoning a", "text b"]],
    ["x<THINKING effort='1'>a</THINKING>b", ["text x", "reasoning a", "text b"]],
    ["<thought>a<think>b</think>c</thought>d", ["reasoning a<think>b</think>c", "text d"]],
    ["`<think>` is a tag", ["text `<think>` is a tag"]],
    ["``a ` <think>`` is a tag", ["text ``a ` <think>`` is a tag"]],
    ["`<think> is a tag", ["text `", "reasoning  is a tag"]],
    ["<thinker>a</thinker>", ["text <thinker>a</thinker>"]],
    ["<think\nof>a", ["text <think\nof>a"]],
  ])("reads %j", (text, expected) => {
    expect(shape(scan([text]).result)).toEqual(expected);
  });

  it("reports a block that is not closed", () => {
    expect(codes(scan(["a<think>b"]).result)).toEqual(["core/reasoning-unclosed"]);
  });

  it("drops a lone closing tag, and marks the blocks before it", () => {
    const { result } = scan(["BEGIN\na\nEND\nb</think>BEGIN\nc\nEND\n"]);
    expect(shape(result)).toEqual(["block a\n", "text b", "block c\n"]);
    expect(result.blocks.map(({ inReasoning }) => inReasoning)).toEqual([true, undefined]);
    expect(codes(result)).toEqual(["core/reasoning-unopened"]);
  });

  it("begins inside when the prompt opened it", () => {
    expect(shape(scan(["BEGIN\na</think>b"], { startsInReasoning: true }).result)).toEqual([
      "reasoning BEGIN\na",
      "text b",
    ]);
  });

  it("is searched only when asked for", () => {
    const text = "<think>\nBEGIN\na\nEND\n</think>";
    expect(scan([text]).result.blocks).toEqual([]);
    const { blocks } = scan([text], { reasoning: "search" }).result;
    expect(blocks).toMatchObject([{ body: "a\n", inReasoning: true }]);
  });
});

describe("fences", () => {
  it.each([
    ["```\nBEGIN\na\nEND\n```\nb", ["block a\n", "text b"]],
    ["~~~~ xml\n\nBEGIN\na\nEND\n\n~~~~~\nb", ["block a\n", "text b"]],
    ["  ```\n  BEGIN\n```\n", ["text   ```\n  BEGIN\n```\n"]],
    ["```js\nx\n```\nBEGIN\na\nEND\n", ["text ```js\nx\n```\n", "block a\n"]],
    ["```a`b\nBEGIN\na\nEND\n", ["text ```a`b\n", "block a\n"]],
  ])("reads %j", (text, expected) => {
    expect(shape(scan([text]).result)).toEqual(expected);
  });

  it("belong to the block's segment, not to its span", () => {
    const text = "```\nBEGIN\na\nEND\n```\n";
    const { segments, blocks } = scan([text]).result;
    expect(segments[0]?.span).toEqual({ start: 0, end: text.length });
    expect(text.slice(blocks[0]?.span.start, blocks[0]?.span.end)).toBe("BEGIN\na\nEND\n");
  });
});

describe("results that the model made up", () => {
  it.each(["[tool_result]", "<|[TOOL_RESULT]|>", "<results>", "<tool_response>", "  <results a='1'>"])(
    "mark the blocks after %j",
    (marker) => {
      const { blocks, diagnostics } = scan([`BEGIN\na\nEND\n${marker}\nBEGIN\nb\nEND\n`]).result;
      expect(blocks.map(({ afterFabricatedResult }) => afterFabricatedResult)).toEqual([undefined, true]);
      expect(diagnostics.map(({ code }) => code)).toEqual(["core/fabricated-result"]);
    },
  );

  it("are none within a line, in inline code and in reasoning", () => {
    const text =
      "<think>\n[tool_result]\n</think>\n`[tool_result]` is one\nBEGIN\na\nEND\nsee [tool_result] and `<results>`\n";
    expect(codes(scan([text]).result)).toEqual([]);
  });

  it.each([
    ["prose that speaks of a call", "I called branch, and it says:\n\n"],
    ["a call in another format", '```json\n{"name": "branch", "arguments": {"of": "a"}}\n```\n\n'],
    ["a native call", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'],
  ])("mark the blocks after them, though before them stands %s", (_, before) => {
    for (const marker of [
      "<results>\n<result>main</result>\n</results>",
      "[tool_result]",
      "[[ tool_result ]]",
      "<|[ tool_result ]|>",
      "<tool_response>",
      "<function_results>",
      "<｜tool▁outputs▁begin｜>",
    ]) {
      const text = `${before}${marker}\n\nBEGIN\na\nEND\n`;
      const { blocks, diagnostics } = scan([text]).result;
      expect(blocks).toMatchObject([{ afterFabricatedResult: true }]);
      expect(diagnostics.map(({ code }) => code)).toContain("core/fabricated-result");
      expect(scan(text.split("")).result).toEqual(scan([text]).result);
    }
  });

  it("are said, and mark nothing, at the very beginning", () => {
    const { blocks, diagnostics } = scan(["\n[tool_result]\nBEGIN\na\nEND\n"]).result;
    expect(diagnostics.map(({ code }) => code)).toEqual(["core/fabricated-result"]);
    expect(blocks[0]?.afterFabricatedResult).toBeUndefined();
  });

  it("are examples in a fence, unless a call stands before them", () => {
    const block = "BEGIN\na\nEND\n";
    const fenced = "```xml\n<results>\n<result>main</result>\n</results>\n```\n\n";
    const example = scan([`The host answers so:\n\n${fenced}${block}`]).result;
    expect([codes(example), example.blocks[0]?.afterFabricatedResult]).toEqual([[], undefined]);
    for (const call of ['<tool_call>{"name": "f", "arguments": {}}</tool_call>\n', block]) {
      const { blocks, diagnostics } = scan([`${call}\n${fenced}${block}`]).result;
      expect(blocks.at(-1)?.afterFabricatedResult).toBe(true);
      expect(diagnostics.map(({ code }) => code)).toContain("core/fabricated-result");
    }
  });
});

describe("foreign formats", () => {
  it.each([
    '{"name": "f", "arguments": {}}',
    '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    '```json\n{\n  "tool": "f",\n  "parameters": {}\n}\n```',
    "<|[REQUEST_TOOL]|>\ncommand:»»»f«««\n<|[END_TOOL]|>",
    "[tool_call]\nstatus = 'x'\n",
    "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
  ])("are reported once: %j", (text) => {
    expect(codes(scan([`Well:\n${text}\n`]).result)).toEqual(["core/foreign-format"]);
  });

  it("do not include the reader's own, nor any JSON", () => {
    expect(codes(scan(['<tools>\n</tools>\n{"name": "Ann", "age": 3}\n']).result)).toEqual([]);
  });
});

it("refuses everything beyond the longest input", () => {
  const { result } = scan(["BEGIN\na\nEND\n", "and more"], { maxInputLength: 16 });
  expect(result.blocks).toMatchObject([{ status: "invalid" }]);
  expect(codes(result)).toEqual(["toolsxml/input-too-long"]);
});

it("gives out text as soon as nothing can take it back", () => {
  const said: string[] = [];
  const scanner = new TextScanner<Call>({
    grammar,
    onEvent: (event) => {
      if (event.phase === "text") said.push(event.text);
    },
  });
  const after = ["Hello", " wor", "ld <b", "> and <thi", "s> and\nBE", "ST"].map((chunk) => {
    scanner.feed(chunk);
    return said.join("");
  });
  expect(after).toEqual([
    "Hello",
    "Hello wor",
    "Hello world ",
    "Hello world <b> and ",
    "Hello world <b> and <this> and\n",
    "Hello world <b> and <this> and\nBEST",
  ]);
});

it("says the same for every chunking", () => {
  const piece = fc.constantFrom(
    ..."`,``,```\n,~~~\n,```js\n,<think>,</think>,<think a>,<think\n,a>,<,BEGIN\n,BEGIN,END\n,\n,\r\n,\uFEFF,😀,[tool_result]\n,<results>\n,x y,  ,<tools>\n".split(
      ",",
    ),
  );
  const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (whole, sizes, search) => {
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = sizes[turn % sizes.length] as number;
          chunks.push(whole.slice(at, at + size));
          at += size;
        }
        const options: ParseOptions = { reasoning: search ? "search" : "skip" };
        const one = scan([whole], options);
        expect(scan(chunks, options)).toEqual(one);
        let at = 0;
        for (const { span } of one.result.segments) {
          expect(span.start).toBeGreaterThanOrEqual(at);
          at = span.end;
        }
        expect(at).toBeLessThanOrEqual(whole.length);
      },
    ),
    { numRuns: 400 },
  );
});

it("gives a result for very many findings", () => {
  const scanner = new TextScanner<Call>({ grammar });
  const span = { start: 0, end: 0 };
  const error = { code: "x/y", severity: "error", affects: "value", message: "", span, source: "x" } as const;
  for (let count = 0; count < 200_000; count += 1) scanner.diagnose(error);
  expect(scanner.end().diagnostics).toHaveLength(200_000);
});
