import type { JsonSchemaObject } from "@toolglot/core";
import { toJsonSchema } from "@valibot/to-json-schema";
import { maxTimeoutMs } from "./fields.ts";
import { requestSchemas } from "./request-schemas.ts";
import { responseSchemas } from "./response-schemas.ts";
import type { RequestFrame, ResponseFrame } from "./types.ts";

/** The frame types that have a JSON Schema. */
export type FrameType = RequestFrame["frame_type"] | ResponseFrame["frame_type"];

/**
 * The JSON Schemas (draft 2020-12) of all TRP frames, by `frame_type`: for clients in other languages, for documentation,
 * for contract tests. What a client sends is optional where the router has a default. Made anew at each call.
 */
export function frameJsonSchemas(): Record<FrameType, JsonSchemaObject> {
  const all = { ...requestSchemas, ...responseSchemas };
  return Object.fromEntries(
    Object.entries(all).map(([type, schema]) => [type, { title: type, ...convert(schema) }]),
  ) as Record<FrameType, JsonSchemaObject>;
}

function convert(schema: Parameters<typeof toJsonSchema>[0]): JsonSchemaObject {
  return toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: "input",
    // Objects that may hold anything, and `data`, which may be anything.
    overrideSchema: ({ valibotSchema }) => {
      if (valibotSchema.type !== "custom") return undefined;
      const { message } = valibotSchema as { message?: unknown };
      return message === "JSON" ? {} : { type: "object" };
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      switch (valibotAction.type) {
        case "safe_integer":
          return { ...jsonSchema, type: "integer", maximum: Number.MAX_SAFE_INTEGER };
        case "max_value":
          return { ...jsonSchema, maximum: maxTimeoutMs };
        case "regex": {
          const { requirement } = valibotAction as { requirement?: RegExp };
          return { ...jsonSchema, pattern: requirement?.source ?? "" };
        }
        // Numbers of JSON are finite.
        case "finite":
          return jsonSchema;
        default:
          return undefined;
      }
    },
  }) as JsonSchemaObject;
}
