import { createRecord } from "@toolglot/core";
import type { TamBlock, TamStep } from "../src/types.ts";

/** A record without a prototype, as the parser makes them. */
export function record<T>(entries: Record<string, T> = {}): Record<string, T> {
  const made = createRecord<T>();
  for (const [key, value] of Object.entries(entries)) made[key] = value;
  return made;
}

/** A step as the parser gives it. */
export function stepOf(tool: string, params: Record<string, string> = {}, more: Partial<TamStep> = {}): TamStep {
  return {
    index: 1,
    tool,
    params: record(params),
    raw: record(params),
    uris: record(),
    typeHints: record(),
    onError: "stop",
    retry: 0,
    errors: [],
    span: { start: 20, end: 60 },
    ...more,
  };
}

/** A block as the parser gives it. */
export function blockOf(steps: TamStep[], more: Partial<TamBlock> = {}): TamBlock {
  return {
    status: "complete",
    comments: [],
    common: record(),
    commonRaw: record(),
    steps,
    diagnostics: [],
    warnings: [],
    span: { start: 0, end: 80 },
    ...more,
  };
}
