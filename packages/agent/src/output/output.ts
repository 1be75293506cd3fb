import type { JsonSchemaObject, ToolProtocol } from "@toolglot/core";
import { checkKeys, defined, errorText, isObject, standardIssues } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import type { OutputOptions, OutputSchema, OutputValidation, StandardOutput } from "./types.ts";

/** Checked options, ready to be used by runs. */
export interface Output extends OutputSchema {
  name: string;
  description?: string;
  /** The input of the tool is `{ value }`, because the answer is no object. */
  isWrapped: boolean;
  /** Of the tool. */
  inputSchema: JsonSchemaObject;
}

/** Whether the model ends by a call; programs can't make one. */
export function endsByCall({ carries }: ToolProtocol): boolean {
  return carries !== "code";
}

const cure = "pass toInputSchema(schema) of @toolglot/schema";

/** Checks the option. Throws `TypeError` with the cure. */
export function toOutput(options: OutputOptions | undefined): Output | undefined {
  if (options === undefined) return undefined;
  checkKeys(
    "createAgent: output",
    options,
    "schema:{validate}|object|function name:text description:string",
    ["schema"],
    {
      schema: `It must be able to validate, as schemas of zod 4.2 and arktype are; for a JSON Schema, ${cure}.`,
    },
  );
  const { schema, name = "final_answer", description } = options;
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new TypeError(`output.name must have 1 to 64 of A-Z, a-z, 0-9, _ and -, not ${JSON.stringify(name)}.`);
  }
  const { jsonSchema, validate } = toSchema(schema);
  const isWrapped = jsonSchema.type !== "object";
  const inputSchema = isWrapped ? wrapped(jsonSchema) : jsonSchema;
  return { name, ...defined({ description }), jsonSchema, validate, isWrapped, inputSchema };
}

function toSchema(given: unknown): OutputSchema {
  const { jsonSchema, validate } = (given ?? {}) as Partial<OutputSchema>;
  if (isObject(jsonSchema) && typeof validate === "function") {
    return { jsonSchema: plainJson(jsonSchema), validate: (value) => (given as OutputSchema).validate(value) };
  }
  const standard = (given as Partial<StandardOutput> | null | undefined)?.["~standard"];
  if (typeof standard?.validate !== "function") {
    throw new TypeError(
      `output.schema must be a schema that can validate, as those of zod 4.2 and arktype are; for a JSON Schema, ${cure}.`,
    );
  }
  return { jsonSchema: jsonSchemaOf(standard), validate: (value) => validateStandard(standard, value) };
}

function jsonSchemaOf({ vendor, jsonSchema }: StandardOutput["~standard"]): JsonSchemaObject {
  if (typeof jsonSchema?.input !== "function") {
    throw new TypeError(`output.schema: this schema of ${vendor} gives no JSON Schema of itself; ${cure}.`);
  }
  try {
    const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" });
    return plainJson(schema as JsonSchemaObject);
  } catch (cause) {
    const message = `output.schema: ${vendor} can't turn this schema into JSON Schema (${errorText(cause)}); ${cure}.`;
    throw new TypeError(message, { cause });
  }
}

async function validateStandard(standard: StandardOutput["~standard"], value: unknown): Promise<OutputValidation> {
  const result = await standard.validate(value);
  return result.issues === undefined
    ? { success: true, value: result.value }
    : { success: false, issues: standardIssues(result.issues, value) };
}

/** The schema of `{ value }`. */
function wrapped(schema: JsonSchemaObject): JsonSchemaObject {
  const value = moved(schema) as JsonSchemaObject;
  return plainJson({ type: "object", properties: { value }, required: ["value"], additionalProperties: false });
}

/** References from the root still lead to the same places. */
function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved);
  if (!isObject(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => {
    const isPointer = key === "$ref" && typeof value === "string" && /^#(?:\/|$)/.test(value);
    return [key, isPointer ? `#/properties/value${value.slice(1)}` : moved(value)];
  });
  return Object.fromEntries(entries);
}
