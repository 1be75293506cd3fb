import fc from "fast-check";
import { expect, it } from "vitest";
import { bindNames, type JsonSchemaObject } from "../src/index.ts";

const none: JsonSchemaObject = { type: "object" };
const names = (list: string[], language: "python" | "javascript" = "python"): string[] =>
  bindNames(
    list.map((name) => ({ name, inputSchema: none })),
    language,
  ).tools.map((tool) => tool.identifier);
const params = (inputSchema: JsonSchemaObject, language: "python" | "javascript" = "python"): string[] =>
  (bindNames([{ name: "t", inputSchema }], language).tools[0]?.params ?? []).map((param) => param.identifier);

it.each([
  ["search_web", "search_web"],
  ["File.Write", "File_Write"],
  ["get-weather now", "get_weather_now"],
  ["class", "class_"],
  ["None", "None_"],
  ["3d_model", "_3d_model"],
  ["print", "print_"],
  ["list", "list_"],
  ["json", "json_"],
  ["math", "math_"],
  ["re", "re_"],
  ["ValueError", "ValueError_"],
  ["ToolError", "ToolError_"],
  ["__result__", "_result__"],
  ["__import__", "_import__"],
  ["_private", "_private"],
  ["查询天气", "查询天气"],
  ["naïve", "naïve"],
  ["ﬁle", "file"],
  ["𝒇ind", "find"],
  ["a𠀀b", "a_b"],
  ["a$b", "a_b"],
  ["match", "match"],
  ["router", "router"],
  ["***", "tool"],
  ["", "tool"],
  ["\ud800", "tool"],
  ["get\u200bkey", "get_key"],
])("should call the tool %j %j in Python", (name, identifier) => {
  expect(names([name])).toEqual([identifier]);
});

it.each([
  ["File.Write", "File_Write"],
  ["a$b", "a$b"],
  ["await", "await_"],
  ["print", "print_"],
  ["Uint8ClampedArray", "Uint8ClampedArray_"],
  ["BigUint64Array", "BigUint64Array_"],
  ["WeakRef", "WeakRef_"],
  ["encodeURIComponent", "encodeURIComponent_"],
  ["RangeError", "RangeError_"],
  ["JSON", "JSON_"],
  ["json", "json"],
  ["def", "def"],
  ["__proto__", "_proto__"],
  ["constructor", "constructor_"],
  ["ﬁle", "ﬁle"],
  ["a𠀀b", "a_b"],
])("should call the tool %j %j in JavaScript", (name, identifier) => {
  expect(names([name], "javascript")).toEqual([identifier]);
});

it.each(["a\u30fbb", "a\uff65b", "a\u0897b", "a\u200db", "a\u1acfb", "a\ua7cbb", "a\u0c5cb"])(
  "should not name a Python function %j, which interpreters with an older Unicode do not read",
  (name) => {
    const [tool] = bindNames([{ name, inputSchema: { type: "object", properties: { [name]: {} } } }], "python").tools;
    expect([tool?.identifier, tool?.params[0]?.identifier]).toEqual(["a_b", "a_b"]);
  },
);

it("should number clashes and leave names alone that are identifiers already", () => {
  expect(names(["a.b", "a-b", "a_b", "a_b_2", "a b"])).toEqual(["a_b_3", "a_b_4", "a_b", "a_b_2", "a_b_5"]);
  expect(names(["class", "class_"])).toEqual(["class__2", "class_"]);
});

it("should not rename a tool because another one came", () => {
  expect(names(["a_b"])).toEqual(["a_b"]);
  expect(names(["a.b", "a_b"])[1]).toBe("a_b");
});

it("should order parameters: required first, each group in schema order", () => {
  const schema: JsonSchemaObject = {
    type: "object",
    properties: { a: { type: "integer", default: 5 }, b: { type: "string" }, c: {}, d: true },
    required: ["d", "b", "ghost"],
  };
  const [tool] = bindNames([{ name: "t", inputSchema: schema }], "python").tools;
  expect(tool).toEqual({
    name: "t",
    identifier: "t",
    params: [
      { name: "b", identifier: "b", required: true, schema: { type: "string" } },
      { name: "d", identifier: "d", required: true, schema: true },
      { name: "ghost", identifier: "ghost", required: true, schema: true },
      { name: "a", identifier: "a", required: false, schema: { type: "integer", default: 5 }, default: 5 },
      { name: "c", identifier: "c", required: false, schema: {} },
    ],
  });
});

it("should keep a default of null, false or 0", () => {
  const properties = { a: { default: null }, b: { default: false }, c: { default: 0 } };
  const [tool] = bindNames([{ name: "t", inputSchema: { properties } }], "python").tools;
  expect(tool?.params.map((param) => param.default)).toEqual([null, false, 0]);
});

it("should let parameters have a builtin's name, but no keyword's", () => {
  expect(params({ properties: { id: {}, type: {}, from: {}, "max-results": {}, 结果: {} } })).toEqual([
    "id",
    "type",
    "from_",
    "max_results",
    "结果",
  ]);
  const hostile = JSON.parse('{"properties":{"__proto__":{},"constructor":{},"prototype":{}}}') as JsonSchemaObject;
  expect(params(hostile, "javascript")).toEqual(["_proto__", "constructor_", "prototype_"]);
  expect(params({ properties: { "": {}, "?": {} } })).toEqual(["arg", "arg_2"]);
});

it("should say when a tool takes further properties", () => {
  const rest = (additionalProperties: JsonSchemaObject | boolean): unknown =>
    bindNames([{ name: "t", inputSchema: { additionalProperties } }], "python").tools[0]?.rest;
  expect(rest({ type: "string" })).toEqual({ type: "string" });
  expect(rest(true)).toBe(true);
  expect(rest(false)).toBeUndefined();
});

it("should look tools up both ways", () => {
  const bindings = bindNames([{ name: "File.Write", inputSchema: none }], "python");
  expect(bindings.byName.get("File.Write")?.identifier).toBe("File_Write");
  expect(bindings.byIdentifier.get("File_Write")?.name).toBe("File.Write");
  expect(bindings.byIdentifier.get("__proto__")).toBeUndefined();
  expect(bindings.language).toBe("python");
});

it("should refuse two tools of one name", () => {
  expect(() => names(["a", "b", "a"])).toThrow(/"a": rename/);
});

it("should give every list of names as many different identifiers, and the same ones again", () => {
  const name = fc.oneof(
    fc.constantFrom("a.b", "a_b", "a-b", "a_b_2", "class", "class_", "print", "print_", "tool", "", "__a", "_a", "1"),
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.constantFrom("python" as const, "javascript" as const), (list, language) => {
      const identifiers = names(list, language);
      expect(new Set(identifiers).size).toBe(list.length);
      expect(names(list, language)).toEqual(identifiers);
      for (const identifier of identifiers) {
        expect(identifier).toMatch(language === "python" ? /^[\p{XIDS}_]\p{XIDC}*$/u : /^[\p{IDS}_$][\p{IDC}$]*$/u);
        expect(identifier.startsWith("__")).toBe(false);
        if (language === "python") expect(identifier).toBe(identifier.normalize("NFKC"));
        else
          expect(() => new Function(`"use strict"; let ${identifier}; function f() { ${identifier} }`)).not.toThrow();
      }
    }),
  );
});
