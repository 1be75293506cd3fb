import { cut, testDoors } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, parse, parseStream, type ToolsXmlEvent, ToolsXmlParserStream } from "../src/index.ts";
import { readChunks, tools } from "./read-chunks.ts";

const text = `I edit it.
<tools>
  <!-- one file -->
  <edit>
    <file src="a.ts">
      <find>
if (a &lt; b) {
</find>
      <replace>if (a < b && c) {</replace>
    </file>
  </edit>
  <write_file path="x">a
b</write_file>
  <command timeout="3">
    ls
    pwd
  </command>
  <mcp server="s" tool="t">{"a": 1}</mcp>
  <search limit="2"><query>q &amp; r</query></search>
  <input>y\\n</input>
</tools>
Done.`;

describe("events", () => {
  const { events, result } = readChunks([text]);

  it("tell text, calls, attributes, bodies and the block, in order", () => {
    const told = events.map((event) => {
      if (event.type === "tools-start") return "start";
      if (event.type === "tools-end") return `end ${event.block.status}`;
      if (event.type === "diagnostic") return event.diagnostic.code;
      if (event.phase !== "delta") return `${event.phase} ${JSON.stringify(event.text)}`;
      const field = "field" in event ? event.field : event.type === "argument" ? event.param : "";
      return `${event.call} ${event.type} ${field}${"name" in event ? ` ${event.name}` : ""} ${event.text}`;
    });
    expect(told).toEqual([
      'text "I edit it.\\n"',
      "start",
      "0 call-start  edit",
      "0 attribute files[0] src a.ts",
      "0 body-delta files[0].edits[0].find if (a < b) {",
      "0 body-delta files[0].edits[0].replace if (a < b && c) {",
      '0 argument files [{"src":"a.ts","edits":[{"find":"if (a < b) {","replace":"if (a < b && c) {"}]}]',
      "0 call-end  ",
      "1 call-start  write_file",
      "1 body-delta input.path x",
      "1 attribute  path x",
      "1 body-delta input.text a\nb",
      "1 call-end  ",
      "2 call-start  command",
      "2 attribute  timeout 3",
      "2 body-delta script ls\npwd",
      "2 argument timeoutMs 3000",
      "2 call-end  ",
      "3 call-start  mcp",
      "3 attribute  server s",
      "3 attribute  tool t",
      '3 body-delta arguments {"a": 1}',
      "3 argument server s",
      "3 argument name t",
      '3 argument arguments {"a":1}',
      "3 call-end  ",
      "4 call-start  search",
      "4 attribute  limit 2",
      "4 body-delta input.query q & r",
      "4 argument limit 2",
      "4 call-end  ",
      "5 call-start  input",
      "5 body-delta data y\n",
      "5 call-end  ",
      "end complete",
      "toolsxml/entities-decoded",
      "toolsxml/entities-decoded",
      'text "\\nDone."',
    ]);
  });

  it.each([[[1]], [[8]], [[3, 1, 5]], [[64, 2]]])("are the same in chunks of %j", (lengths) => {
    expect(readChunks(cut(text, lengths))).toEqual({ events, result });
  });

  const doors = {
    parse: (source: string) => parse(source, { tools }),
    createParser: (onEvent?: (event: ToolsXmlEvent) => void) => createParser({ tools, ...(onEvent && { onEvent }) }),
    parseStream: (chunks: Parameters<typeof parseStream>[0]) => parseStream(chunks, { tools }),
    makeStream: () => new ToolsXmlParserStream({ tools }),
  };
  testDoors(doors, text, { delta: "body-delta", unfinished: "<tools><command>" });
});

/** What was told of the first body once a text had come so far. */
function told(soFar: string): string {
  let sum = "";
  const { events } = readChunks(cut(soFar, [1]));
  for (const event of events) if (event.type === "body-delta") sum += event.text;
  return sum;
}

describe("a delta is told as soon as nothing can change it", () => {
  const find = "<tools><edit><file src='a'><find>";
  it.each([
    [`${find}abc`, "abc"],
    [`${find}\nabc\n  `, "abc"],
    [`${find}abc\n  d`, "abc\n  d"],
    [`${find}a\r\n`, "a"],
    [`${find}a &lt; b`, "a "],
    [`${find}a &lt; b & c`, "a &lt; b & c"],
    [`${find}a && b &lt;`, "a && b &lt;"],
    [`${find}a <b> &lt;`, "a <b> &lt;"],
    [`${find}a &l`, "a "],
    [`${find}a <`, "a "],
    [`${find}a </fin`, "a "],
    [`${find}a </find> b`, "a "],
    [`${find}a </finder> b`, "a </finder> b"],
    [`${find}  `, ""],
    [`${find}<![CDATA[abc`, ""],
    [`${find}a < <![CDATA[b`, "a < "],
    ["<tools><write_file>abc", "abc"],
    ["<tools><command>abc ", "abc"],
    ["<tools>\n  <command>abc", ""],
    ["<tools><command>abc\n<b", "abc"],
    ["<tools><command>a < b </b", "a < b"],
    ["<tools><search><query>abc", "abc"],
    ["<tools><search><query>abc</q", "abc"],
    ["<tools><search><query>abc</query", "abc"],
    ["<tools><search><query>abc</query>", "abc"],
    ["<tools><search><limit>3</limit><query>\n  abc\n", "  abc"],
    ["<tools><search><query> <![CDATA[\n a <b> & c\n  ", " a <b> & c"],
    ["<tools><search><query><![CDATA[a</query>b", "a"],
    ["<tools><search><query><![CDATA[a</query>b]]>", "a</query>b"],
    ["<tools><search><unknown>x</unknown><query>abc", "abc"],
    ['<tools><search limit="3" query="abc', "abc"],
    ["<tools><search query='a &lt; b &am", "a < b "],
    ["<tools><search query=abc", ""],
    ['<tools><search query="a"><query>abc', "a"],
    ['<tools><search>{"query": "abc', ""],
  ])("%j: %j", (soFar, expected) => {
    expect(told(soFar)).toBe(expected);
  });
});

it("does not hold back text for what is no block", () => {
  const { events } = readChunks(['{"reply', '": 1, "x": 2} and ', "<too", "ls and <tools> x"]);
  expect(events).toEqual([
    { phase: "text", type: "text-delta", text: '{"reply": 1, "x": 2} and <tools and <tools> x' },
  ]);
});

it("gives the same result without a listener", () => {
  expect(parse(text, { tools })).toEqual(readChunks([text]).result);
});
