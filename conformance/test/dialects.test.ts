import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { type Schema, Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../dialects/${name}`, import.meta.url), "utf8")) as unknown;
const schema = read("dialects.schema.json") as Schema;
const table = read("dialects.json") as Record<string, Record<string, unknown>>;
const validator = new Validator(schema, "2020-12", false);

it.each(Object.keys(table))("keeps %s in the form of dialects.schema.json", (id) => {
  const { valid, errors } = validator.validate({ [id]: table[id] });
  expect(valid ? [] : errors.map((error) => `${error.instanceLocation}: ${error.error}`)).toEqual([]);
});

it("refuses a row without a part, with another part, and with a marker of no text", () => {
  const { values: _, ...without } = table.hermes as Record<string, unknown>;
  for (const row of [without, { ...table.hermes, more: 1 }, { ...table.hermes, open: [{ text: "" }] }])
    expect(validator.validate({ hermes: row }).valid).toBe(false);
});

const form = new Validator(read("vectors.schema.json") as Schema, "2020-12", false);
const vectors = readdirSync(new URL("../dialects", import.meta.url)).filter(
  (name) => name !== "dialects.json" && !name.endsWith(".schema.json"),
);

it("has the vectors of rules that the script writes", () => {
  execFileSync(process.execPath, ["scripts/dialect-vectors.mjs", "--check"], {
    cwd: new URL("../..", import.meta.url),
  });
});

it.each(vectors)("keeps the vectors of %s in the form of vectors.schema.json", (name) => {
  const { valid, errors } = form.validate(read(name));
  expect(valid ? [] : errors.map((error) => `${error.instanceLocation}: ${error.error}`).slice(0, 5)).toEqual([]);
});

it("refuses a vector without calls, and one with a code of nobody's", () => {
  const vector = { name: "a", dialect: "auto", input: "", calls: [] };
  const { calls: _, ...without } = vector;
  const valid = (given: object): boolean => form.validate({ about: "a", tools: [], vectors: [given] }).valid;
  expect(valid(vector)).toBe(true);
  for (const given of [without, { ...vector, diagnostics: ["truncated"] }, { ...vector, more: 1 }])
    expect(valid(given)).toBe(false);
});
