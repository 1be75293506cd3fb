// The official JSON-Schema-Test-Suite (MIT), copied unchanged at commit 44401e0: what tool schemas use of drafts
// 2020-12 and 7. Left out: $dynamicRef, $recursiveRef, vocabularies, remote references, `content`, and `format.json`,
// which wants formats ignored (here they are checked).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { drawn, rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { engineSchema } from "../src/engine-schema.ts";
import type { Validator, ValidatorFactory } from "../src/index.ts";
import { refused, wrong } from "./known-verdicts.ts";
import { engines, on } from "./support.ts";

interface Group {
  description: string;
  schema: JsonSchema;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const folder = join(import.meta.dirname, "__fixtures__/json-schema-test-suite");
const drafts = {
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
  draft7: "http://json-schema.org/draft-07/schema#",
};
const suite = Object.entries(drafts).flatMap(([draft, $schema]) =>
  readdirSync(join(folder, draft), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const groups = JSON.parse(readFileSync(join(folder, draft, name), "utf8")) as Group[];
      return { file: `${draft}/${name}`, groups, $schema };
    }),
);

const known = (differences: typeof wrong, file: string): string[] =>
  differences.flatMap(({ tests }) => tests).filter((test) => test.startsWith(`${file} > `));

/** A schema of any kind as an object, in its draft. */
function asObject(schema: JsonSchema, $schema: string): JsonSchemaObject {
  return typeof schema === "boolean" ? { $schema, allOf: [schema] } : { $schema, ...schema };
}

describe.each(engines)("on %s", (_engine, validator: ValidatorFactory) => {
  it.each(suite)("should give the verdicts of $file", ({ file, groups, $schema }) => {
    const found: { refused: string[]; wrong: string[] } = { refused: [], wrong: [] };
    for (const { description, schema, tests } of groups) {
      const group = `${file} > ${description}`;
      let compiled: Validator;
      try {
        compiled = validator(engineSchema(asObject(schema, $schema)));
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        found.refused.push(group);
        continue;
      }
      for (const test of tests) {
        if (compiled.accepts(test.data) !== test.valid) found.wrong.push(`${group} > ${test.description}`);
      }
    }
    // A difference that has gone fails, too: then it must leave the list.
    expect(found).toEqual({ refused: known(refused, file), wrong: known(wrong, file) });
  });

  const { check } = on(validator);
  const parameters = suite.flatMap(({ file, groups, $schema }) =>
    groups
      // A default that doesn't fit is refused; what refers to its own root can't be moved into a parameter.
      .filter(({ schema }) => !/"(?:\$ref|\$id|\$anchor|\$dynamicRef|default)":/.test(JSON.stringify(schema)))
      .map((group) => ({ name: `${file} > ${group.description}`, $schema, ...group })),
  );

  it("should give the same verdicts for the value of a parameter, but where a text was coerced or a null dropped", () => {
    const listed = new Set(wrong.flatMap(({ tests }) => tests));
    let tried = 0;
    const some = drawn(parameters, rounds(Math.ceil(parameters.length / 3), parameters.length));
    for (const { name, schema, $schema, tests } of some) {
      const source = { $schema, type: "object" as const, properties: { x: schema }, required: ["x"] };
      for (const test of tests) {
        if (listed.has(`${name} > ${test.description}`)) continue;
        const result = check(source, { x: test.data });
        const where = `${name} > ${test.description}`;
        tried++;
        if (test.valid) expect(result, where).toMatchObject({ success: true, value: { x: test.data } });
        else if (result.success) expect(result.conversions, where).not.toBeUndefined();
        else expect(result.issues[0]?.path, where).toMatch(/^x/);
        if (test.valid && result.success) expect(result.conversions, where).toBeUndefined();
      }
    }
    expect(tried).toBeGreaterThan(rounds(450, 1500));
  });
});

it("should list only differences that have a test", () => {
  const files = new Set(suite.map(({ file }) => file));
  const unknown = [...refused, ...wrong]
    .flatMap(({ tests }) => tests)
    .filter((test) => !files.has(test.split(" > ")[0] ?? ""));
  expect(unknown).toEqual([]);
});
