import type { ToolAnnotations, ToolExample, ToolRaises } from "@toolglot/core";
import { checkKeys, type KnownKeys } from "@toolglot/internal";
import type { TracingOptions } from "../call/tracing.ts";
import type { CallOptions, PreparedCallOptions, RegisterFunctionOptions } from "../types.ts";

/** What others call the input of a tool; meant is `input`. */
export interface InputSynonyms {
  inputSchema?: unknown;
  parameters?: unknown;
}

export const registerKeys: KnownKeys<RegisterFunctionOptions & InputSynonyms> = {
  name: true,
  groupName: true,
  presets: true,
  description: true,
  includeLongDescription: true,
  jsonSchema: true,
  includeRest: true,
  namesakeStrategy: true,
  postprocess: true,
  timeoutMs: true,
  retries: true,
  chunks: true,
  input: true,
  inputSchema: true,
  parameters: true,
  args: true,
  annotations: true,
  examples: true,
  raises: true,
};

export const callKeys: KnownKeys<CallOptions> = { signal: true, onError: true };
export const preparedCallKeys: KnownKeys<PreparedCallOptions> = { ...callKeys, step: true, around: true };
export const tracingKeys: KnownKeys<TracingOptions> = { recordInputs: true, recordOutputs: true, maxChars: true };

/** The input of a tool under whichever of its names; `TypeError` when there are two. */
export function inputOf<Input>(what: string, given: { input?: Input } & InputSynonyms): Input | undefined {
  const names = (["input", "inputSchema", "parameters"] as const).filter((name) => given[name] !== undefined);
  if (names.length > 1)
    throw new TypeError(`${what} has ${names.join(" and ")}, which mean the same: give input alone`);
  return names[0] === undefined ? undefined : (given[names[0]] as Input);
}

/** Refuses what nobody would read of a tool's facts: a misspelt `readOnlyHint` must not become none. */
export function checkFacts(
  what: string,
  { annotations, examples, raises }: { annotations?: ToolAnnotations; examples?: ToolExample[]; raises?: ToolRaises[] },
): void {
  checkKeys<ToolAnnotations>(`${what}: annotations`, annotations, {
    title: true,
    readOnlyHint: true,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
    requiresApproval: true,
    async: true,
    riskTier: true,
  });
  const lists = { examples, raises };
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined && !Array.isArray(list)) throw new TypeError(`${what}: ${name} must be a list`);
  }
  for (const example of examples ?? []) {
    checkKeys<ToolExample>(`${what}: examples`, example, { input: true, code: true, language: true, output: true });
  }
  for (const error of raises ?? []) checkKeys<ToolRaises>(`${what}: raises`, error, { type: true, description: true });
}
