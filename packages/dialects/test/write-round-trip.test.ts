import type { JsonObject } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "../src/parse.ts";
import { serialize } from "../src/serialize.ts";
import { dialects } from "../src/table/all.ts";
import { dialectIds } from "../src/table/ids.ts";

const written = dialectIds.filter((id) => dialects[id].write);
/** Texts that could be taken for something else. */
const piece = fc.constantFrom(
  ...[
    "</parameter>",
    "</function>\n</tool_call>",
    "<arg_key>k</arg_key>",
    "</arg_value>",
    "<|call|>",
    "[TOOL_CALLS]",
    '<|"|>',
    "'",
    '"',
  ],
  ...[
    "\\",
    "\n",
    " ",
    ",",
    ")",
    "]",
    "}",
    "{",
    "7",
    "true",
    "null",
    "</think>",
    "x",
    "é",
    "```",
    "<",
    "｜",
    "&amp;",
    "]]>",
  ],
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.constantFrom(0, -1.5, 1e21, true, false, null, "", [], {}),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("k", "other", "item"), tie("value"), { maxKeys: 2 }),
  ),
})).value;
const input = fc.dictionary(fc.constantFrom("a", "b_c", "city"), value, { maxKeys: 3 });
const calls = fc.array(fc.record({ name: fc.constantFrom("get_weather", "ping"), input }), {
  minLength: 1,
  maxLength: 3,
});

it.each(written)("%s reads back as the calls that were written, or is refused", (dialect) => {
  let read = 0;
  fc.assert(
    fc.property(calls, fc.boolean(), (given, isTyped) => {
      const tools = ["get_weather", "ping"].map((name) => ({
        name,
        inputSchema: { type: "object" as const, ...(isTyped && { properties: { a: { type: "string" as const } } }) },
      }));
      let written: string;
      try {
        written = serialize({ dialect, calls: given as { name: string; input: JsonObject }[] }, { tools });
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return;
      }
      read++;
      const found = parse(written, { dialect, tools }).blocks.flatMap((block) => block.calls);
      expect(
        found.map(({ name, input }) => ({ name, input })),
        written,
      ).toEqual(given);
    }),
    { numRuns: 300 },
  );
  expect(read).toBeGreaterThan(30);
});
