import { testDoors } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { type AttpEvent, AttpParserStream, createParser, parse, parseStream } from "../src/index.ts";
import { documentOf } from "./fixtures.ts";

const text = `Sure.\n${documentOf("x = 1\n__result__ = x\n", { fence: "```" })}Done.\n`;

function pushed(chunks: readonly string[]): AttpEvent[] {
  const events: AttpEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  parser.end();
  return events;
}

it("gives out each field once, also where code and message stand in one document", () => {
  const both = `thought = "why"
[tool_call]
status = "success"
target = "x"
code = '''
f()
'''
message = '''
m
'''
`;
  const given = pushed([both]).flatMap((event) => (event.phase === "delta" ? [[event.type, event.text]] : []));
  expect(given).toEqual([
    ["thought-delta", "why"],
    ["status", "success"],
    ["target", "x"],
    ["code-delta", "f()\n"],
    ["message-delta", "m\n"],
  ]);
});

describe("the doors", () => {
  const doors = {
    parse,
    createParser: (onEvent?: (event: AttpEvent) => void) => createParser(onEvent && { onEvent }),
    parseStream,
    makeStream: () => new AttpParserStream(),
  };
  testDoors(doors, text, { delta: "code-delta", unfinished: "thought = " });

  it("a caller's mistake throws at once", () => {
    expect(() => createParser({ language: "ruby" as never })).toThrow(TypeError);
    expect(() => createParser({ repairs: "some" as never })).toThrow(TypeError);
    expect(() => createParser({ repairs: null as never })).toThrow("repairs must be");
    expect(() => createParser({ repair: "none" } as never)).toThrow('no option "repair". Did you mean');
    expect(() => createParser({ repairs: { "attp/inner-quote": false } })).toThrow('Did you mean "attp/inner-quotes"?');
    expect(() => createParser({ repairs: { "attp/inner-quotes": false, "core/x": false } })).not.toThrow();
    expect(() => createParser({ maxInputLength: Number.NaN })).toThrow(TypeError);
    expect(() => createParser().feed(1 as never)).toThrow(TypeError);
  });
});

/** What was said of each field after each chunk. */
function deltasAfter(chunks: readonly string[], type: AttpEvent["type"]): string[] {
  let said = "";
  const parser = createParser({
    onEvent: (event) => {
      if (event.type === type && "text" in event) said += event.text;
    },
  });
  const after = chunks.map((chunk) => {
    parser.feed(chunk);
    return said;
  });
  parser.end();
  return [...after, said];
}

describe("when deltas come", () => {
  const head = 'thought = "t"\n[tool_call]\nstatus = "success"\ntarget = "a"\n';

  it("code streams up to what may be its end", () => {
    expect(deltasAfter([`${head}code = '''\nx`, " = 1", "\n''", "'\n", "[meta]\n"], "code-delta")).toEqual([
      "x",
      "x = 1",
      "x = 1\n",
      "x = 1\n",
      "x = 1\n",
      "x = 1\n",
    ]);
  });

  it("quotes that are data stream as soon as that is known", () => {
    expect(deltasAfter([`${head}code = '''\na = '''b`, "'''\n", "c = f()\n"], "code-delta")[0]).toBe("a = '''b");
    // In a fence, quotes alone in front of a line's end may be the code's end, with stray text behind: that waits.
    const fenced = ["```toml\n", `${head}code = '''\na = '''b`, "'''\n", "c = f()\n", "d = '''e''' + c\nf()"];
    expect(deltasAfter(fenced, "code-delta").slice(1, 5)).toEqual([
      "a = '''b",
      "a = '''b",
      "a = '''b",
      "a = '''b'''\nc = f()\nd = '''e''' + c\nf()",
    ]);
  });

  it("code that begins indented, or with a fence, waits for its end", () => {
    expect(deltasAfter([`${head}code = '''\n  x = 1\n`, "  y = 2\n'''\n"], "code-delta")).toEqual([
      "",
      "",
      "x = 1\ny = 2\n",
    ]);
    expect(deltasAfter([`${head}code = '''\n\`\`\`python\nx\n`, "```\n'''\n"], "code-delta")).toEqual(["", "", "x\n"]);
  });

  it("basic strings stream up to the first backslash", () => {
    expect(deltasAfter(['thought = """\nI ', "go C:\\", 'new."""\n[tool_call]\n'], "thought-delta")).toEqual([
      "I ",
      "I go C:",
      "I go C:",
      "I go C:\new.",
    ]);
  });

  it("thought, status and target are said before the code, once", () => {
    const types = pushed([documentOf("x = 1\n")]).map(({ type }) => type);
    expect(types).toEqual(["document-start", "thought-delta", "status", "target", "code-delta", "document-end"]);
  });
});

describe("how the message ended", () => {
  const read = (chunk: string, end: Parameters<ReturnType<typeof createParser>["end"]>[0]): string | undefined => {
    const parser = createParser();
    parser.feed(chunk);
    return parser.end(end).blocks[0]?.status;
  };
  const open = documentOf("x = 1\n", { fence: "```" }).slice(0, -4);

  it.each([
    [open, undefined, "recovered"],
    [open, { finish: "length" as const }, "truncated"],
    [open, { finish: "error" as const }, "truncated"],
    [open, { finish: "stop" as const, stopSequence: "```" }, "complete"],
    [open, { finish: "stop" as const, stopSequence: "\n```\n" }, "complete"],
    [documentOf("x = 1\n"), { finish: "length" as const }, "truncated"],
    [documentOf("x = 1\n"), { finish: "stop" as const, stopSequence: "[tool_result]" }, "complete"],
    [documentOf("x = 1\n", { close: "" }), { finish: "stop" as const, stopSequence: "```" }, "truncated"],
    [documentOf("x = 1\n", { close: "" }), { finish: "stop" as const, stopSequence: "'''" }, "complete"],
  ])("%j with %j is %s", (chunk, end, status) => {
    expect(read(chunk, end)).toBe(status);
  });
});
