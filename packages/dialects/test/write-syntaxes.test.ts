import type { JsonObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { serialize } from "../src/serialize.ts";
import type { DialectId } from "../src/table/ids.ts";

const one = (dialect: DialectId, input: JsonObject): string => serialize({ dialect, calls: [{ name: "f", input }] });
/** What a caller is told. */
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  return "nothing was refused";
};

describe("other syntaxes", () => {
  it("writes trees of tags, and as JSON what tags can't say", () => {
    const sign = "]<]minimax[>[";
    const input = { o: { k: [1, "x"] }, e: [], i: { item: 1 } };
    expect(one("minimax-m3", input)).toContain(
      `${sign}<o>${sign}<k>${sign}<item>1${sign}</item>${sign}<item>x${sign}</item>${sign}</k>${sign}</o>` +
        `${sign}<e>[]${sign}</e>${sign}<i>{"item": 1}${sign}</i>`,
    );
    expect(refusal(() => one("minimax-m3", { a: `${sign}<b>` }))).toContain("own closer");
    expect(refusal(() => one("minimax-m3", { "a b": 1 }))).toContain("tag");
    expect(one("cohere5", { e: [], s: "true" })).toContain(
      'type="list"></cofl:value><cofl:value name="s" type="raw">true',
    );
  });

  it("writes Python literals", () => {
    expect(one("pythonic", { s: 'a"b\n', t: true, n: null, d: { k: [1.5, false] } })).toBe(
      '[f(s="a\\"b\\n", t=True, n=None, d={"k": [1.5, False]})]',
    );
    expect(one("sarashina", { s: `it's "x"` })).toContain(`'s': 'it\\'s "x"'`);
    expect(refusal(() => one("pythonic", { "a b": 1 }))).toContain("a b");
  });

  it("writes lfm2's strings without escapes, and refuses a quote before a separator", () => {
    expect(one("lfm2", { s: "it's\n\\", l: ["it's"], o: { k: true } })).toContain(
      `[f(s='it's\n\\', l=['it's'], o={"k": true})]`,
    );
    for (const text of ["a', b", "(x')", "x' ]"])
      expect(
        refusal(() => one("lfm2", { s: text })),
        text,
      ).toContain("separator");
  });

  it("writes Gemma's values, sorted", () => {
    expect(one("gemma4", { z: 'a, "b"}', "a b": [true, null], m: {} })).toContain(
      'call:f{<|"|>a b<|"|>:[true,null],m:{},z:<|"|>a, "b"}<|"|>}',
    );
    expect(refusal(() => one("gemma4", { a: 'x<|"|>y' }))).toContain("input.a");
    expect(refusal(() => one("functiongemma", { a: "<escape>" }))).toContain("input.a");
  });

  it("sorts Gemma's keys whether capital or not, also of objects in objects", () => {
    expect(one("gemma4", { b: { D: 1, c: 2 }, A: 3 })).toContain("call:f{A:3,b:{c:2,D:1}}");
  });

  it("gives each call of atem a header of its own", () => {
    const calls = ["f", "g"].map((name) => ({ name, input: {} }));
    expect(serialize({ dialect: "atem", calls })).toMatch(
      /^<\|start\|>assistant to=f<.*<\|eom\|><\|start\|>assistant to=g</s,
    );
  });

  it("writes CDATA where text could be markup", () => {
    expect(one("minicpm5", { a: "1 < 2" })).toContain("<![CDATA[1 < 2]]>");
    expect(refusal(() => one("minicpm5", { a: "<]]>" }))).toContain("]]>");
  });

  it("numbers the calls of Kimi K3, and escapes its attributes", () => {
    const calls = [
      { name: "a&b", input: { 'k"': 1 } },
      { name: "g", input: {} },
    ];
    const text = serialize({ dialect: "kimi-k3", calls });
    expect(text).toContain('call tool="a&amp;b" index="1"<|sep|><|open|>argument key="k&quot;" type="number"<|sep|>1');
    expect(text).toContain('tool="g" index="2"');
  });
});
