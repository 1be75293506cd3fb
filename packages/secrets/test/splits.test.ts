import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { formsOf } from "../src/mask/forms.ts";
import { awkwardValues, longestShown, masked, maskerFor } from "./masking.ts";

const texts = (value: string): string[] =>
  formsOf(value).flatMap(({ alphabet, digits }) => (alphabet === "text" ? [digits] : []));

it("should mask every form, wherever it stands", () => {
  fc.assert(
    fc.property(awkwardValues, (value) => {
      const masker = maskerFor({ V: value })();
      for (const text of texts(value)) {
        expect(masker.write(text) + masker.end(), JSON.stringify(text)).toContain("‹V›");
        const around = masker.write(`|${text}|`) + masker.end();
        expect(around.startsWith("|‹V›"), around).toBe(true);
      }
    }),
    { numRuns: rounds(60, 3000) },
  );
});

it("should mask values of thousands of characters", () => {
  const long = fc.array(awkwardValues, { minLength: 40, maxLength: 120 }).map((parts) => parts.join("").slice(0, 4096));
  fc.assert(
    fc.property(long, fc.integer({ min: 1, max: 3000 }), (value, piece) => {
      const newMasker = maskerFor({ V: value });
      const whole = Buffer.from(value);
      const wrapped = whole.toString("base64").replace(/.{76}/g, "$&\n");
      for (const text of [value, JSON.stringify(value).slice(1, -1), wrapped, whole.toString("hex")]) {
        const masker = newMasker();
        let given = masker.write("<");
        for (let at = 0; at < text.length; at += piece)
          given += masker.write(text.slice(at, at + piece)) + masker.pause();
        given += masker.write(">") + masker.end();
        expect(given.replaceAll("‹V›", "").length, given).toBeLessThanOrEqual("<>".length + 3);
      }
    }),
    { numRuns: rounds(2, 200) },
  );
});

it("should give the same for every split into writes", () => {
  fc.assert(
    fc.property(awkwardValues, awkwardValues, fc.array(fc.nat(400)), fc.string(), (one, two, cuts, between) => {
      const values = { ONE: one, TWO: two };
      const text = `${between}${one}${between}${JSON.stringify(two)}${Buffer.from(`x${one}`).toString("base64")} ${Buffer.from(two).toString("hex")}`;
      const masker = maskerFor(values)();
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
      let given = "";
      for (let at = 1; at < places.length; at++) given += masker.write(text.slice(places[at - 1], places[at]));
      expect(given + masker.end()).toBe(masked(text, values));
    }),
    { numRuns: rounds(150, 6000) },
  );
});

it("should let out three characters of a form at most, however results cut it", () => {
  fc.assert(
    fc.property(awkwardValues, fc.array(fc.nat(400), { minLength: 1 }), (value, cuts) => {
      for (const form of [
        value,
        JSON.stringify(value).slice(1, -1),
        Buffer.from(value).toString("base64"),
        Buffer.from(value).toString("hex"),
      ]) {
        if (form.length < 9) continue;
        const text = `| ${form} |`;
        const masker = maskerFor({ V: value })();
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        let given = "";
        for (let at = 1; at < places.length; at++)
          given += masker.write(text.slice(places[at - 1], places[at])) + masker.pause();
        given += masker.end();
        expect(given).toContain("‹V›");
        expect(given.replace("‹V›", "").length, given).toBeLessThanOrEqual(4 + 3 + (form.endsWith("=") ? 2 : 0));
        expect(longestShown(form, given.replace(/^\| |\|$/g, ""), 8), given).toBeLessThanOrEqual(3);
      }
    }),
    { numRuns: rounds(100, 6000) },
  );
});
