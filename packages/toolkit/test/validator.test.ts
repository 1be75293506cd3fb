import type { JsonSchemaObject } from "@toolglot/core";
import type { ValidatorFactory } from "@toolglot/schema";
import { ajvValidator } from "@toolglot/schema/ajv";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, Toolkit, type ToolkitOptions } from "../src/index.ts";
import { final } from "./support.ts";

const order: JsonSchemaObject = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer", minimum: 1, default: 3 },
    unit: { enum: ["c", "f"] },
    items: { type: "array", items: { $ref: "#/$defs/item" } },
  },
  required: ["city"],
  $defs: { item: { type: "object", properties: { price: { type: "number", multipleOf: 0.1 } }, required: ["price"] } },
};

/** One tool for each way to say a schema; each answers with the input it got. */
function kit(options: ToolkitOptions = {}): Toolkit {
  const made = new Toolkit(options);
  const execute = (input: unknown): string => JSON.stringify(input);
  made.registerToolFunction(execute, { name: "json", description: "Test.", jsonSchema: order });
  made.registerToolFunction(
    defineTool({ name: "args", description: "Test.", args: { city: "string", "days?": "integer = 3" }, execute }),
  );
  made.registerToolFunction(
    defineTool({
      name: "zod",
      description: "Test.",
      input: z.object({ city: z.string(), days: z.int().min(1).default(3) }),
      execute,
    }),
  );
  made.registerToolFunction(execute, {
    name: "preset",
    description: "Test.",
    jsonSchema: order,
    presets: { city: "Oslo" },
  });
  return made;
}

/** Counts what an engine is asked. */
function counting(validator: ValidatorFactory): { validator: ValidatorFactory; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    validator: (schema) => {
      const compiled = validator(schema);
      return {
        accepts(value, pointer) {
          asked++;
          return compiled.accepts(value, pointer);
        },
      };
    },
  };
}

describe("Toolkit({ validator: ajvValidator() })", () => {
  it.each([
    ["what fits", { city: "Oslo", days: 2 }],
    ["a default", { city: "Oslo" }],
    ["what is coerced", { city: "Oslo", days: "2" }],
    ["a null for what may be left out", { city: "Oslo", days: null }],
    ["JSON text", '{"city": "Oslo"}'],
    ["a missing parameter", { days: 2 }],
    ["a wrong one", { city: 5, days: 0 }],
    ["a misspelled one", { citty: "Oslo" }],
    ["a choice", { city: "Oslo", unit: "k", items: [{ price: "0.3" }, { price: 0.35 }, {}] }],
    ["nothing", undefined],
    ["a list", [1]],
  ])("should answer as without it: %s", async (_what, input) => {
    const [plain, fast] = [kit(), kit({ validator: ajvValidator() })];
    for (const name of ["json", "args", "zod", "preset"]) {
      const { content, status, error, metadata } = await final(fast, { name, input });
      expect({ content, status, error, metadata }, name).toEqual(
        (({ content, status, error, metadata }) => ({ content, status, error, metadata }))(
          await final(plain, { name, input }),
        ),
      );
    }
  });

  it("should show the same schemas", () => {
    expect(kit({ validator: ajvValidator() }).getJsonSchemas()).toEqual(kit().getJsonSchemas());
  });

  it("should ask that engine for every tool, presets and extended finish functions included", async () => {
    const { validator, asked } = counting(ajvValidator());
    const made = kit({ validator });
    for (const name of ["json", "args", "zod", "preset"]) {
      const before = asked();
      await final(made, { name, input: { city: "Oslo" } });
      expect(asked(), name).toBeGreaterThan(before);
    }
    made.registerToolFunction(({ text }: { text: string }) => text, {
      name: "finish",
      description: "Finishes.",
      args: { text: "string" },
    });
    made.setExtendedModel("finish", z.object({ score: z.number() }));
    const before = asked();
    const response = await final(made, { name: "finish", input: { text: "done", score: "2" } });
    expect(asked()).toBeGreaterThan(before);
    expect(response.metadata).toMatchObject({ structured_output: { score: 2 } });
  });
});
