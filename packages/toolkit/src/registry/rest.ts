import type { JsonSchema } from "@toolglot/core";
import { type InputSchema, type StandardInput, toInputSchema } from "@toolglot/schema";

type StandardResult = Awaited<ReturnType<StandardInput["~standard"]["validate"]>>;

/**
 * Returns the same schema, which also takes properties that it doesn't name, where they fit `rest`. `passed`: names that are given
 * by the host, and not checked.
 */
export function withRest(full: InputSchema, rest: JsonSchema, passed: readonly string[], name: string): InputSchema {
  const shown = { ...full.jsonSchema, additionalProperties: rest };
  if (full.kind !== "standard") return toInputSchema(shown, { name, untrusted: full.untrusted }) as InputSchema;
  const restSchema = toInputSchema({ type: "object", additionalProperties: rest }, { name }) as InputSchema;
  const declared = full.jsonSchema.properties ?? {};
  // A schema library strips or refuses what it doesn't know: it gets its own properties only.
  const validate = async (value: unknown): Promise<StandardResult> => {
    if (typeof value !== "object" || value === null) return full["~standard"].validate(value);
    const entries = Object.entries(value);
    const isPassed = (key: string): boolean => !Object.hasOwn(declared, key) && passed.includes(key);
    const own = Object.fromEntries(entries.filter(([key]) => Object.hasOwn(declared, key)));
    const others = Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(declared, key) && !isPassed(key)));
    const first = await full["~standard"].validate(own);
    const second = await restSchema["~standard"].validate(others);
    const issues = [...(first.issues ?? []), ...(second.issues ?? [])];
    if (first.issues || second.issues) return { issues };
    const host = Object.fromEntries(entries.filter(([key]) => isPassed(key)));
    return { value: { ...(first.value as object), ...(second.value as object), ...host } };
  };
  const source = {
    "~standard": {
      version: 1 as const,
      vendor: "toolglot",
      validate,
      jsonSchema: { input: () => shown, output: () => shown },
    },
  };
  return toInputSchema(source as StandardInput, { name }) as InputSchema;
}
