import type { ToolAnnotations, ToolExample, ToolRaises } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { type ArgsShorthand, argsSchema, type InputSchema, type InputSource, toInputSchema } from "@toolglot/schema";

/** The fields that a tool's definition and a function's registration have in common. */
export interface ToolFacts {
  input?: InputSource;
  /** What others call the input of a tool. */
  inputSchema?: unknown;
  parameters?: unknown;
  args?: ArgsShorthand;
  annotations?: ToolAnnotations;
  examples?: ToolExample[];
  raises?: ToolRaises[];
}

export const factKeys = "input inputSchema parameters args annotations examples raises";

/** The schema of a tool's input, from `input`, a name that means the same, or `args`; `TypeError` when two are given. */
export function readInput(name: string, given: ToolFacts): InputSchema | undefined {
  const what = `Tool ${JSON.stringify(name)}`;
  const { args } = given;
  const [first, ...others] = (["input", "inputSchema", "parameters"] as const).filter(
    (key) => given[key] !== undefined,
  );
  if (others.length > 0)
    throw new TypeError(`${what} has ${[first, ...others].join(" and ")}, which mean the same: give input alone`);
  if (first !== undefined && args !== undefined) throw new TypeError(`${what} has both input and args: give one`);
  if (args !== undefined) return argsSchema(args, { name });
  return first === undefined ? undefined : (toInputSchema(given[first] as InputSource, { name }) as InputSchema);
}

/** Refuses unknown keys in a tool's facts: a misspelt `readOnlyHint` must not become no hint. */
export function checkFacts(
  what: string,
  { annotations, examples, raises }: Pick<ToolFacts, "annotations" | "examples" | "raises">,
): void {
  checkKeys(
    `${what}: annotations`,
    annotations,
    "title readOnlyHint destructiveHint idempotentHint openWorldHint requiresApproval async riskTier",
  );
  const lists = { examples, raises };
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined && !Array.isArray(list)) throw new TypeError(`${what}: ${name} must be a list`);
  }
  for (const example of examples ?? []) {
    checkKeys(`${what}: examples`, example, "input code language output");
  }
  for (const error of raises ?? []) checkKeys(`${what}: raises`, error, "type description");
}
