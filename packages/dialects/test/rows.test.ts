import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/parse.ts";
import { dialects } from "../src/table/all.ts";

const rows = Object.values(dialects);

function inChunks(text: string, size: number, options: Parameters<typeof createParser>[0]) {
  const parser = createParser(options);
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  return parser.end();
}

describe.each(rows.map((row) => [row.id, row] as const))("%s", (id, row) => {
  const tools = row.example.calls.map(({ name }) => ({ name, inputSchema: { type: "object" as const } }));
  const calls = row.example.calls.map((call) => expect.objectContaining({ status: "complete", ...call }));

  it("reads its example, when it is asked for", () => {
    const result = parse(row.example.text, { dialect: id as never, tools });
    expect(result.diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(result.blocks.flatMap((block) => block.calls)).toEqual(calls);
    expect(result.blocks.map(({ dialect, status }) => [dialect, status])).toEqual([[id, "complete"]]);
  });

  it("reads it unit by unit", () => {
    for (const dialect of [id, "auto"] as const) {
      const whole = parse(row.example.text, { dialect: dialect as never, tools });
      for (const size of [1, 3, 7])
        expect(inChunks(row.example.text, size, { dialect: dialect as never, tools })).toEqual(whole);
    }
  });

  it("reads it by what it begins with", () => {
    const result = parse(row.example.text, { tools });
    expect(result.blocks.flatMap((block) => block.calls)).toEqual(calls);
  });
});
