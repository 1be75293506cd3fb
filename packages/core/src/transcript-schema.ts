import type { JsonSchemaObject } from "./json.ts";

const text: JsonSchemaObject = { type: "string" };
const anObject: JsonSchemaObject = { type: "object" };

/** Creates an object schema: the fields named by `required` must be there. */
function object(required: string[], properties: Record<string, JsonSchemaObject | true>): JsonSchemaObject {
  return { type: "object", required, properties };
}

/** Creates an object that differs from others in its `type`. */
function variant(
  type: string,
  required: string[],
  properties: Record<string, JsonSchemaObject | true>,
): JsonSchemaObject {
  return object(["type", ...required], { type: { const: type }, ...properties });
}

const media: Record<string, JsonSchemaObject> = { mediaType: text, data: text, url: text };

/**
 * JSON Schema (draft 2020-12) of a transcript in memory, `{ version, messages, meta }`. On disk a transcript is JSON
 * Lines: the first line fits `#/$defs/head`, every other one `#/$defs/message`. Unknown fields are allowed.
 */
export const transcriptSchema: JsonSchemaObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "toolglot transcript, version 1",
  type: "object",
  required: ["version", "messages", "meta"],
  properties: {
    version: { const: 1 },
    meta: anObject,
    messages: { type: "array", items: { $ref: "#/$defs/message" } },
  },
  $defs: {
    head: object(["version", "meta"], { version: { const: 1 }, meta: anObject }),
    message: object(["role", "parts", "trust"], {
      role: { enum: ["system", "user", "assistant", "tool"] },
      trust: { enum: ["host", "user", "untrusted"] },
      parts: { type: "array", items: { $ref: "#/$defs/part" } },
    }),
    part: {
      oneOf: [
        variant("text", ["text"], { text }),
        variant("reasoning", ["text"], { text, meta: anObject }),
        variant("call", ["call"], { call: { $ref: "#/$defs/call" } }),
        variant("result", ["result"], { result: { $ref: "#/$defs/result" } }),
        variant("file", ["mediaType"], { ...media, name: text }),
      ],
    },
    span: object(["start", "end"], { start: { type: "integer", minimum: 0 }, end: { type: "integer", minimum: 0 } }),
    call: object(["id", "name", "protocol"], {
      id: text,
      name: text,
      input: true,
      span: { $ref: "#/$defs/span" },
      protocol: text,
    }),
    content: {
      oneOf: [
        variant("text", ["text"], { text }),
        variant("image", ["mediaType"], media),
        variant("audio", ["mediaType"], media),
        variant("resource", ["uri"], { uri: text, mediaType: text, title: text, text, data: text }),
      ],
    },
    error: object(["type", "message"], {
      type: text,
      message: text,
      line: { type: "integer" },
      column: { type: "integer" },
      sourceLine: text,
      hint: text,
      issues: {
        type: "array",
        items: object(["path", "expected", "got", "message"], { path: text, expected: text, got: text, message: text }),
      },
    }),
    result: object(["callId", "status", "content"], {
      callId: text,
      name: text,
      status: { enum: ["ok", "error", "interrupted", "denied", "pending", "in-doubt"] },
      content: { type: "array", items: { $ref: "#/$defs/content" } },
      data: true,
      error: { $ref: "#/$defs/error" },
      logs: {
        type: "array",
        items: object(["stream", "text"], { stream: { enum: ["stdout", "stderr"] }, text }),
      },
      metadata: anObject,
    }),
  },
};
