import type { AnyTool } from "@toolglot/core";
import { type InputSchema, isInputSchema, toInputSchema } from "@toolglot/schema";
import type { CallOutcome, PendingCall } from "./types.ts";

const schemas = new WeakMap<object, InputSchema>();

/**
 * Returns what a tool's input is held against: its own schema, as `defineTool` makes one, else that which the model is shown. Throws
 * `TypeError`.
 */
export function inputSchemaOf({ name, inputSchema, schema }: AnyTool & { schema?: unknown }): InputSchema {
  if (isInputSchema(schema)) return schema;
  let made = schemas.get(inputSchema);
  if (made === undefined) {
    // Programs write what it is held against, so it must not take long, whatever that is.
    made = toInputSchema(inputSchema, { name, untrusted: true });
    schemas.set(inputSchema, made);
  }
  return made;
}

/** Checks the input of a call against its tool's schema. Returns undefined when it fits; it is then as the schema returns it. */
export async function checkInput(pending: PendingCall): Promise<CallOutcome | undefined> {
  const { tool, names } = pending.program;
  if (tool.validatesInput) return undefined;
  const result = await inputSchemaOf(tool).validate(pending.input);
  if (!result.success)
    return misfit(
      names.identifier,
      result.issues.map(({ message }) => message),
    );
  const { conversions = [], value } = result;
  // A null where a property may be left out is what the stub of an optional parameter shows.
  const near = conversions.filter(({ to }) => to !== "missing");
  if (near.length > 0) {
    const faults = near.map(
      ({ path, from, to }) => `${path} is ${from}, not ${to}: did you mean ${shown(value, path)}?`,
    );
    return misfit(names.identifier, faults);
  }
  pending.input = value as Record<string, unknown>;
  return undefined;
}

/** Returns what stands at a path, as JSON in a few words. */
function shown(value: unknown, path: string): string {
  const keys = path.match(/[^.[\]"]+/g) ?? [];
  const found = keys.reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], value);
  const text = JSON.stringify(found) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function misfit(name: string, faults: readonly string[]): CallOutcome {
  const message = `${name}() was not called, its arguments do not fit: ${faults.join("; ")}`;
  return { ok: false, type: "InvalidInput", message, isCertain: true };
}
