import type { JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gemmaLiterals } from "../src/values/gemma.ts";
import { LiteralReader } from "../src/values/literal-reader.ts";
import { readChunks, readEachWay, slipsOf } from "./read-literal.ts";

const quote = '<|"|>';
const gemma = gemmaLiterals({ stringDelimiters: [[quote, quote]] });
const functionGemma = gemmaLiterals({ stringDelimiters: [["<escape>", "<escape>"]] });
/** `~` stands for the delimiter. */
const read = (text: string) => readEachWay(text.replaceAll("~", quote), gemma);

describe("Gemma's values", () => {
  it.each<[string, JsonValue]>([
    [
      "{city:~SF~,n:3,ok:true,o:{k:~v~},l:[1,2],x:null}",
      { city: "SF", n: 3, ok: true, o: { k: "v" }, l: [1, 2], x: null },
    ],
    ["{}", {}],
    ["{l:[]}", { l: [] }],
    ['{a:~}, "b": ] \\n < <| <|" ~}', { a: '}, "b": ] \\n < <| <|" ' }],
    ["{a:~~}", { a: "" }],
    ["{~a:b~:1, c d : ~x~ }", { "a:b": 1, "c d": "x" }],
    ["~x~", "x"],
    ["{a.b-c:-1.5e3}", { "a.b-c": -1500 }],
  ])("%s", (text, value) => {
    const found = read(text);
    expect([found.state, slipsOf(found)]).toEqual(["done", []]);
    expect(found.value).toEqual(value);
  });

  it("reads delimiters of any kind", () => {
    expect(readEachWay("{a:<escape>x<esc<escape>}", functionGemma).value).toEqual({ a: "x<esc" });
  });

  it.each<[string, JsonValue, string[]]>([
    ["{city:SF,n:3}", { city: "SF", n: 3 }, ["unquoted-value value 6-8"]],
    ["{city: San Francisco \n}", { city: "San Francisco" }, ["unquoted-value value 7-20"]],
    ["{t:12:30}", { t: "12:30" }, ["unquoted-value value 3-8"]],
    ["{a:'x, y',b:\"}\\n\"}", { a: "x, y", b: "}\n" }, ["unquoted-value value 3-9", "unquoted-value value 12-17"]],
    ['{"a":1}', { a: 1 }, ["unquoted-value structure 1-4"]],
    ["{a:1,}", { a: 1 }, ["json-repaired structure 5-6"]],
    ["{a:True}", { a: true }, ["python-literal none 3-7"]],
    ["{a:12345678901234567890}", { a: "12345678901234567890" }, ["inexact-number value 3-23"]],
    ["{a:1,a:2}", { a: 2 }, ["duplicate-key value 5-6"]],
  ])("%s is read as meant", (text, value, slips) => {
    const found = read(text);
    expect(found.state).toBe("done");
    expect(found.value).toEqual(value);
    expect(slipsOf(found)).toEqual(slips);
  });

  it("tells a bare word as the string that it is", () => {
    expect([...read("{a:b c }").pieces.values()]).toEqual(["b c"]);
  });

  it.each(["{a:}", "{a:,b:1}", "{:1}", '{a:"San "Fran" X"}', "{a}", '{a:say "hi, there"}', "{a:~x~y}"])(
    "%s gives no value",
    (text) => {
      expect(read(text)).toMatchObject({ state: "failed", value: undefined });
    },
  );

  it("is blocked by a mark, and can be closed there", () => {
    for (const text of ["{a:SF<tool_call|>", `{a:${quote}SF${quote}<tool_call|>`, "{o:{n:3<tool_call|>"]) {
      const reader = new LiteralReader(gemma);
      const at = reader.read(text, 0, 0, false);
      expect([reader.state, text.slice(at), reader.close(at)]).toEqual(["blocked", "<tool_call|>", true]);
    }
  });

  it("reads back, whatever the chunks", () => {
    const write = (value: JsonValue): string => {
      if (typeof value === "string") return quote + value + quote;
      if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
      if (typeof value !== "object" || value === null) return JSON.stringify(value);
      return `{${Object.entries(value)
        .map(([key, item]) => `${key}:${write(item)}`)
        .join(",")}}`;
    };
    const text = fc.string({
      unit: fc.constantFrom("a", "}", ",", '"', "<", "\\", "é", "😀", "\n", "'"),
      maxLength: 12,
    });
    const key = fc.stringMatching(/^[a-z][a-z_.-]{0,5}$/);
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constantFrom(true, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value), (object) => {
        const written = write(object as JsonValue);
        const found = readEachWay(written, gemma);
        expect(found).toMatchObject({ state: "done", slips: [], end: written.length });
        expect(JSON.parse(JSON.stringify(found.value))).toEqual(JSON.parse(JSON.stringify(object)));
        for (let at = 0; at < written.length; at++) {
          expect(readChunks([written.slice(0, at)], gemma).state).not.toBe("done");
        }
      }),
    );
  });
});
