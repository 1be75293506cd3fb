import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { createParser, parse, serialize } from "../src/index.ts";
import { toJson } from "../src/repair/values.ts";
import type { AttpDocument, AttpEvent } from "../src/types.ts";

const call = (code: string): string => `[tool_call]\nstatus = "success"\ntarget = "g"\ncode = '''${code}'''\n`;
const codes = (result: { diagnostics: { code: string; affects: string }[] }): string[] =>
  result.diagnostics.map(({ code, affects }) => `${code.slice(5)} ${affects}`);

/** The same in single units; what was said of the code while it came in. */
function inUnits(text: string): { result: ReturnType<typeof parse>; code: string } {
  let code = "";
  const onEvent = (event: AttpEvent): void => {
    if (event.type === "code-delta") code += event.text;
  };
  const parser = createParser({ onEvent });
  for (const unit of text.split("")) parser.feed(unit);
  return { result: parser.end(), code };
}

/** Reads a text, and sees that chunks make no difference. */
function read(text: string): { document: AttpDocument | undefined; found: string[] } {
  const result = parse(text);
  const units = inUnits(text);
  expect(units.result).toEqual(result);
  const [document] = result.blocks;
  expect(units.code).toBe(document?.toolCall?.code ?? "");
  return { document, found: codes(result) };
}

describe("what TOML accepts is no prose", () => {
  const keys = fc.constantFrom(
    "a",
    '"q]"',
    "'l[]'",
    '"e\\"]"',
    ' a . "c d" ',
    "'x=y'",
    '"#"',
    "1",
    "d.'e#'.f",
    '""',
    "tool_call.z",
  );
  const values = fc.constantFrom(
    "0xff", "-inf", "1979-05-27 07:32:00.5-07:00", "07:32:00", '"a # b"', "'a \\'", "[\n  1, # c ]\n  2,\n]", "[ 'a]', \"]\" ]",
    '{"]"=1}', "'''\nx\n'''", "''''q'''''", "'''a\n[x]\nb = 1\n'''", "[\n'''a\n]\n''',\n]", "{}", '""""""', "[ # c\n]",
  ); // biome-ignore format: one list
  const line = fc
    .tuple(keys, values, fc.constantFrom("", " # ]'\""), fc.constantFrom("", "\t"))
    .map(([key, value, comment, indent]) => `${indent}${key} = ${value}${comment}`);
  const header = fc.constantFrom(
    "[t]",
    "[ t . u ]",
    '[k."a]b"]',
    "[k.'a[b']",
    '[["a]]b"]]',
    '[ "#" ] # c',
    "['='.x]",
    "  [ind]",
    "[''.'']",
  );
  const lines = fc.array(fc.oneof(line, line, header, fc.constantFrom("", "# [tool_call]", "   ")), { maxLength: 5 });

  it("whatever tables and keys stand around the call", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 2 }), fc.array(line, { maxLength: 2 }), lines, fc.boolean(), (top, inner, rest, fenced) => {
        const text = ["thought = 't'", ...top, '[tool_call]\nstatus = "success"\ntarget = "g"', ...inner, "code = '''\nx = 1\n'''", ...rest, ""].join("\n");
        let data: Record<string, unknown>;
        try {
          data = toJson(parseToml(text, { integersAsBigInt: "asNeeded" })) as typeof data;
        } catch {
          return;
        }
        const { thought: _, tool_call: table, ...extra } = data;
        const { status: __, target: ___, code, ...others } = table as Record<string, unknown>;
        const { document, found } = read(fenced ? `\`\`\`toml\n${text}\`\`\`\n` : text);
        expect([document?.status, found.filter((one) => !one.startsWith("unknown-key"))]).toEqual(["complete", []]);
        expect(document?.extra).toEqual(Object.keys(others).length > 0 ? { ...extra, tool_call: others } : extra);
        expect(document?.toolCall?.code).toBe(code);
      }),
      { numRuns: 600 },
    );
  }); // biome-ignore format: long lists
});

describe("what is written reads back, equal and without a finding", () => {
  const key = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom("a]b", "a[b", "a.b", "a=b", "#", "'", '"', "", "[x]", "'''", "x"),
  );
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom(
          "'''",
          '"""',
          "[tool_call]",
          "\nthought = 'x'\n",
          "```",
          "\\",
          "'",
          '"',
          "x = (",
          "    ",
          "\n",
          "\u200b",
          "\u3000",
          "\r\n",
          "`",
          "*",
        ),
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join(""));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(key, tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  const extras = fc.dictionary(key, value, { maxKeys: 3 });
  const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

  it("for every thought, target, code, message and extra", () => {
    fc.assert(
      fc.property(extras, extras, fc.option(text, { nil: undefined }), text, text, fc.boolean(), fc.boolean(), (outer, inner, thought, target, code, fails, fenced) => {
        const extra = Object.keys(inner).length > 0 ? { ...outer, tool_call: inner } : outer;
        const toolCall = fails ? { status: "fail", message: code } : { status: "success", target, code: `${code}x` };
        const written = serialize({ ...(thought !== undefined && { thought }), toolCall, extra } as Partial<AttpDocument>);
        const { document, found } = read(fenced ? `\`\`\`toml\n${written}\`\`\`\n` : written);
        expect(found.filter((one) => !/^(?:unknown-key|missing-thought)/.test(one))).toEqual([]);
        expect(document?.status).toBe("complete");
        expect([document?.thought, plain(document?.toolCall), plain(document?.extra)]).toEqual([thought, toolCall, plain(extra)]);
      }),
      { numRuns: 400 },
    );
  }); // biome-ignore format: long lists

  it.each<[string, unknown]>([
    ["a lone surrogate in a key", { "\ud800": 1 }],
    ["a lone surrogate in a key of a table in a list", { a: [{ "\udc00": 1 }] }],
    ["a lone surrogate in a list", { a: ["\ud800"] }],
    ["null", { a: [null] }],
    ["a function", { a: () => 1 }],
    ["a big integer", { a: 5n }],
    ["a symbol", { a: { b: Symbol("x") } }],
    ["a circle", (() => { const a: Record<string, unknown> = {}; a.a = a; return a; })()],
  ])("throws the error that is documented: %s", (_, extra) => {
    expect(() => serialize({ toolCall: { status: "fail", message: "m" }, extra: extra as never })).toThrow(TypeError);
  }); // biome-ignore format: one case a line
});

describe("a document that is indented as a whole", () => {
  const text = `thought = 't'\n${call("if a:\n    b = 1\n\nc = 2")}`;
  it.each([["a tab", "\t"], ["blanks", "   "], ["blanks of another script", "　　"]])("by %s loses that in its code", (_, by) => {
    const { document, found } = read(text.replace(/^(?=.)/gm, by));
    expect(document?.toolCall?.code).toBe("if a:\n    b = 1\n\nc = 2");
    expect(found).toContain("indented none");
  }); // biome-ignore format: one list

  it("says when a line of a string changed, and leaves code alone that is not indented with it", () => {
    const literal = `[tool_call]\nstatus = "success"\ncode = '''x = """\ny\n"""\n'''\n`.replace(/^(?=.)/gm, "  ");
    expect(read(literal).found).toContain("indented value");
    const margin = `  [tool_call]\n  status = "success"\n  code = '''\nif a:\n    b = 1\n'''\n`;
    expect(read(margin).document?.toolCall?.code).toBe("if a:\n    b = 1\n");
  });
});

describe("what nobody sees", () => {
  it.each([
    ["\u200b\n    x = 1\n", "\nx = 1\n"],
    ["\n\ufeffimport os\n", "import os\n"],
    ["\nx = 1\n\u200b\n", "x = 1\n\n"],
    ["\nx = 1\u2060", "x = 1"],
    ["\n  a\n\u200b\n  b\n", "a\n\nb\n"],
  ])("is taken off the edges of code: %j", (body, code) => {
    const { document, found } = read(call(body));
    expect(document?.toolCall?.code).toBe(code);
    expect(found).toContain(body.includes("a\n") ? "dedented none" : "invisible-characters none");
  });

  it("makes no line of a document", () => {
    for (const blank of ["\u200b", "\u00a0", "\u3000\u200b", "\ufeff "]) {
      const { document, found } = read(`[tool_call]\n${blank}\nstatus = "success"\n${blank}\ncode = '''\nx\n'''\n${blank}\nz = 1\n`);
      expect([document?.toolCall?.code, document?.extra.tool_call, found.includes("odd-delimiters structure")]).toEqual(["x\n", { z: 1 }, true]);
    }
  }); // biome-ignore format: long lines

  it.each(["`x`", "“x”", " x", "x\u200b", "**x**", "「x」"])("or quotes around one line are kept, and in doubt: %s", (value) => {
    for (const keys of [`target = "${value}"\ncode = "y"`, `target = "g"\ncode = "${value}"`]) {
      const { document, found } = read(`[tool_call]\nstatus = "success"\n${keys}\n`);
      expect(Object.values(document?.toolCall ?? {})).toContain(value);
      expect([document?.status, found]).toEqual(["complete", ["missing-thought none", "dressed-value value"]]);
    }
    expect(read(call(`\n${value}\n`)).found.some((one) => one.startsWith("dressed"))).toBe(false);
  }); // biome-ignore format: long lines
});

it("reads lines of white space once, whatever the chunks", () => {
  const cost = (length: number, open: string, unit: string): number => {
    const text = `${open}${unit.repeat(length)}\nx\n'''\n`;
    const before = process.cpuUsage();
    const parser = createParser({ onEvent: () => {} });
    for (let at = 0; at < text.length; at += 37) parser.feed(text.slice(at, at + 37));
    parser.end();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  for (const open of [`[tool_call]\nstatus = "success"\ncode = '''\n`, `[tool_call]\n[`, "[tool_call]\n"])
    for (const unit of ["\t", " ", "\r", "\u00a0", "\u3000", "\u200b"]) {
      const [few, many] = [4_000, 32_000].map((length) => Math.min(cost(length, open, unit), cost(length, open, unit))) as [number, number];
      // Eight times the text: a walk back over it would cost sixty-four times as much.
      expect(many, JSON.stringify([open, unit])).toBeLessThan(Math.max(60, 20 * few));
    }
}); // biome-ignore format: long lines
