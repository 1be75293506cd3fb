import type { JsonSchemaObject, ToolProtocol } from "@toolglot/core";
import { checkKeys, defined, errorText, isObject } from "@toolglot/internal";
import { type StandardInput, toInputSchema } from "@toolglot/schema";
import { plainJson } from "../plain-json.ts";
import type { OutputOptions, OutputSchema, StandardOutput } from "./types.ts";

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
  return judgeOf(given as StandardOutput, jsonSchemaOf(standard));
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

/** Returns the schema as a judge of the input of a tool: of the value as it is, and then with unambiguous corrections. */
function judgeOf(schema: StandardOutput, found: JsonSchemaObject): OutputSchema {
  if (found.type === "object") {
    const judge = toInputSchema(schema as StandardInput, { name: "output.schema" });
    return { jsonSchema: plainJson(judge.jsonSchema), validate: (value) => judge.validate(value) };
  }
  // The input of a tool is an object.
  const { validate } = schema["~standard"];
  const whole = {
    ...schema["~standard"],
    jsonSchema: { input: () => wrapped(found), output: () => wrapped(found) },
    validate: async ({ value }: { value: unknown }) => {
      const result = await validate(value);
      if (result.issues === undefined) return { value: { value: result.value } };
      return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: ["value", ...path] })) };
    },
  };
  const judge = toInputSchema({ "~standard": whole } as never as StandardInput, { name: "output.schema" });
  return {
    jsonSchema: found,
    async validate(given) {
      const fitted = await judge.validate({ value: given });
      return fitted.success
        ? { success: true, value: (fitted.value as { value: unknown }).value }
        : {
            success: false,
            issues: fitted.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^value\.?/, "") })),
          };
    },
  };
}

/** Returns the schema of `{ value }`. */
function wrapped(schema: JsonSchemaObject): JsonSchemaObject {
  const value = moved(schema) as JsonSchemaObject;
  return plainJson({ type: "object", properties: { value }, required: ["value"], additionalProperties: false });
}

/** Moves references from the root, so that they still lead to the same places. */
function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved);
  if (!isObject(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => {
    const isPointer = key === "$ref" && typeof value === "string" && /^#(?:\/|$)/.test(value);
    return [key, isPointer ? `#/properties/value${value.slice(1)}` : moved(value)];
  });
  return Object.fromEntries(entries);
}
