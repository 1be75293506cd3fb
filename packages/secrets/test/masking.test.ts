import { growthOf } from "@toolglot/internal/testing/growth";
import { describe, expect, it } from "vitest";
import { masked, maskerFor } from "./masking.ts";

const value = "sk-live-0123456789abcdef";

describe("a masked text", () => {
  it("should hide the longest of values that begin at one place", () => {
    expect(masked("abcdef-ghijkl", { SHORT: "abcdef", LONG: "abcdef-ghijkl" })).toBe("‹LONG›");
    expect(masked("abcdef-ghij", { SHORT: "abcdef", LONG: "abcdef-ghijkl" })).toBe("‹SHORT›-ghij");
  });

  it("should show nothing of either of two values that overlap", () => {
    expect(masked("abcdef123456ghijkl", { A: "abcdef123456", B: "123456ghijkl" })).toBe("‹A›‹B›");
  });

  it("should hide what base64 shares with its neighbours, padding too", () => {
    for (const before of ["", "u", "us", "user:"]) {
      for (const after of ["", "x", "xy"]) {
        const text = Buffer.from(`${before}${value}${after}`).toString("base64");
        const shown = masked(text, { V: value });
        const ofBefore = Math.floor((before.length * 8) / 6);
        expect(shown.indexOf("‹V›"), shown).toBe(ofBefore);
        expect(shown.length - 3, shown).toBeLessThanOrEqual(ofBefore + Math.ceil((after.length * 8) / 6) + 2);
      }
    }
  });

  it("should hide the letters of a dump with its digits", () => {
    const dump =
      "00000000: 4142 736b 2d6c 6976 652d 3031 3233 3435  ABsk-live-012345\n00000010: 3637 3839 6162 6364 6566 0a              6789abcdef.\nnext";
    expect(masked(dump, { V: value })).toBe("00000000: 4142 ‹V›\nnext");
  });

  it("should leave texts alone that only look like a form", () => {
    const text = "sk-live-01234 c2stbGl2ZS0wMTIz\n00000000: 736b 2d6c  sk-l\nThe quick brown fox.\n";
    expect(masked(text, { V: value })).toBe(text);
  });

  it("should mask nothing without values", () => {
    const masker = maskerFor({})();
    expect([masker.write("abc"), masker.pause(), masker.end()]).toEqual(["abc", "", ""]);
  });
});

describe("a masker", () => {
  it("should give a prompt at once, but for an ending that begins a form", () => {
    const masker = maskerFor({ V: value })();
    expect(masker.write("Password: ") + masker.pause()).toBe("Password: ");
    expect(masker.write("sk-") + masker.pause()).toBe("sk-");
    expect(masker.write("Go on? sk-l") + masker.pause()).toBe("Go on? ");
    expect(masker.pause()).toBe("");
    expect(masker.write("\nyes") + masker.pause()).toBe("sk-l\nyes");
    expect(masker.write(" sk-live") + masker.end()).toBe(" sk-live");
  });

  it("should mask the rest of a form whose beginning was given", () => {
    const masker = maskerFor({ V: value })();
    expect(masker.write(`x${value.slice(0, 3)}`) + masker.pause()).toBe("xsk-");
    expect(masker.write(value.slice(3, 5)) + masker.pause()).toBe("");
    expect(masker.write(value.slice(5)) + masker.pause()).toBe("‹V›");
    expect(masker.write("y") + masker.end()).toBe("y");
  });

  it("should take an ending that completes a form for complete, though it begins the form again", () => {
    const masker = maskerFor({ V: "20202020" })();
    expect(masker.write("20202020") + masker.pause()).toBe("‹V›");
    expect(masker.write("2020") + masker.pause()).toBe("");
    expect(masker.write("20202020") + masker.end()).toBe("");
  });

  it("should not keep back more than a form when blanks follow its beginning", () => {
    const masker = maskerFor({ V: value })();
    const text = `${Buffer.from(value).toString("base64").slice(0, 12)}${" ".repeat(100_000)}`;
    expect((masker.write(text) + masker.pause()).length).toBe(text.length);
  });

  it("should begin anew after its end", () => {
    const masker = maskerFor({ V: value })();
    expect(masker.write(value.slice(0, 8)) + masker.end()).toBe("sk-live-");
    expect(masker.write(value.slice(8)) + masker.end()).toBe(value.slice(8));
  });
});

it.each(["aab", "aabaab".repeat(6), Buffer.from("aabaabaabaab").toString("base64"), "616162"])(
  "should take linear time for hostile texts: %s",
  (beginning) => {
    const values = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`N${at}`, `${"aab".repeat(13)}${at}`]));
    const growth = growthOf((size) => {
      const text = beginning.repeat(Math.ceil(size / beginning.length));
      return () => masked(text, values);
    });
    expect(growth).toBeUndefined();
  },
);
