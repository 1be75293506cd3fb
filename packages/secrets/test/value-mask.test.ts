import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createValueMask } from "../src/index.ts";

const mask = () => createValueMask({ written: (name) => `[secret ${name}]` });

describe("createValueMask", () => {
  it("replaces a value, also in base64 and URL-encoded, and leaves short ones", () => {
    const secrets = mask();
    expect(secrets.add("API_KEY", "sk/live+0123456789")).toBe(true);
    expect(secrets.add("PIN", "12345")).toBe(false);
    expect(secrets.mask("key sk/live+0123456789.")).toBe("key [secret API_KEY].");
    expect(secrets.mask(`?key=${encodeURIComponent("sk/live+0123456789")}&x`)).toBe("?key=[secret API_KEY]&x");
    const basic = Buffer.from("me:sk/live+0123456789").toString("base64");
    expect(secrets.mask(`Basic ${basic}`)).toContain("[secret API_KEY]");
    expect(secrets.mask("pin 12345")).toBe("pin 12345");
    expect(secrets.maskData({ a: ["sk/live+0123456789", 1] })).toEqual({ a: ["[secret API_KEY]", 1] });
  });

  it("masks what comes in pieces, with the same words", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.string(), (size, around) => {
        const secrets = mask();
        secrets.add("github token", "ghp_abcdefgh0123");
        const text = `${around} ghp_abcdefgh0123 ${around}`;
        const masker = secrets.masker();
        let shown = "";
        for (let at = 0; at < text.length; at += size) shown += masker.write(text.slice(at, at + size));
        shown += masker.end();
        expect(shown).toBe(secrets.mask(text));
        expect(shown).toContain("[secret github token]");
      }),
      { numRuns: 50 },
    );
  });

  it("refuses options that can't be", () => {
    // @ts-expect-error a misspelt option
    expect(() => createValueMask({ writen: () => "" })).toThrow(TypeError);
  });
});
