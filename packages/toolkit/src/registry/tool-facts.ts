import type { JsonSchema, ToolAnnotations, ToolExample, ToolRaises } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import {
  type ArgsShorthand,
  argsSchema,
  type CheckedArgs,
  type CheckedSource,
  type InputSchema,
  type InputSource,
  type StandardInput,
  toInputSchema,
} from "@toolglot/schema";

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

/** What is wrong where no signature takes a shorthand: a word in it, or the function beside it. */
export type RefusedArgs<Args extends ArgsShorthand> = string extends Args[keyof Args]
  ? Args
  : CheckedArgs<Args> extends Args
    ? { "the function takes another input than": Args }
    : CheckedArgs<Args>;

/** Options that say nothing of the function's parameter: others are for the signatures that compare them with it. */
export type Untyped<Options> = Options extends
  | { includeRest: JsonSchema }
  | { jsonSchema: Readonly<Record<string, unknown>> }
  ? unknown
  : Options extends { args: infer Args extends ArgsShorthand }
    ? { args: RefusedArgs<Args> }
    : Options extends { input: StandardInput }
      ? never
      : Options extends { input: infer Source }
        ? { input: CheckedSource<Source> }
        : unknown;

export const factKeys =
  "input:object|function inputSchema:any parameters:any args:object annotations:object examples:object[] raises:object[]";

/** What other libraries call the fields of a tool. */
export const otherWords = {
  handler: "It is execute here.",
  call: "It is execute here.",
  run: "It is execute here.",
  func: "It is execute here.",
  invoke: "It is execute here.",
  schema: "It is input here.",
  inputJSONSchema: "It is input here.",
  needsApproval: "It is annotations: { requiresApproval: true } here.",
  strict: "Inputs are always validated here.",
} as const;

/** Returns the schema of a tool's input, from `input`, a name that means the same, or `args`; `TypeError` when two are given. */
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
    'title:string readOnlyHint:boolean destructiveHint:boolean idempotentHint:boolean openWorldHint:boolean requiresApproval:boolean async:boolean riskTier:"LOW"|"MEDIUM"|"HIGH"|"CRITICAL"',
  );
  for (const example of examples ?? []) {
    checkKeys(`${what}: examples`, example, 'input:object code:string language:"python"|"javascript" output:any');
  }
  for (const error of raises ?? []) checkKeys(`${what}: raises`, error, "type:string description:string");
}
