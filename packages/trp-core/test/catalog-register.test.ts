import { toInputSchema } from "@toolglot/schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { registerCapability } from "../src/catalog/register.ts";
import type { AnyCapability, ArgumentCheck } from "../src/catalog/types.ts";

const base: AnyCapability = {
  capId: "cap.search.web.v1",
  name: "web_search",
  description: "Searches.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args: { query: "string", "top_k?": "integer = 5" },
  execute: () => null,
};

function check(args: AnyCapability["args"], given: unknown): ArgumentCheck {
  return registerCapability({ ...base, args }).validate(given) as ArgumentCheck;
}

describe("registration", () => {
  it("makes schema, template, family and digest (TRP v0.1 draft, 6.1.2)", () => {
    const registered = registerCapability(base);
    expect(registered.family).toBe("cap.search.web");
    expect(registered.argTemplate).toEqual({ query: "string", top_k: "int?" });
    expect(registered.schema).toEqual({
      type: "object",
      properties: { query: { type: "string" }, top_k: { type: "integer", default: 5 } },
      required: ["query"],
      additionalProperties: false,
    });
    expect(registered.schemaDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(registered.keyRequired).toBe(false);
  });

  it("has a digest over schema, risk, effect and adapter version, and nothing else", () => {
    const { schemaDigest } = registerCapability(base);
    const changed: Partial<AnyCapability>[] = [
      { args: { query: "string" } },
      { riskTier: "MEDIUM" },
      { effect: "idempotent" },
      { adapterVersion: "2" },
    ];
    for (const change of changed)
      expect(registerCapability({ ...base, ...change }).schemaDigest).not.toBe(schemaDigest);
    const same: Partial<AnyCapability>[] = [
      { capId: "cap.other.v1" },
      { name: "other" },
      { description: "Else." },
      { adapterVersion: "1" },
      { args: { "top_k?": "integer = 5", query: "string" } },
    ];
    for (const change of same) expect(registerCapability({ ...base, ...change }).schemaDigest).toBe(schemaDigest);
  });

  it("takes what an open schema leaves open, and nothing that it forbids", () => {
    const open = (input: object) =>
      registerCapability({ ...base, args: undefined, input, openInput: true } as unknown as AnyCapability);
    const texts = open({
      type: "object",
      properties: { n: { type: "integer" } },
      additionalProperties: { type: "string" },
    });
    expect(texts.schema.additionalProperties).toEqual({ type: "string" });
    expect(texts.validate({ n: 1, other: "text" })).toEqual({ success: true, args: { n: 1, other: "text" } });
    expect(texts.validate({ other: 1 })).toMatchObject({ success: false });
    expect(open({ type: "object" }).validate({ any: { thing: [1] } })).toMatchObject({ success: true });
    expect(open({ type: "object", additionalProperties: false }).validate({ any: 1 })).toMatchObject({
      success: false,
    });
    expect(() => registerCapability({ ...base, openInput: "yes" as never })).toThrow("openInput must be true or false");
  });

  it("keeps an untrusted schema untrusted: its patterns hold nobody up", () => {
    const input = toInputSchema(
      { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
      { untrusted: true },
    );
    const { validate } = registerCapability({
      ...base,
      args: undefined,
      input,
      openInput: true,
    } as unknown as AnyCapability);
    expect(validate({ a: `${"a".repeat(10_000)}!` })).toMatchObject({ success: false });
    expect(validate({ a: "aa", b: 1 })).toMatchObject({ success: true });
  });

  it.each([
    ["LOW", "READ", false],
    ["MEDIUM", "READ", true],
    ["HIGH", "READ", true],
    ["CRITICAL", "READ", true],
    ["LOW", "WRITE", true],
  ] as const)("needs a key for %s %s: %s (TRP v0.1 draft, 9.1)", (riskTier, ioClass, keyRequired) => {
    expect(registerCapability({ ...base, riskTier, ioClass }).keyRequired).toBe(keyRequired);
  });

  it.each<[string, Partial<Record<keyof AnyCapability, unknown>>, RegExp]>([
    ["no cap", { capId: "search.web.v1" }, /cap\.<words>\.v<number>/],
    ["no version", { capId: "cap.search.web" }, /cap\.<words>\.v<number>/],
    ["version 0", { capId: "cap.search.web.v0" }, /cap\.<words>\.v<number>/],
    ["an empty word", { capId: "cap..web.v1" }, /cap\.<words>\.v<number>/],
    ["capitals", { capId: "cap.Search.v1" }, /cap\.<words>\.v<number>/],
    ["too long", { capId: `cap.${"a".repeat(200)}.v1` }, /cap\.<words>\.v<number>/],
    ["no text", { capId: 5 }, /got number/],
    ["a name with spaces", { name: "web search" }, /name/],
    ["no description", { description: " " }, /description/],
    ["an unknown risk", { riskTier: "HUGE" }, /riskTier must be one of LOW/],
    ["an unknown io class", { ioClass: "BOTH" }, /ioClass must be one of READ/],
    ["an unknown effect", { effect: "none" }, /effect must be one of pure/],
    ["no execute", { execute: undefined }, /execute/],
    ["a probe that is none", { effect: "probe", riskTier: "HIGH", probe: 5 }, /probe must be a function/],
    ["probe without probe", { effect: "probe", riskTier: "HIGH" }, /needs a probe function/],
    ["a probe that is never asked", { probe: () => ({ state: "unknown" }) }, /never asked/],
    ["an opaque effect without a key", { effect: "opaque" }, /called without a key/],
    ["a keyed effect without a key", { effect: "keyed" }, /called without a key/],
    ["rules that are none", { rules: [{ name: "x" }] }, /rules/],
    ["roles that are none", { roles: "admin" }, /roles/],
    ["roles that nobody has", { roles: [] }, /hides it from everybody/],
    ["a timeout of 0", { maxTimeoutMs: 0 }, /maxTimeoutMs/],
    ["half a place", { maxConcurrency: 0.5 }, /maxConcurrency/],
    ["an example that does not fit", { examples: [{ args: { query: 5 } }] }, /examples\[0\] does not fit args: query/],
    ["an example without args", { examples: [{}] }, /examples/],
    ["args that are no object schema", { args: { type: "array" } }, /object/],
    ["args with free names", { args: z.record(z.string(), z.number()) }, /name each argument/],
    ["an empty adapter version", { adapterVersion: "" }, /adapterVersion/],
  ])("refuses %s", (_what, change, message) => {
    const define = (): unknown => registerCapability({ ...base, ...change } as AnyCapability);
    expect(define).toThrow(TypeError);
    expect(define).toThrow(message);
  });
});

describe("structural validation (TRP v0.1 draft, 10.3)", () => {
  it("fills in defaults", () => {
    expect(check(base.args, { query: "a" })).toEqual({ success: true, args: { query: "a", top_k: 5 } });
  });

  it.each([
    [{ query: 5 }, /query/],
    [{ query: "a", top_k: "5" }, /top_k: expected integer, got string/],
    [{ query: "a", top_k: "many" }, /top_k/],
    [{ query: "a", top_k: null }, /top_k/],
    [{ top_k: 5 }, /query/],
    [{ query: "a", other: 1 }, /other/],
    [{}, /query/],
    [[], /./],
    ["query", /./],
    [null, /./],
  ])("refuses %j: values are not converted, unknown ones not taken", (given, message) => {
    const result = check(base.args, given);
    expect(result).toMatchObject({ success: false });
    expect((result as { issues: string[] }).issues.join("; ")).toMatch(message);
  });

  it.each([
    ["zod", z.object({ query: z.string(), top_k: z.int().default(5) })],
    ["loose zod", z.looseObject({ query: z.string(), top_k: z.int().default(5) })],
    ["coercing zod", z.object({ query: z.string(), top_k: z.coerce.number().default(5) })],
    ["valibot", v.object({ query: v.string(), top_k: v.optional(v.pipe(v.number(), v.integer()), 5) })],
    [
      "JSON Schema",
      {
        type: "object",
        properties: { query: { type: "string" }, top_k: { type: "integer", default: 5 } },
        required: ["query"],
      },
    ],
  ] as [string, AnyCapability["args"]][])("is as strict with %s", (_name, args) => {
    expect(check(args, { query: "a" })).toEqual({ success: true, args: { query: "a", top_k: 5 } });
    for (const given of [{ query: "a", top_k: "5" }, { query: "a", extra: true }, { query: 5 }, {}]) {
      expect(check(args, given)).toMatchObject({ success: false });
    }
  });

  it("refuses unknown arguments of unions too, and takes those of each branch", () => {
    const args = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("id"), id: z.int() }),
      z.object({ kind: z.literal("name"), name: z.string() }),
    ]);
    expect(check(args as never, { kind: "id", id: 5 })).toMatchObject({ success: true });
    expect(check(args as never, { kind: "name", name: "x" })).toMatchObject({ success: true });
    expect(check(args as never, { kind: "id", id: 5, extra: 1 })).toMatchObject({ success: false });
    expect(check(args as never, { kind: "id", name: "x" })).toMatchObject({ success: false });
  });

  it("lets the library have its say, with a path and its message", () => {
    const args = z.object({
      range: z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to, "from is after to"),
    });
    expect(check(args, { range: { from: 2, to: 1 } })).toEqual({ success: false, issues: ["range: from is after to"] });
  });

  it("takes what a library makes of arguments only when it is JSON: it is hashed and kept", () => {
    const trimmed = z.object({ query: z.string().transform((text) => text.trim()) });
    expect(check(trimmed, { query: " a " })).toEqual({ success: true, args: { query: "a" } });
    const dated = z.object({ day: z.string().transform((text) => new Date(text)) });
    expect(check(dated, { day: "2026-01-01" })).toMatchObject({
      success: false,
      issues: [expect.stringMatching(/not JSON/)],
    });
  });

  it("waits for a library that takes its time, and tells nothing of one that breaks", async () => {
    const slow = z.object({ query: z.string().refine(async (text) => text !== "bad", "bad word") });
    const { validate } = registerCapability({ ...base, args: slow });
    expect(await validate({ query: "good" })).toEqual({ success: true, args: { query: "good" } });
    expect(await validate({ query: "bad" })).toEqual({ success: false, issues: ["query: bad word"] });
    const broken = z.object({
      query: z.string().refine(() => {
        throw new Error("secret");
      }),
    });
    const result = await check(broken, { query: "a" });
    expect(result).toMatchObject({ success: false });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("keeps names that objects have by themselves as plain arguments", () => {
    const args = { type: "object", properties: { constructor: { type: "string" } }, additionalProperties: false };
    expect(check(args as never, {})).toMatchObject({ success: true });
    expect(check(args as never, JSON.parse('{"constructor":"x"}'))).toMatchObject({ success: true });
    expect(check(args as never, JSON.parse('{"__proto__":{"constructor":"x"}}'))).toMatchObject({ success: false });
  });
});
