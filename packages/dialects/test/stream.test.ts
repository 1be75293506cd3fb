import { testDoors, toldCalls } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, type DialectEvent, DialectParserStream, parse, parseStream } from "../src/index.ts";
import * as hermes from "../src/only/hermes.ts";

const call = '<tool_call>\n{"name": "note", "arguments": {"text": "Dear \\"friend\\"", "n": [1, 2]}}\n</tool_call>';
const text = `Sure.\n${call}\nDone.\n`;

describe("the doors", () => {
  testDoors(
    {
      parse,
      createParser: (onEvent?: (event: DialectEvent) => void) => createParser(onEvent && { onEvent }),
      parseStream,
      makeStream: () => new DialectParserStream(),
    },
    text,
    { delta: "argument-delta", unfinished: '<tool_call>\n{"name": "no' },
  );
});

describe("the doors of one dialect", () => {
  testDoors(
    {
      parse: hermes.parse,
      createParser: (onEvent?: (event: DialectEvent) => void) => hermes.createParser(onEvent && { onEvent }),
      parseStream: hermes.parseStream,
      makeStream: () => new hermes.DialectParserStream(),
    },
    text,
    { delta: "argument-delta", unfinished: '<tool_call>\n{"name": "no' },
  );
});

describe("a caller's mistake", () => {
  it.each([
    ["parse", () => parse("", { dialect: "hermse" as never })],
    ["createParser", () => createParser({ callsInReasoning: "run" as never })],
    ["parseStream", () => parseStream([], { repairs: "some" as never })],
    ["DialectParserStream", () => new DialectParserStream({ tool: [] } as never)],
    ["parse", () => hermes.parse("", { dialect: "glm" })],
    ["recoverToolCalls", () => hermes.recoverToolCalls("", [], { dialect: "glm" })],
  ])("throws at once, and names the place: %s", (what, make) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(what);
  });
});

it("tells calls and arguments as they come, strings decoded, other values as JSON", () => {
  const events: DialectEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for (const unit of text) parser.feed(unit);
  parser.end();
  const [told] = toldCalls(events);
  expect(told?.tool).toBe("note");
  expect([...(told?.texts ?? [])]).toEqual([
    ["text", 'Dear "friend"'],
    ["n", "[1,2]"],
  ]);
  expect(told?.pieces).toBeGreaterThan(4);
});
