import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSecrets } from "../src/index.ts";
import { valuesOf } from "../src/values.ts";
import { longestShown } from "./masking.ts";
import { anyValue, counting, writtenForms } from "./written-forms.ts";

async function masksFor(value: string) {
  const secrets = await openSecrets();
  await secrets.set("V", value);
  return valuesOf(secrets);
}

describe("a text that was cut", () => {
  it("should show three characters of a form at most, wherever it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.nat(), fc.nat(), fc.nat(), async (value, which, from, length) => {
        const values = await masksFor(value);
        const forms = writtenForms(value).filter(({ kind }) => kind !== "dump");
        for (const form of [forms[which % forms.length], forms[(which + 7) % forms.length]].flatMap(
          (one) => one ?? [],
        )) {
          const { text, name, kind } = form;
          // Of several lines each is masked by itself, and what stands between them is left.
          if (kind === "text" && /[\r\n]/.test(value)) continue;
          const start = from % text.length;
          const piece = text.slice(start, start + 1 + (length % (text.length - start)));
          for (const cut of [`~~ …${piece}… ~~`, `…${piece} ~~`, `~~ ${piece}…`]) {
            // With only one edge cut the piece goes up to the other end of the form.
            const isWhole =
              cut.startsWith("~~ …") || (cut.startsWith("…") ? start + piece.length === text.length : start === 0);
            if (!isWhole) continue;
            const shown = values.maskPieces(cut);
            // The first and the last digit of base64 hold bits of what stands beside the value, too.
            const most = kind === "base64" ? 5 : 3;
            const left = counting(form, shown.replaceAll("‹V›", ""));
            expect(
              longestShown(counting(form, piece), left, 8),
              JSON.stringify([name, value, cut, shown]),
            ).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: rounds(60, 10_000) },
    );
  });

  it("should leave texts alone that hold no piece of a form", async () => {
    const values = await masksFor("sk-live-0123456789abcdef");
    for (const text of [
      "Wait… and see",
      "… 12 more lines …",
      "path/to/a…",
      "+ sk-live-01\n",
      "a.ts:1: sk-live-01",
      "",
    ]) {
      expect(values.maskLines(text)).toBe(text);
    }
  });
});
