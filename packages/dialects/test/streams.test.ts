import { describe, expect, it } from "vitest";
import { createParser } from "../src/parse.ts";
import { serialize } from "../src/serialize.ts";
import { dialects } from "../src/table/all.ts";

const string = { type: "string" } as const;
const tools = [{ name: "note", inputSchema: { type: "object" as const, properties: { text: string } } }];
const value = "word ".repeat(400);
// A call without marks waits for its end: only then is it known that nothing but calls stands on its lines.
const marked = Object.values(dialects).filter(({ id, write }) => write && id !== "llama3-json" && id !== "pythonic");

describe.each(marked.map(({ id }) => id))("%s", (id) => {
  it.each([id, "auto"])("gives out a value while it comes, read as %s", (dialect) => {
    const text = serialize({ dialect: id as never, calls: [{ name: "note", input: { text: value } }] }, { tools });
    const begin = text.indexOf("word ");
    let came = "";
    const parser = createParser({
      dialect: dialect as never,
      tools,
      onEvent: (event) => {
        if (event.type === "argument-delta") came += event.text;
      },
    });
    for (let at = 0; at < text.length; at += 4) {
      parser.feed(text.slice(at, at + 4));
      const fed = Math.min(value.length, at + 4 - begin);
      expect(came.length).toBeGreaterThanOrEqual(fed - 300);
    }
    expect(came).toBe(value);
  });
});
