import { type JsonSchemaObject, ToolError } from "@toolglot/core";
import { copyJson, isObject, isThenable } from "@toolglot/internal";
import { schemaMark } from "./types.ts";
import { fromZod3 } from "./zod3.ts";

/** The part of a schema of the AI SDK that is needed. */
export interface SchemaReading {
  jsonSchema: JsonSchemaObject;
  /** Returns the value as the tool takes it; throws a `ToolError` that names what does not fit. */
  validate(value: unknown): Promise<unknown>;
}

interface Marked {
  jsonSchema: unknown;
  validate?(value: unknown): unknown;
}

interface Standard {
  vendor: string;
  validate(value: unknown): unknown;
  jsonSchema?: { input(options: { target: string }): unknown };
}

/** Reads a schema of zod 3 or 4, of Standard Schema with JSON Schema, or one made by `jsonSchema()`. */
export function readSchema(tool: string, given: unknown): SchemaReading {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? (given as () => unknown)() : given;
  if (schema === undefined || schema === null)
    return { jsonSchema: { type: "object", properties: {} }, validate: async (value) => value };
  if (!isObject(schema) && typeof schema !== "function") throw unknownSchema(tool, "it is no schema");
  if ((schema as { [schemaMark]?: unknown })[schemaMark] === true) return fromMarked(schema as unknown as Marked);
  const standard = (schema as { "~standard"?: Standard })["~standard"];
  if (!standard) throw unknownSchema(tool, "it is no schema");
  const validate = async (value: unknown): Promise<unknown> => {
    const verdict = (await standard.validate(value)) as { value?: unknown; issues?: readonly Issue[] };
    if (verdict.issues) throw misfit(verdict.issues);
    return verdict.value;
  };
  if (standard.jsonSchema) {
    // Zod's has the methods of a schema beside the JSON.
    const { "~standard": _, ...jsonSchema } = copyJson(
      standard.jsonSchema.input({ target: "draft-2020-12" }),
    ) as JsonSchemaObject;
    return { jsonSchema, validate };
  }
  const zod3 = standard.vendor === "zod" ? fromZod3(schema) : undefined;
  if (zod3) return { jsonSchema: zod3 as JsonSchemaObject, validate };
  throw unknownSchema(tool, `${standard.vendor} gives no JSON Schema for it`);
}

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
}

function misfit(issues: readonly Issue[]): ToolError {
  const texts = issues.map(({ message, path = [] }) => {
    const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    return place === "" ? message : `${place}: ${message}`;
  });
  return new ToolError(`The input does not fit. ${texts.join("; ")}`, { data: { type: "InvalidInput" } });
}

function fromMarked({ jsonSchema, validate }: Marked): SchemaReading {
  let shown = jsonSchema as JsonSchemaObject;
  if (isThenable(jsonSchema)) {
    // It is there by the time a model is asked.
    shown = { type: "object" };
    void Promise.resolve(jsonSchema).then(
      (read) => Object.assign(shown, read),
      () => undefined,
    );
  }
  return {
    jsonSchema: shown,
    async validate(value) {
      await jsonSchema;
      const verdict = (await validate?.(value)) as { success: boolean; value?: unknown; error?: unknown } | undefined;
      if (!verdict) return value;
      if (verdict.success) return verdict.value;
      const { error } = verdict;
      throw misfit([{ message: error instanceof Error ? error.message : String(error) }]);
    },
  };
}

const unknownSchema = (tool: string, why: string): TypeError =>
  new TypeError(
    `fromAiSdkTools: the inputSchema of ${tool} can't be shown to a model: ${why}. Take zod from 4.2 on or zod 3, another library with Standard JSON Schema, or jsonSchema() of ai.`,
  );
