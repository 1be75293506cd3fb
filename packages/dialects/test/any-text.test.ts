import type { Diagnostic } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/parse.ts";
import { recoverToolCalls } from "../src/recover-tool-calls.ts";
import { dialects } from "../src/table/all.ts";
import type { DialectEvent, DialectParseOptions } from "../src/types.ts";

const rows = Object.values(dialects);
const string = { type: "string" } as const;
const tools = [
  {
    name: "get_weather",
    inputSchema: { type: "object" as const, properties: { city: string, days: { type: "integer" as const }, o: {} } },
  },
  { name: "ping", inputSchema: { type: "object" as const } },
];

/** Reads a text in pieces that end at the given places. */
function inPieces(text: string, ends: readonly number[], options: DialectParseOptions) {
  const events: DialectEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  let at = 0;
  for (const end of [...ends].sort((one, other) => one - other)) {
    if (end > at && end < text.length) {
      parser.feed(text.slice(at, end));
      at = end;
    }
  }
  parser.feed(text.slice(at));
  return { result: parser.end(), events };
}

/** Pieces of what dialects write, mended and torn. */
const pieces = rows.flatMap(({ example: { text } }) => text.split(/(?<=[>\]\n}),])|(?=[<[{(])/));
const torn = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...rows.map(({ example }) => example.text)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...rows.map(({ example }) => example.text)),
        fc.nat(),
        fc.nat(8),
        fc.constantFrom(...pieces, ""),
      )
      .map(([text, where, length, piece]) => {
        const at = where % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + length);
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...pieces, " ", "\n", "word ", "```\n", "<think>", "</think>", "`"), { maxLength: 25 })
      .map((all) => all.join("")),
  },
);
const options = fc.record(
  {
    dialect: fc.constantFrom("auto", ...rows.map(({ id }) => id)) as fc.Arbitrary<"auto">,
    tools: fc.constantFrom(tools, undefined),
    strict: fc.boolean(),
    callsInReasoning: fc.constantFrom("mark", "accept-unclosed", "accept"),
  },
  { requiredKeys: [] },
);
const defined = (given: object): DialectParseOptions =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

describe("any text", () => {
  it("reads the same in any chunks, and its deltas join to it", () => {
    fc.assert(
      fc.property(
        fc.array(torn, { minLength: 1, maxLength: 3 }),
        options,
        fc.array(fc.nat(600), { maxLength: 12 }),
        (texts, given, ends) => {
          const text = texts.join("\n");
          const known = defined(given);
          const whole = parse(text, known);
          expect(inPieces(text, ends, known).result).toEqual(whole);
          const { result, events } = inPieces(text, [...text].keys() as never as number[], known);
          expect(result).toEqual(whole);
          const reported = events.flatMap((event): Diagnostic[] =>
            event.phase === "diagnostic" ? [event.diagnostic] : [],
          );
          expect(reported).toHaveLength(whole.diagnostics.length);
          expect(events.filter(({ phase }) => phase === "block-end")).toHaveLength(whole.blocks.length);
          // Segments lie side by side.
          let at = 0;
          for (const { span } of whole.segments) {
            expect(span.start).toBeGreaterThanOrEqual(at);
            at = span.end;
          }
          expect(at).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("runs nothing of a text that is cut which the whole would not run", () => {
    for (const { id, example } of rows)
      for (const dialect of [id, "auto"]) {
        const read = (text: string) =>
          recoverToolCalls(text, tools, { dialect: dialect as never, finish: "length" }).calls.map(({ name, input }) =>
            JSON.stringify([name, input]),
          );
        const whole = read(example.text);
        for (let end = 0; end < example.text.length; end += 1)
          for (const call of read(example.text.slice(0, end)))
            expect(whole, `${dialect}: ${JSON.stringify(example.text.slice(0, end))}`).toContain(call);
      }
  });
});
