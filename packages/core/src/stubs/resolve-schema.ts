import { atPointer } from "@toolglot/internal";
import type { JsonSchema } from "../json.ts";
import { neutralize } from "../text/neutralize.ts";

const maxHops = 8;

/** Follows local references (`#/$defs/…`), as far as they lead; what leads nowhere is as good as no schema. */
export function resolveSchema(schema: JsonSchema | undefined, root: JsonSchema | undefined): JsonSchema | undefined {
  let found = schema;
  for (let hops = 0; typeof found === "object" && typeof found.$ref === "string"; hops++) {
    if (hops > maxHops) return undefined;
    found = schemaAt(found.$ref, root);
  }
  return found;
}

/** Returns what a local reference points at: one step, no further. */
export function schemaAt(reference: string, root: JsonSchema | undefined): JsonSchema | undefined {
  return reference.startsWith("#") ? (atPointer(root, reference) as JsonSchema | undefined) : undefined;
}

/** Returns a schema's own value, else that of the schema it refers to. */
export function descriptionOf(schema: JsonSchema, root: JsonSchema): string {
  const own = typeof schema === "object" ? schema.description : undefined;
  const found = resolveSchema(schema, root);
  return neutralize(own ?? (typeof found === "object" ? (found.description ?? "") : ""));
}
