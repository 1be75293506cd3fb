import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentSplitter } from "../../src/scan/document-splitter.ts";
import { excerptOf } from "../../src/scan/excerpt.ts";
import { maskShapes } from "../../src/scan/mask-shapes.ts";

describe("a document's parts", () => {
  const lists = new Set(["messages"]);

  /** Splits a text in chunks of a size, and returns its parts by their place. */
  function split(text: string, size: number, maxBytes = 1e6): [string, unknown][] {
    const parts: [string, unknown][] = [];
    const splitter = new DocumentSplitter(maxBytes, lists, {
      part: (steps, bytes) => parts.push([steps.join("/"), JSON.parse(Buffer.from(bytes).toString())]),
      tooLong: (steps) => parts.push([steps.join("/"), "too long"]),
    });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) expect(splitter.push(bytes.subarray(at, at + size))).toBe(true);
    expect(splitter.isWhole).toBe(true);
    return parts;
  }

  it("are those of JSON.parse, wherever the chunks are cut, however it is written", () => {
    const json = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown);
    const document = fc.oneof(
      fc.array(json),
      fc.record({ model: json, messages: fc.array(json), after: json }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 2, "\t"), (value, size, space) => {
        const expected = Array.isArray(value)
          ? value.map((item, index) => [String(index), item])
          : Object.entries(value).flatMap(([name, item]) =>
              name === "messages" && Array.isArray(item)
                ? item.map((one, index) => [`messages/${index}`, one])
                : [[name, item]],
            );
        expect(split(JSON.stringify(value, null, space), size)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it("are left out when they are too long, and nothing else is", () => {
    const text = JSON.stringify({ a: 1, messages: ["x".repeat(50), "y"], b: 2 });
    const parts = [
      ["a", 1],
      ["messages/0", "too long"],
      ["messages/1", "y"],
      ["b", 2],
    ];
    expect(split(text, 7, 20)).toEqual(parts);
    expect(split(text, 1_000, 20)).toEqual(parts);
  });

  it.each(["{]", "x", "{1:2}", '{"a" 1}', "[1}", '{"a":,}', "[1 2]", "{}x"])("tells what can't be JSON: %s", (text) => {
    const take = { part: () => undefined, tooLong: () => undefined };
    expect(new DocumentSplitter(1e6, lists, take).push(Buffer.from(text))).toBe(false);
  });
});

describe("secrets by their shape", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
  it.each([
    ["sk-ant-api03-AbCdEf0123456789AbCdEf0123456789"],
    ["sk-proj-AbCdEfGhIjKlMnOpQrStUv0123456789"],
    ["ghp_0123456789abcdefABCDEF0123456789abcd"],
    ["github_pat_11ABCDEFG0aBcDeFgHiJkL_0123456789"],
    ["glpat-AbCdEf0123456789AbCd"],
    ["xoxb-123456789012-abcdefABCDEF"],
    ["AKIAIOSFODNN7EXAMPLE"],
    ["AIzaSyA-1234567890abcdefghijklmnopqrstu"],
    ["hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567"],
    ["npm_0123456789abcdefABCDEF0123456789abcd"],
    [jwt],
    ["a3f5c9d1e7b2a4f6c8d0e1b3a5f7c9d1e3b5a7f9c1d3e5b7a9f1c3d5e7b9a1f3"],
    ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1"],
  ])("%s", (secret) => {
    for (const text of [secret, `export X=${secret};`, `{"k":"${secret}"}`, `see ${secret}\nnext`])
      expect(maskShapes(text)).toBe(text.replace(secret, "[masked]"));
  });

  it.each([
    ["Authorization: Bearer abcdef0123456789", "abcdef0123456789"],
    ["postgres://app:hunter22@db.example.com/shop", "hunter22"],
    ["DB_PASSWORD=correct-horse", "correct-horse"],
    ['{"api_key": "0123456789ab"}', "0123456789ab"],
    ['{\\"client_secret\\": \\"0123456789ab\\"}', "0123456789ab"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA", "b3BlbnNzaC1rZXktdjEA"],
  ])("in %s", (text, secret) => {
    expect(maskShapes(text)).toContain("[masked]");
    expect(maskShapes(text)).not.toContain(secret);
  });

  it.each([
    "npm install --save-dev typescript && npx tsc -p packages/core --noEmit",
    "/work/wt/scan/node_modules/.pnpm/esbuild@0.28.2/node_modules/esbuild/bin/esbuild",
    "commit a8e09c46b32f094d05cbe47426ab57f260276b87",
    "const tokens = countTokens(text); // token: the next one",
    'password: process.env.PASSWORD, "max_tokens": 100000',
    "https://example.com/a/b?c=d#e",
    "550e8400-e29b-41d4-a716-446655440000",
  ])("leaves others: %s", (text) => expect(maskShapes(text)).toBe(text));

  it("takes time in proportion to the text", () => {
    for (const piece of ["a1B", "sk-", "eyJ", "://a:", "password=", "-----BEGIN PRIVATE KEY-----", "Bearer ", "/aB1cd"])
      expect(typeof maskShapes(piece.repeat(50_000))).toBe("string");
  });
});

describe("an excerpt", () => {
  it("has two hundred characters: the first, or those around the place", () => {
    expect(excerptOf("abc")).toBe("abc");
    expect(excerptOf("x".repeat(300))).toBe(`${"x".repeat(200)}…`);
    const far = excerptOf(`${"ab ".repeat(500)}</invoke>`, 1_500);
    expect(far).toMatch(/^….*<\/invoke>$/);
    expect(far.length).toBeLessThanOrEqual(202);
  });

  it("shows no part of a secret that it cuts", () => {
    const secret = `sk-proj-${"AbCdEf0123456789".repeat(4)}`;
    for (let at = 0; at < 300; at++) {
      const text = `${"- ".repeat(at)}${secret}${" -".repeat(300)}</invoke>`;
      for (const place of [0, text.length - 9, at + 100, at * 2 + 20]) {
        const shown = excerptOf(text, place);
        expect(shown).not.toMatch(/AbCdEf|0123456789/);
      }
    }
  });

  it("never cuts a character", () => {
    expect(excerptOf(`${"x".repeat(199)}😀`)).toBe(`${"x".repeat(199)}…`);
  });
});
