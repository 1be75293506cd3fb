import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { masked, maskerFor } from "./masking.ts";

interface Vector {
  name: string;
  form: string;
  values: Record<string, string>;
  text: string;
  masked: string;
}

const file = join(import.meta.dirname, "vectors/masking.json");
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] };

describe("vectors", () => {
  it.each(vectors.map((vector) => [`${vector.form}: ${vector.name}`, vector] as const))("%s", (_name, vector) => {
    expect(masked(vector.text, vector.values)).toBe(vector.masked);
    const masker = maskerFor(vector.values)();
    const given = Array.from({ length: vector.text.length }, (_, at) => masker.write(vector.text[at] ?? ""));
    expect(given.join("") + masker.end()).toBe(vector.masked);
    // Cut by a result at any place, three characters of each value at most get out.
    const shown = (text: string): number => text.replaceAll(/‹\w+›/g, "").length;
    const most = shown(vector.masked) + 3 * (vector.masked.match(/‹/g)?.length ?? 0);
    for (let at = 0; at <= vector.text.length; at++) {
      const cut = [vector.text.slice(0, at), vector.text.slice(at)].map((part) => masker.write(part) + masker.pause());
      const text = cut.join("") + masker.end();
      expect(shown(text), `${at}: ${text}`).toBeLessThanOrEqual(most);
    }
  });
});
