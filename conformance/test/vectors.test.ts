import { readdirSync, readFileSync } from "node:fs";
import { type Schema, Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { expandText, readVectors } from "../src/vector.ts";

const here = new URL("../", import.meta.url);
const schema = JSON.parse(readFileSync(new URL("vector.schema.json", here), "utf8")) as Schema;
const validator = new Validator(schema, "2020-12", false);
// TRP's are conversations with a router: see trp-form.test.ts.
const protocols = readdirSync(new URL("vectors/", here)).filter((protocol) => protocol !== "trp");

it.each(protocols)("keeps the %s vectors in the form of vector.schema.json", (protocol) => {
  for (const file of readVectors(protocol)) {
    const { valid, errors } = validator.validate(file);
    expect(valid ? [] : errors.map((error) => `${file.topic} ${error.instanceLocation}: ${error.error}`)).toEqual([]);
  }
});

it.each(protocols)("expects of the %s vectors only text that stands in their input", (protocol) => {
  for (const { topic, vectors } of readVectors(protocol)) {
    for (const { name, input, expect: expected } of vectors) {
      const source = expandText(input);
      for (const { at, touches } of expected.diagnostics)
        for (const text of [at, touches]) if (text !== undefined) expect(source, `${topic}/${name}`).toContain(text);
    }
  }
});

it("expands pieces", () => {
  expect(expandText("a\nb")).toBe("a\nb");
  expect(expandText(["a", { repeat: "xy", times: 2 }, { repeat: "z", times: 3, join: "," }, ""])).toBe(
    "a\nxyxy\nz,z,z\n",
  );
});
