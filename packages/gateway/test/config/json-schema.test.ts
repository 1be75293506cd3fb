import { readFileSync } from "node:fs";
import type { JsonSchemaObject } from "@toolglot/core";
import { toInputSchema } from "@toolglot/schema";
import { toJsonSchema } from "@valibot/to-json-schema";
import { expect, it } from "vitest";
import { fileSchema } from "../../src/config/file-schema.ts";
import { type Described, DocComments } from "./doc-comments.ts";

const published = "../../toolglot.schema.json";

/** What editors get: the schema that checks files, with the doc comments of the types as descriptions. */
function editorSchema(): Described {
  const schema = toJsonSchema(fileSchema, {
    target: "draft-2020-12",
    typeMode: "input",
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === "custom") return {};
      const { default: value, required, propertyNames, ...rest } = jsonSchema;
      return {
        ...rest,
        // Parts that have defaults of their own.
        ...(value !== undefined && JSON.stringify(value) !== "{}" && { default: value }),
        ...(required !== undefined && required.length > 0 && { required }),
        ...(Object.keys(propertyNames ?? {}).length > 1 && { propertyNames }),
      };
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type === "regex") {
        const { source } = (valibotAction as unknown as { requirement: RegExp }).requirement;
        // What a variable holds, an editor can't know.
        return { ...jsonSchema, pattern: `${source}|\\$\\{` };
      }
      if (valibotAction.type === "integer") return { ...jsonSchema, type: "integer" };
      return valibotAction.type === "transform" ? jsonSchema : undefined;
    },
  }) as Described;
  const comments = new DocComments(
    ["../../src/config/settings.ts", "../../src/config/server-entry.ts", "../../../trp-mcp/src/types.ts"]
      .concat("../../../trp-core/src/policy/types.ts")
      .map((file) => new URL(file, import.meta.url)),
  );
  const { gateway, mcpServers, servers } = schema.properties ?? {};
  comments.describe(gateway as Described, "GatewaySettings");
  for (const group of [mcpServers, servers]) comments.describe(group?.additionalProperties as Described, "ServerEntry");
  return { $id: "https://unpkg.com/@toolglot/gateway/toolglot.schema.json", ...schema } as Described;
}

// To make the file anew: npx vitest run packages/gateway/test/config/json-schema.test.ts -u
it("should publish the schema that checks files", async () => {
  await expect(`${JSON.stringify(editorSchema(), undefined, 2)}\n`).toMatchFileSnapshot(published);
});

it("should say in words what every setting is by default", () => {
  const missing: string[] = [];
  const look = (schema: Described, path: string): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const { default: value, description = "" } = property;
      const words = typeof value === "number" ? `${value}|${value.toLocaleString("en")}` : value;
      if (value !== undefined && typeof value !== "object" && !new RegExp(`[Dd]efault.*(?:${words})`).test(description))
        missing.push(`${path}.${key} ${words}`);
      look(property, `${path}.${key}`);
    }
    for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])])
      if (typeof inner === "object") look(inner, path);
  };
  look(editorSchema(), "");
  expect(missing).toEqual([]);
});

it("should be a schema that takes the example, and refuses a misspelt key", async () => {
  const schema = JSON.parse(readFileSync(new URL(published, import.meta.url), "utf8")) as JsonSchemaObject;
  const input = toInputSchema(schema, { name: "toolglot.json" });
  const takes = async (file: unknown) => (await input.validate(file)).success;
  const file = { mcpServers: { shop: { command: "node" } }, gateway: { repeat: "free", policy: "rules.json" } };
  const rule = { id: "a", decision: "deny", which: { riskTiers: ["HIGH"] } };
  const withRule = (changes: object) => ({ gateway: { policy: { version: "1", rules: [{ ...rule, ...changes }] } } });
  expect(await takes(file)).toBe(true);
  expect(await takes(withRule({}))).toBe(true);
  expect(await takes({ ...file, gateway: { polcy: {} } })).toBe(false);
  expect(await takes(withRule({ decision: "deni" }))).toBe(false);
});
