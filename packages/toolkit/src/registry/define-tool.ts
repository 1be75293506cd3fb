import {
  type JsonSchema,
  type JsonSchemaObject,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
  type ToolExample,
  type ToolRaises,
} from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import {
  type ArgsShorthand,
  type CheckedArgs,
  type InferArgs,
  type InferInput,
  type InputSchema,
  outputJsonSchema,
  type StandardInput,
  toInputSchema,
} from "@toolglot/schema";
import { checkFacts, factKeys, otherWords, type RefusedArgs, readInput, type ToolFacts } from "./tool-facts.ts";

/** Fields of every definition. */
export interface ToolSpec {
  /** What the model calls it. Letters, digits, `_`, `-` and `.`, at most 64, is what all providers take. */
  name: string;
  /** The first paragraph is the short description, the rest the long one. */
  description: string;
  /** The result: a Standard Schema or a JSON Schema. Shown to the model; results are not checked against it. */
  output?: StandardInput | JsonSchema;
  annotations?: ToolAnnotations;
  examples?: ToolExample[];
  /** Errors the tool can end in. */
  raises?: ToolRaises[];
  /** Nobody here runs it: an agent waits for the result of each call, which the host passes when it resumes the run. */
  external?: boolean;
}

/** A tool whose input is ready to be shown and validated. */
export interface DefinedTool<Input = never> extends Tool<Input> {
  readonly schema: InputSchema<Input>;
}

interface AnySpec extends ToolSpec, ToolFacts {
  outputSchema?: StandardInput | JsonSchema;
  execute?(input: never, context: ToolContext): unknown;
}

const specKeys =
  "name:string description:string output:boolean|object|function outputSchema:boolean|object|function external:boolean execute:function";

/**
 * Defines a tool. The input is converted to JSON Schema here, once; `TypeError` names the tool and the field when that
 * can't be done. `execute` gets what the schema puts out, and is called directly: a Toolkit is what validates.
 *
 * @example
 * ```ts
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   args: { a: "number", "b?": "number = 1" },
 *   annotations: { readOnlyHint: true },
 *   execute: ({ a, b }) => a + b,
 * });
 * ```
 */
export function defineTool<Source extends StandardInput>(
  definition: ToolSpec & {
    input: Source;
    execute(input: InferInput<Source>, context: ToolContext): unknown;
  },
): DefinedTool<InferInput<Source>>;
/** Defines a tool with the shorthand: `args: { city: "string - City name", "days?": "integer = 3" }`. */
export function defineTool<const Args extends ArgsShorthand>(
  definition: ToolSpec & {
    args: CheckedArgs<Args>;
    execute(input: InferArgs<Args>, context: ToolContext): unknown;
  },
): DefinedTool<InferArgs<Args>>;
/** Defines a tool that a page, a person or another service runs. */
export function defineTool<const Args extends ArgsShorthand>(
  definition: ToolSpec & { external: true; input?: StandardInput | JsonSchemaObject; args?: CheckedArgs<Args> },
): DefinedTool<Record<string, unknown>>;
/** Defines a tool with a plain JSON Schema of an object, or without parameters. */
export function defineTool<const Args extends ArgsShorthand>(
  definition: ToolSpec & { input?: JsonSchemaObject; args?: Args & RefusedArgs<Args> } & (
      | { execute(input: Record<string, unknown>, context: ToolContext): unknown }
      | { external: true }
    ),
): DefinedTool<Record<string, unknown>>;
export function defineTool(given: object): DefinedTool {
  const definition = given as AnySpec;
  checkKeys("defineTool", definition, [factKeys, specKeys], ["name", "description"], otherWords);
  const { name, description, external, annotations, examples, raises, outputSchema } = definition;
  const execute = external ? notHere : definition.execute;
  const output = definition.output ?? outputSchema;
  if (!name) throw new TypeError("defineTool needs a name");
  if (description === undefined) {
    throw new TypeError(`Tool ${JSON.stringify(name)} needs a description: it is all the model knows of it`);
  }
  if (execute === undefined) throw new TypeError(`Tool ${JSON.stringify(name)} needs an execute function`);
  const what = `Tool ${JSON.stringify(name)}`;
  checkFacts(what, definition);
  if (definition.output !== undefined && outputSchema !== undefined) {
    throw new TypeError(`${what} has output and outputSchema, which mean the same: give output alone`);
  }
  const schema = readInput(name, definition) ?? toInputSchema({}, { name });
  return {
    name,
    description,
    inputSchema: schema.jsonSchema,
    schema: schema as InputSchema<never>,
    execute: execute as DefinedTool["execute"],
    ...defined({ annotations, examples, raises, external }),
    ...(output !== undefined && { outputSchema: outputJsonSchema(output, { name }) }),
  };
}

function notHere(): never {
  throw new ToolError("This tool is run elsewhere, and its result comes from there.");
}
