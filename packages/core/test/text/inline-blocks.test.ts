import { expect, it } from "vitest";
import type { BlockBase, EndOptions, ParseOptions, ParseResult } from "../../src/index.ts";
import {
  type BlockEnd,
  type BlockGrammar,
  type BlockReader,
  type SegmentsEnd,
  type Source,
  TextScanner,
} from "../../src/text-layer.ts";

/** A protocol whose blocks stand anywhere: `<x>…</x>`; a message that starts with `{` may be one in braces. */
interface Call extends BlockBase {
  body: string;
}

class Reader implements BlockReader<Call> {
  readonly waitsForLine = false;
  constructor(readonly start: number) {}
  read(source: Source, end?: EndOptions): BlockEnd<Call> | undefined {
    const found = source.text.indexOf("</x>", source.at);
    if (found < 0 && !end) return undefined;
    const stop = found < 0 ? source.length : source.base + found + 4;
    const status = found < 0 ? "truncated" : "complete";
    const body = source.slice(this.start + 3, found < 0 ? stop : stop - 4);
    return { block: { status, span: { start: this.start, end: stop }, body }, end: stop, closedFence: false };
  }
}

class Held implements BlockReader<Call> {
  readonly waitsForLine = false;
  readonly holds = true;
  constructor(readonly start: number) {}
  read(source: Source, ending?: EndOptions): SegmentsEnd<Call> | undefined {
    const found = source.text.indexOf("}", source.at);
    if (found < 0) {
      source.at = source.text.length;
      return ending && { segments: [], end: source.length };
    }
    const end = source.base + found + 1;
    const body = source.slice(this.start + 1, end - 1);
    const span = { start: this.start, end };
    return { segments: [{ type: "block", block: { status: "complete", body, span }, span }], end };
  }
}

const grammar: BlockGrammar<Call> = {
  protocol: "toolsxml",
  line: ({ text, at, offset, fence }) => (text[at] === "{" && (offset === 0 || fence) ? new Held(offset) : "no"),
  inline({ text, at, offset }, ended) {
    const tag = text.slice(at, at + 3);
    if (tag === "<x>") return new Reader(offset);
    return !ended && "<x>".startsWith(tag) ? "more" : "no";
  },
};

function scan(
  chunks: string[],
  options: ParseOptions = {},
): { shape: string[]; result: ParseResult<Call>; said: string } {
  let said = "";
  const scanner = new TextScanner<Call>({
    ...options,
    grammar,
    onEvent: (event) => {
      if (event.phase === "text") said += event.text;
      else if (event.phase === "block-start") said += `[${event.start}:`;
      else if (event.phase === "block-end") said += `${event.block.body}]`;
    },
  });
  for (const chunk of chunks) scanner.feed(chunk);
  const result = scanner.end();
  const shape = result.segments.map((segment) =>
    segment.type === "block" ? `block ${segment.block.body}` : `${segment.type} ${segment.text}`,
  );
  return { shape, result, said };
}

it.each([
  ["a <x>1</x> b", ["text a ", "block 1", "text  b"]],
  ["a `<x>1</x>` b", ["text a `<x>1</x>` b"]],
  ["<x>1</x><x>2</x>", ["block 1", "block 2"]],
  ["```\nlet a;\n<x>1</x>\n```\n", ["text ```\nlet a;\n", "block 1", "text \n```\n"]],
  ["<think><x>1</x></think>a", ["reasoning <x>1</x>", "text a"]],
  ["{1}", ["block 1"]],
  ["```\n{1}\n```\nb", ["block 1", "text b"]],
  ["{1", ["text {1"]],
  ["{1\n<x>2</x>", ["text {1\n", "block 2"]],
  ["```\n{1\n```\n", ["text ```\n{1\n```\n"]],
])("reads %j in any chunks", (text, expected) => {
  const whole = scan([text]);
  expect(whole.shape).toEqual(expected);
  const units = scan(text.split(""));
  expect(units.result).toEqual(whole.result);
  expect(units.said).toBe(whole.said);
});

it("marks blocks within a line behind a made-up result, and before a lone closing tag", () => {
  const { result } = scan(["a <x>1</x>\n<results>\nb <x>2</x></think>"]);
  expect(result.blocks.map(({ afterFabricatedResult, inReasoning }) => [inReasoning, afterFabricatedResult])).toEqual([
    [true, undefined],
    [true, true],
  ]);
});

it("searches reasoning for blocks within a line when asked to", () => {
  const { result } = scan(["<think>a <x>1</x></think>"], { reasoning: "search" });
  expect(result.blocks).toMatchObject([{ body: "1", inReasoning: true }]);
});

it("tells where a block within a line begins, also in a later chunk", () => {
  expect(scan(["some text, ", "and <", "x>1</x>"]).said).toBe("some text, and [15:1]");
});
