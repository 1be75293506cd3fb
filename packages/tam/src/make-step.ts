import { createRecord, type Span } from "@toolglot/core";
import type { TamStep } from "./types.ts";

/** Creates a step that has nothing but its tool. */
export function makeStep(index: number, tool: string, span: Span = { start: 0, end: 0 }): TamStep {
  return {
    index,
    tool,
    params: createRecord(),
    raw: createRecord(),
    uris: createRecord(),
    typeHints: createRecord(),
    onError: "stop",
    retry: 0,
    errors: [],
    span,
  };
}
