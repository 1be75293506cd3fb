import { readFileSync } from "node:fs";
import * as attp from "@toolglot/attp";
import type { BlockBase, ParseOptions, ParseResult, ToolDefinition } from "@toolglot/core";
import { foreignCloser, leakedCalls } from "@toolglot/core/text";
import * as tam from "@toolglot/tam";
import * as toolsxml from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";

/** What a row of the table says that another reader has to know. */
interface Row {
  example: { text: string; calls: { name: string }[] };
  call: { open?: { text?: string; optional?: true } };
}

const table = JSON.parse(readFileSync(new URL("../dialects/dialects.json", import.meta.url), "utf8")) as Record<
  string,
  Row
>;
type Reader = (text: string, options: ParseOptions) => ParseResult<BlockBase>;
const readers: [string, Reader][] = [
  ["ATTP", attp.parse as Reader],
  ["TAM", tam.parse as Reader],
  ["ToolsXML", toolsxml.parse as Reader],
];
/** What is found only where a tool of the name is known. */
const bare = ["pythonic"];

/** A row's marks and what is read as each, by how they are written. */
function lookAlikes(value: unknown): [mark: string, other: string][] {
  if (typeof value !== "object" || value === null) return [];
  const { text, lookAlikes: [other] = [] } = value as { text?: string; lookAlikes?: string[] };
  return [
    ...(text !== undefined && other !== undefined ? [[text.trim(), other.trim()] as [string, string]] : []),
    ...Object.values(value).flatMap(lookAlikes),
  ];
}

/** The texts of a dialect: its example, the same without its wrapper, with other marks that are read, and with marks that have a suffix. */
function textsOf(id: string, row: Row): string[] {
  const {
    example: { text },
    call,
  } = row;
  const { text: open = "", optional = false } = call.open ?? {};
  const alike = lookAlikes(row).reduce((written, [mark, other]) => written.replaceAll(mark, other), text);
  const at = open === "" || optional ? -1 : text.indexOf(open);
  const suffixed = text.replaceAll(/<(\/?(?:tool_calls?|tool_sep|arg_key|arg_value))>/g, "<$1:a9Z>");
  return [text, alike, ...(at > 0 ? [text.slice(at)] : []), ...(/^hy\d/.test(id) ? [suffixed] : [])];
}

describe.each(Object.entries(table))("%s", (id, row) => {
  const tools = row.example.calls.map(
    ({ name }): ToolDefinition => ({ name, description: "", inputSchema: { type: "object" } }),
  );
  const texts = textsOf(id, row);

  it.each(readers)("is a foreign format to %s, which runs nothing of it", (_, parse) => {
    for (const text of texts) {
      const whole = `Let me look.\n\n${text}\n`;
      for (const known of bare.includes(id) ? [tools] : [tools, []]) {
        const { blocks, diagnostics } = parse(whole, { tools: known });
        expect(blocks).toEqual([]);
        expect(diagnostics.map(({ code }) => code)).toEqual(["core/foreign-format"]);
      }
    }
  });

  it("is found by who looks for calls that leaked, and not where it is mentioned", () => {
    for (const text of texts) {
      expect(leakedCalls(`Let me look.\n\n${text}\n`, tools)).not.toEqual([]);
      if (!text.includes("```")) expect(leakedCalls(`It is \`${text.replaceAll("\n", " ")}\`.`, tools)).toEqual([]);
    }
  });
});

it.each(["</ifm|arg_value>\n</ifm|tool_call>", "</arg_value:a9Z>\n</tool_call:a9Z>", "</arg_value></tool_call>"])(
  "what closes a dialect is a foreign closer at the end of a value: %j",
  (closers) => {
    expect(foreignCloser(`x = 1${closers}`, "toolsxml")).toEqual({ start: 5, end: 5 + closers.length });
    expect(foreignCloser(`${closers.replaceAll("/", "")}${closers}`, "toolsxml")).toBeUndefined();
  },
);
