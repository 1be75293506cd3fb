import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchemaObject } from "@toolglot/core";
import { isLong } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { toInputSchema } from "../../src/index.ts";
import { engines, on } from "../support.ts";

// Schemas of configuration files, as their programs publish them, with files that people wrote for them: those of this repository.

const root = join(import.meta.dirname, "../../../..");
const folderOf = (name: string): string => join(root, "node_modules", name);
/** Comments are no part of the schema's file. */
const read = (path: string): JsonSchemaObject => JSON.parse(readFileSync(path, "utf8").replace(/^\s*\/\/.*$/gm, ""));

const published: Record<string, { schema: string; file: string; broken: [path: string, change: object] }> = {
  Biome: {
    ...{ schema: join(folderOf("@biomejs/biome"), "configuration_schema.json"), file: "biome.json" },
    broken: ["formatter", { formatter: { lineWidth: "wide" } }],
  },
  Turborepo: {
    ...{ schema: join(folderOf("turbo"), "schema.json"), file: "turbo.json" },
    broken: ["ui", { ui: 5 }],
  },
  knip: {
    ...{ schema: join(folderOf("knip"), "schema.json"), file: "knip.json" },
    broken: ["ignore", { ignore: { a: 1 } }],
  },
  "API Extractor": {
    schema: join(folderOf("@microsoft/api-extractor"), "lib-commonjs/schemas/api-extractor.schema.json"),
    file: "api-extractor.base.json",
    broken: ["mainEntryPointFilePath", { mainEntryPointFilePath: 7 }],
  },
};

describe.each(engines)("on %s", (engine, validator) => {
  // ajv writes a program of megabytes for this one, for five seconds each time.
  it.each(Object.entries(published).filter(([name]) => isLong || engine !== "ajv" || name !== "Biome"))(
    "should read, describe and check by the schema of %s",
    (_name, { schema, file, broken }) => {
      const written = read(schema);
      const data = read(join(root, file)) as Record<string, unknown>;
      const input = toInputSchema(written, { validator });
      expect(input.validate(data)).toMatchObject({ success: true });
      // What a model is shown is a schema that says the same.
      const shown = toInputSchema(input.jsonSchema as JsonSchemaObject, { validator });
      expect(shown.validate(data)).toMatchObject({ success: true });
      const [path, change] = broken;
      for (const one of [input, shown]) {
        const result = one.validate({ ...data, ...change });
        expect(result).toMatchObject({ success: false });
        expect(JSON.stringify(result)).toContain(path);
      }
      expect(on(validator).check(written, [])).toMatchObject({ success: false });
    },
  );
});
