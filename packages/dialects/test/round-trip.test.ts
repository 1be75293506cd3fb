import type { JsonObject, JsonSchema } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/parse.ts";
import { serialize } from "../src/serialize.ts";
import { dialects } from "../src/table/all.ts";
import { type DialectId, dialectIds } from "../src/table/ids.ts";
import type { DialectBlock } from "../src/types.ts";
import type { WrittenCall } from "../src/types.ts";

const written = dialectIds.filter((id) => dialects[id].write);

/** Pieces that mean something in one dialect or another. */
const marks = [
  ...new Set(
    Object.values(dialects).flatMap(({ example }) => example.text.match(/<[^<>\n]*>|\[\/?[A-Z_]+\]|```\w*/g) ?? []),
  ),
];
const pieces = [
  ..."\"'`\\{}[]()<>:,;=.-/ \n\t\r|",
  "\r\n",
  "\n\n",
  "a",
  "SF",
  "7",
  "null",
  "true",
  "None",
  "é",
  "🌤",
  "｜",
  "▁",
  "&lt;",
  "<![CDATA[",
  "]]>",
  "</think>",
  "to=",
  "functions.",
  '<|"|>',
  "<escape>",
];
const string = fc.oneof(
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((all) => all.join("")) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...marks, ...pieces), { maxLength: 4 }).map((all) => all.join("")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "\n",
      "\r\n",
      "0",
      "007",
      "1.50",
      "-0",
      "NaN",
      "null",
      "True",
      '{"a": 1}',
      "[1]",
      "'x'",
      '"x"',
      "a\nb",
      "\ud800",
    ),
  },
);
const scalar = fc.oneof(
  string,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom("k", "item", "a b", "é"), fc.string({ maxLength: 4 })), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("city", "days", "file_path", "o", "__proto__", "constructor") },
  { weight: 1, arbitrary: string },
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("get_weather", "ping", "browser.search", "a-b", "f") },
  { weight: 1, arbitrary: string },
);
const call = fc.record({ name, input: fc.dictionary(key, value, { maxKeys: 3 }) }) as fc.Arbitrary<WrittenCall>;
const calls = fc.array(call, { minLength: 1, maxLength: 3 });

/** Tools for calls; with `types`, whose schemas say what each argument is. */
function toolsFor(all: readonly WrittenCall[], types: boolean) {
  const tools = new Map<string, Record<string, JsonSchema>>();
  for (const { name: tool, input } of all) {
    const properties = tools.get(tool) ?? (Object.create(null) as Record<string, JsonSchema>);
    tools.set(tool, properties);
    for (const [argument, one] of Object.entries(input)) {
      const type =
        one === null
          ? "null"
          : Array.isArray(one)
            ? "array"
            : (typeof one as "string" | "number" | "boolean" | "object");
      const known = properties[argument] as { type: string[] } | undefined;
      properties[argument] = { type: [...new Set([...(known?.type ?? []), type])] } as JsonSchema;
    }
  }
  return [...tools].map(([tool, properties]) => ({
    name: tool,
    inputSchema: {
      type: "object" as const,
      ...(types && { properties: Object.fromEntries(Object.entries(properties)) }),
    },
  }));
}

/** What is written; undefined when the dialect can't hold it. */
function writtenOr(
  dialect: DialectId,
  all: readonly WrittenCall[],
  tools: ReturnType<typeof toolsFor>,
): string | undefined {
  try {
    return serialize({ dialect, calls: all }, { tools });
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return undefined;
  }
}

/** Negative zero is zero in JSON. */
const plain = (input: JsonObject): unknown => JSON.parse(JSON.stringify(input));
const read = (blocks: readonly DialectBlock[]): unknown[] =>
  blocks.flatMap((block) => block.calls.map(({ name: tool, input }) => ({ name: tool, input: plain(input) })));
const meant = (all: readonly WrittenCall[]): unknown[] =>
  all.map(({ name: tool, input }) => ({ name: tool, input: plain(input) }));

describe.each(written)("%s", (dialect) => {
  it("reads the calls that were written", () => {
    let count = 0;
    fc.assert(
      fc.property(calls, fc.boolean(), (all, types) => {
        const tools = toolsFor(all, types);
        const text = writtenOr(dialect, all, tools);
        if (text === undefined) return;
        count += 1;
        const { blocks } = parse(text, { dialect, tools });
        expect(read(blocks)).toEqual(meant(all));
        expect(blocks.flatMap(({ rejected }) => rejected)).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(count).toBeGreaterThan(15);
  });

  it("reads them wherever the text is split", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 2 }), (all) => {
        const tools = toolsFor(all, true);
        const text = writtenOr(dialect, all, tools);
        if (text === undefined || text.length > 250) return;
        const whole = parse(text, { dialect, tools });
        for (let at = 0; at <= text.length; at += 1) {
          const parser = createParser({ dialect, tools });
          parser.feed(text.slice(0, at));
          parser.feed(text.slice(at));
          expect(parser.end()).toEqual(whole);
        }
        expect(read(whole.blocks)).toEqual(meant(all));
      }),
      { numRuns: 15 },
    );
  });
});
