import { testDoors } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, parse, parseStream, type TamEvent, TamParserStream } from "../src/index.ts";
import { blockOfLines } from "./read-chunks.ts";

const text = `Sure.\n${blockOfLines("# plan", "command:»»»T«««", "a:»»»one", "two«««")}Done.\n`;

function pushed(chunks: readonly string[]): TamEvent[] {
  const events: TamEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  parser.end();
  return events;
}

describe("the doors", () => {
  const doors = {
    parse,
    createParser: (onEvent?: (event: TamEvent) => void) => createParser(onEvent && { onEvent }),
    parseStream,
    makeStream: () => new TamParserStream(),
  };
  testDoors(doors, text, { delta: "param-delta", unfinished: "<|[REQUEST_TOOL]|>\na:»»»" });

  it("a caller's mistake throws at once", () => {
    expect(() => createParser({ repairs: "some" as never })).toThrow(TypeError);
    expect(() => createParser({ maxInputLength: Number.NaN })).toThrow(TypeError);
    expect(() => createParser().feed(1 as never)).toThrow(TypeError);
    expect(() => parse(1 as never)).toThrow(TypeError);
  });
});

describe("when events come", () => {
  it("tells steps, comments and parameters in the order of the text", () => {
    expect(pushed([text]).map(({ type }) => type)).toEqual([
      "text-delta",
      "block-start",
      "comment",
      "step-start",
      "param-delta",
      "block-end",
      "text-delta",
    ]);
  });

  /** What was said of each parameter after each chunk, and at the end. */
  function said(...chunks: string[]): Record<string, string>[] {
    const sums: Record<string, string> = {};
    const parser = createParser({
      onEvent: (event) => {
        if (event.type === "param-delta")
          sums[`${event.step ?? "-"} ${event.param}`] =
            (sums[`${event.step ?? "-"} ${event.param}`] ?? "") + event.text;
      },
    });
    const after = chunks.map((chunk) => {
      parser.feed(chunk);
      return { ...sums };
    });
    parser.end();
    return [...after, { ...sums }];
  }
  const head = "<|[REQUEST_TOOL]|>\ncommand:»»»T«««\n";

  it("text streams up to what may be its end, white space when more follows", () => {
    expect(
      said(`${head}a:»»» on`, "e ", "two\n", "  «", "«« x", "«««", "\n<|[END_TOOL]|>\n").map((sums) => sums["1 a"]),
    ).toEqual(["on", "one", "one two", "one two", "one two", "one two", "one two\n  ««« x", "one two\n  ««« x"]);
  });

  it("a line waits as long as it may open a field", () => {
    expect(
      said(`${head}a:»»»x\nfile`, "_path: ", "see", "\n  b: ", "»»»y«««\n<|[END_TOOL]|>").map((sums) => sums["1 a"]),
    ).toEqual(["x", "x", "x\nfile_path: see", "x\nfile_path: see", "x\nfile_path: see", "x\nfile_path: see"]);
  });

  it("a field whose step is not known yet waits for the end of the block", () => {
    const chunks = [
      "<|[REQUEST_TOOL]|>\na_1:»»»x«««\ncommand_1:»»»T«««\n",
      "b_1:»»»y",
      "«««\nc2:»»»z«««\n",
      "command_2:»»»U«««\n<|[END_TOOL]|>\n",
    ];
    expect(said(...chunks)).toEqual([
      {},
      { "1 b": "y" },
      { "1 b": "y" },
      { "1 b": "y", "1 a": "x", "2 c": "z" },
      { "1 b": "y", "1 a": "x", "2 c": "z" },
    ]);
  });

  it("common parameters have no step; fields that are no parameters are not told", () => {
    expect(
      said(`${head}common_dir:»»»d«««\nretry:»»»1«««\nuri_f:»»»fam://x«««\nrequest_id:»»»r«««\n<|[END_TOOL]|>\n`).at(
        -1,
      ),
    ).toEqual({
      "- dir": "d",
    });
  });

  it("counts the fields, so that one given twice is told apart", () => {
    const fields = pushed([`${head}a:»»»1«««\na:»»»2«««\n<|[END_TOOL]|>\n`]).flatMap((event) =>
      event.type === "param-delta" ? [[event.field, event.text]] : [],
    );
    expect(fields).toEqual([
      [1, "1"],
      [2, "2"],
    ]);
  });
});
