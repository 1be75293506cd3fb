import { isRunnable } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { cut, toldCalls } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "../src/index.ts";
import { readChunks, tools } from "./read-chunks.ts";

/** `.ci/run` tries five times as many. */
const times = rounds(1, 5);

const pieces = [
  "<tools>",
  "</tools>",
  "\n<tools>\n",
  "<command>",
  "</command>",
  '<command timeout="3">',
  "<edit>",
  "</edit>",
  "<file src='a'>",
  "</file>",
  "<find>",
  "</find>",
  "<replace>",
  "</replace>",
  "<read>",
  "</read>",
  "<file src=b />",
  '<search pattern="x"/>',
  "<get_value key=A reason=b />",
  "<input>",
  "</input>",
  "<ctrl>c</ctrl>",
  "<mcp server=s tool=t>",
  "</mcp>",
  '{"a": 1}',
  "<write_file path=p>",
  "</write_file>",
  "<search>",
  "</search>",
  "<query>",
  "</query>",
  "<foo>",
  "</foo>",
  "&lt;",
  "&amp;",
  "&",
  "<",
  "<<",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "```",
  "```xml\n",
  "\n```\n",
  "<think>",
  "</think>",
  "`",
  "\n",
  "\n\n",
  " ",
  "  ",
  "\t",
  "\r\n",
  "\r",
  "text",
  "'",
  '"',
  '{"reply": "',
  '", "tools": "',
  '"}',
  "\\",
  "</",
  "<results>",
  "<TOOLS>",
  "</Command >",
  "< command >",
  "<tools",
  "<comm",
  '="',
  "😀",
  "/>",
  ">",
  "&#10;",
  "\ufeff",
];
const part = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: fc.string() });
const start = fc.constantFrom(
  "",
  "<tools>",
  "<tools>\n<command>",
  "<tools><edit><file src='a'><find>",
  "<tools><write_file>",
  '{"tools": "<tools>',
);
const text = fc.tuple(start, fc.array(part, { maxLength: 30 })).map(([first, rest]) => first + rest.join(""));
const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 9 });
const end = fc.constantFrom(undefined, undefined, { finish: "length" as const }, { stopSequence: "</tools>" });
const options = fc.constantFrom(
  {},
  {},
  { strict: true },
  { reasoning: "search" as const },
  { startsInReasoning: true },
);

it("gives the result and the events of one chunk, whatever the chunks", () => {
  fc.assert(
    fc.property(text, lengths, end, options, (source, sizes, ending, chosen) => {
      const whole = readChunks([source], chosen, ending);
      expect(readChunks(cut(source, sizes), chosen, ending)).toEqual(whole);
      expect(readChunks(cut(source, [1]), chosen, ending)).toEqual(whole);
    }),
    { numRuns: 300 * times },
  );
});

it("gives spans inside the text, segments in order, and the deltas' sums", () => {
  fc.assert(
    fc.property(text, lengths, (source, sizes) => {
      const { result, events } = readChunks(cut(source, sizes));
      let at = 0;
      for (const { span } of result.segments) {
        expect(span.start).toBeGreaterThanOrEqual(at);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
        at = span.end;
      }
      expect(at).toBeLessThanOrEqual(source.length);
      for (const { span } of result.diagnostics) expect(span.end).toBeLessThanOrEqual(source.length);
      let block = -1;
      const sums = new Map<string, string>();
      for (const event of events) {
        if (event.type === "tools-start") block += 1;
        if (event.type === "body-delta") sums.set(`${block} ${event.call} ${event.field}`, event.text);
      }
      for (const [index, { calls, status }] of result.blocks.entries()) {
        if (status !== "complete") continue;
        for (const [number, call] of calls.entries()) {
          const told = (field: string): string => sums.get(`${index} ${number} ${field}`) ?? "";
          if (call.tool === "command") expect(told("script")).toBe(call.script);
          if (call.tool === "input") expect(told("data")).toBe(call.data);
          if (call.tool !== "edit") continue;
          for (const [file, { edits }] of call.files.entries())
            for (const [pair, edit] of edits.entries()) {
              expect(told(`files[${file}].edits[${pair}].find`)).toBe(edit.find);
              expect(told(`files[${file}].edits[${pair}].replace`)).toBe(edit.replace);
            }
        }
      }
    }),
    { numRuns: 200 * times },
  );
});

const body = fc
  .array(fc.constantFrom("echo '</command>'", "a && b", "cat <<E\n<command>x</command>\nE", "\n", "<b>", "&lt;", "x"), {
    maxLength: 6,
  })
  .map((parts) => `ls ${parts.join(" ")} ;`);

it("never runs a call that is cut off", () => {
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 3 }), fc.nat(), (bodies, cutAt) => {
      const source = `<tools>\n${bodies.map((one) => `<command>${one}</command>\n`).join("")}</tools>`;
      const whole = parse(source, { tools }).blocks[0]?.calls ?? [];
      expect(whole).toHaveLength(bodies.length);
      const short = source.slice(0, cutAt % source.length);
      // Where a text ends behind an inner closing tag, nothing shows that it is one.
      if (/<\/command>\s*$/.test(short)) return;
      const calls = parse(short)
        .blocks.filter(isRunnable)
        .flatMap((block) => block.calls);
      expect(calls).toEqual(whole.slice(0, calls.length));
      const { blocks } = readChunks([short], {}, { finish: "length" }).result;
      expect(blocks.filter(isRunnable)).toEqual([]);
    }),
    { numRuns: 100 * times },
  );
});

const childPieces = fc.constantFrom(
  ..."<query>|</query>|<limit>3</limit>|<sites>a</sites>|<![CDATA[|]]>|<!-- x -->|</query >|<query>|\n|  |\r\n|abc|a < b|&amp;|&|<b>|</search>|</quer|<q|</|é|<sites>|</sites>|<filter><year>1</year></filter>|<x/>|<query/>".split(
    "|",
  ),
);
const tagPieces = fc.constantFrom(
  ' query="',
  " query='",
  '"',
  "'",
  " limit=3",
  ' limit="4"',
  " a &lt; <",
  "\n",
  " x",
  "=",
  "&am",
  "/",
);
const search = fc
  .tuple(
    fc.array(tagPieces, { maxLength: 4 }),
    fc.constantFrom("", "<query>", "<query><![CDATA[", "<limit>3</limit>\n<query>"),
    fc.array(childPieces, { maxLength: 9 }),
    fc.constantFrom("", "</query>", "]]></query>\n"),
  )
  .map(
    ([tag, head, parts, tail]) =>
      `<tools>\n<search${tag.join("")}>${head}${parts.join("")}${tail}</search>\n<ctrl>c</ctrl></tools>`,
  );

it("tells texts of custom calls as they come, alike in any chunks, and what is told is what is read", () => {
  fc.assert(
    fc.property(search, lengths, (source, sizes) => {
      const whole = readChunks([source]);
      expect(readChunks(cut(source, sizes))).toEqual(whole);
      expect(readChunks(cut(source, [1]))).toEqual(whole);
      const [block] = whole.result.blocks;
      if (block?.status !== "complete") return;
      const told = toldCalls(whole.events);
      for (const [at, call] of block.calls.entries()) {
        if (call.tool !== "custom") continue;
        for (const [key, value] of Object.entries(call.input))
          if (typeof value === "string" && value !== "") expect(told[at]?.texts.get(key)).toBe(value);
      }
    }),
    { numRuns: 600 * times },
  );
});
