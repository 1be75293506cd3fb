import { canonicalJson, uuidV7Time } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { base64url, base64urlBytes } from "../src/digest/base64url.ts";
import { randomId, uuidV7 } from "../src/digest/ids.ts";
import { hmacSha256, hmacSha256Portable, sha256Digest, sha256Hex, sha256HexPortable } from "../src/digest/sha256.ts";

const utf8 = new TextEncoder();
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

it("writes the sample of RFC 8785, 3.2.2 to the byte", () => {
  const sample = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`);
  expect(canonicalJson(sample)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

it("sorts keys by UTF-16 code units, as RFC 8785, 3.2.3 has it", () => {
  const unsorted = JSON.parse(String.raw`{
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`);
  expect(Object.values(JSON.parse(canonicalJson(unsorted)))).toEqual(
    // JSON.parse puts the integer key first, so the order is read from the text too.
    expect.arrayContaining(["One"]),
  );
  const order = [...canonicalJson(unsorted).matchAll(/:"([^"]+)"/g)].map((found) => found[1]);
  expect(order).toEqual([
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
  ]);
});

it.each([
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
])("writes the double %s as RFC 8785, appendix B has it: %s", (bits, text) => {
  const number = new DataView(Uint8Array.from(Buffer.from(bits, "hex")).buffer).getFloat64(0);
  expect(canonicalJson(number)).toBe(text);
});

it("gives the same text whatever order the keys came in, and reads back as the same value", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).reverse();
    return Object.fromEntries(entries.map(([key, member]) => [key, shuffled(member)]));
  };
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(shuffled(value))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 2_000, seed: 8785 },
  );
});

it("keeps lone surrogates apart, in a text that is valid Unicode", () => {
  const texts = ["\ud800", "\ud801", "\udc00", "\ufffd", "\ud83d\ude00"].map((text) => canonicalJson({ a: text }));
  expect(new Set(texts.map((text) => sha256Hex(text))).size).toBe(texts.length);
  expect(texts[0]).toBe(String.raw`{"a":"\ud800"}`);
  expect(texts[4]).toBe('{"a":"😀"}');
});

it("treats what JSON can't say as JSON.stringify does, and never throws for a bigint", () => {
  const odd = { a: undefined, b: [undefined, Number.NaN, () => 1], c: new Date(0), d: Number.NEGATIVE_INFINITY };
  expect(canonicalJson(odd)).toBe('{"b":[null,null,null],"c":"1970-01-01T00:00:00.000Z","d":null}');
  expect(canonicalJson({ a: 10n ** 20n })).toBe('{"a":100000000000000000000}');
  expect(canonicalJson(undefined)).toBe("null");
});

it("takes keys of Object.prototype as data", () => {
  expect(canonicalJson(JSON.parse('{"toJSON":"x","constructor":1,"__proto__":{"b":1}}'))).toBe(
    '{"__proto__":{"b":1},"constructor":1,"toJSON":"x"}',
  );
});

it("refuses a circle with a TypeError that says so", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(() => canonicalJson(circle)).toThrow(TypeError);
  expect(() => canonicalJson(circle)).toThrow(/circle/);
});

it("hashes as FIPS 180 and RFC 4231 say, with and without Node's crypto", () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(sha256Hex("abc")).toBe(abc);
  expect(sha256Hex(utf8.encode("abc"))).toBe(abc);
  expect(sha256HexPortable("abc")).toBe(abc);
  expect(sha256Digest("abc")).toBe(`sha256:${abc}`);
  const mac = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(toHex(hmacSha256("Jefe", "what do ya want for nothing?"))).toBe(mac);
  expect(toHex(hmacSha256Portable("Jefe", "what do ya want for nothing?"))).toBe(mac);
});

it("hashes every text the same with and without Node's crypto, halves of surrogate pairs included", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (text, secret) => {
      const half = `${text}\ud800`;
      expect(sha256HexPortable(half)).toBe(sha256Hex(half));
      expect(toHex(hmacSha256Portable(secret, half))).toBe(toHex(hmacSha256(secret, half)));
    }),
    { numRuns: 300, seed: 180 },
  );
});

it("writes base64url as RFC 4648 has it, and reads nothing else", () => {
  const vectors = { "": "", f: "Zg", fo: "Zm8", foo: "Zm9v", foob: "Zm9vYg", fooba: "Zm9vYmE", foobar: "Zm9vYmFy" };
  for (const [text, encoded] of Object.entries(vectors)) expect(base64url(utf8.encode(text))).toBe(encoded);
  expect(base64url(Uint8Array.of(0xfb, 0xff))).toBe("-_8");
  for (const wrong of ["Z", "Zg==", "Zm+v", "Zm/v", "Z g", "Zg\n"]) expect(base64urlBytes(wrong)).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(base64url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
      expect(base64urlBytes(base64url(bytes))).toEqual(bytes);
    }),
  );
});

it("makes ids of 128 random bits under a prefix", () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => randomId("sess")));
  expect(ids.size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^sess_[A-Za-z0-9_-]{22}$/);
});

it("makes and reads UUIDs of version 7", () => {
  const made = uuidV7(1_760_000_000_123);
  expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidV7Time(made)).toBe(1_760_000_000_123);
  expect(uuidV7(5)).not.toBe(uuidV7(5));
  // The example of RFC 9562, appendix A.6.
  expect(uuidV7Time("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")).toBe(Date.parse("2022-02-22T19:22:22.000Z"));
  expect(() => uuidV7(-1)).toThrow(TypeError);
  expect(() => uuidV7(2 ** 48)).toThrow(TypeError);
});

it("finds no time in other texts", () => {
  const v4 = "919108f7-52d1-4320-9bac-f847db4148a8";
  for (const text of ["", "idem_9a3f", v4, "017F22E2-79B0-7CC3-18C4-DC0C0C07398F", `${uuidV7()} `, uuidV7().slice(1)]) {
    expect(uuidV7Time(text)).toBeUndefined();
  }
});
