import type { AnyTool, ToolDefinition, ToolExample } from "@toolglot/core";
import { checkKeys, defined, isObject, maxTimerMs, readFunctionShape } from "@toolglot/internal";
import { type InputSchema, isInputSchema, toInputSchema } from "@toolglot/schema";
import { RegisteredToolFunction } from "../call/registered.ts";
import type { AnyToolFunction, RegisterFunctionOptions, Registrable } from "../types.ts";
import { withRest } from "./rest.ts";
import { checkFacts, factKeys, otherWords, readInput, type ToolFacts } from "./tool-facts.ts";

const optionKeys = [
  'name:string groupName:text presets:object description:string includeLongDescription:boolean jsonSchema:object includeRest:boolean|object namesakeStrategy:"skip"|"raise"|"override"|"rename"',
  'postprocess:function timeoutMs:number retries:count chunks:"cumulative"|"incremental"',
] as const;

/** Reads a tool, or a function with its options, into what the toolkit keeps. `TypeError` for a caller's mistake. */
export function readRegistration(
  given: Registrable,
  options: RegisterFunctionOptions,
  warnings: string[],
): RegisteredToolFunction {
  checkKeys("registerToolFunction", options as RegisterFunctionOptions & ToolFacts, [factKeys, ...optionKeys], [], {
    ...otherWords,
    execute: "Pass the function first: registerToolFunction(execute, { name, … }), or a tool of defineTool.",
  });
  checkFacts("registerToolFunction", options);
  const tool = typeof given === "function" ? undefined : checkedTool(given);
  const byHand = options.jsonSchema === undefined ? undefined : readJsonSchema(options.jsonSchema);
  const originalName = tool?.name ?? (given as AnyToolFunction).name ?? "";
  const name = options.name ?? byHand?.name ?? originalName;
  if (typeof name !== "string" || name === "") {
    throw new TypeError("registerToolFunction: the function has no name; pass { name }");
  }
  if (!/^[\w.-]{1,64}$/.test(name)) {
    const legal = JSON.stringify(name.replace(/[^\w.-]+/g, "_").slice(0, 64));
    throw new TypeError(
      `registerToolFunction: the name ${JSON.stringify(name)} is not taken by providers: 1 to 64 of A-Z, a-z, 0-9, _, - and ., as { name: ${legal} }`,
    );
  }
  const description = options.description ?? byHand?.description ?? tool?.description;
  if (typeof description !== "string") {
    throw new TypeError(`Tool ${JSON.stringify(name)} needs a description: pass { description }`);
  }
  const presets = { ...options.presets };
  const presetNames = Object.keys(presets);
  let full =
    byHand?.parameters === undefined
      ? schemaOf(name, tool, options)
      : (toInputSchema({ type: "object", ...byHand.parameters }, { name }) as InputSchema);
  const rest = options.includeRest ?? false;
  if (rest !== false) full = withRest(full, rest, presetNames, name);
  const undeclared = presetNames.filter((key) => !Object.hasOwn(full.jsonSchema.properties ?? {}, key));
  if (undeclared.length > 0) {
    warnings.push(
      `Tool ${JSON.stringify(name)}: the presets ${undeclared.join(", ")} are no parameters of the schema.`,
    );
  }
  if (full.unchecked.length > 0) {
    const patterns = [...new Set(full.unchecked)].map((pattern) => JSON.stringify(pattern)).join(", ");
    warnings.push(
      `Tool ${JSON.stringify(name)}: the patterns ${patterns} can't be checked in bounded time; they are left to whoever runs the tool.`,
    );
  }
  const schema = full.withPresets(presets);
  const { annotations = options.annotations, examples = options.examples, raises = options.raises } = tool ?? {};
  const definition: ToolDefinition = {
    name,
    description: options.includeLongDescription === false ? shortDescription(description) : description.trim(),
    inputSchema: schema.jsonSchema,
    ...(tool?.untrusted === true && { untrusted: true }),
    ...(tool?.external === true && { external: true }),
    ...defined({
      outputSchema: tool?.outputSchema,
      annotations,
      examples: examples?.map((example) => withoutPresets(example, presetNames)),
      raises,
    }),
  };
  return new RegisteredToolFunction({
    definition,
    originalName: originalName || name,
    groupName: options.groupName ?? "basic",
    execute: tool === undefined ? (given as AnyToolFunction) : (input, context) => tool.execute(input, context),
    schema,
    presets,
    postprocess: options.postprocess,
    timeoutMs: checkedTimeout(options.timeoutMs),
    retries: allowedRetries(name, options.retries, annotations, warnings),
    chunks: options.chunks ?? "cumulative",
  });
}

function checkedTool(given: unknown): AnyTool {
  const tool = given as Partial<AnyTool> | null | undefined;
  if (typeof tool !== "object" || tool === null || typeof tool.execute !== "function") {
    throw new TypeError("registerToolFunction needs a tool (see defineTool) or a function");
  }
  if (typeof tool.name !== "string") throw new TypeError("registerToolFunction: the tool has no name");
  return tool as AnyTool;
}

function schemaOf(name: string, tool: AnyTool | undefined, options: RegisterFunctionOptions): InputSchema {
  const given = readInput(name, options);
  if (given !== undefined) return given;
  if (tool === undefined) return toInputSchema({}, { name });
  const { schema } = tool as AnyTool & { schema?: unknown };
  return isInputSchema(schema) ? schema : toInputSchema(tool.inputSchema, { name, untrusted: tool.untrusted === true });
}

interface ByHand {
  name?: string;
  description?: string;
  parameters: Record<string, unknown>;
}

/** Takes a function in a provider's shape, and the JSON Schema of an object. */
function readJsonSchema(given: Readonly<Record<string, unknown>>): ByHand {
  const wrong = (problem: string): never => {
    throw new TypeError(
      `jsonSchema ${problem}: pass { type: "function", function: { name, description, parameters } }, or a JSON Schema of an object`,
    );
  };
  if (!isObject(given)) return wrong("is no object");
  if (given.type === "object") return { parameters: given };
  const shape = readFunctionShape(given);
  if (shape === undefined) {
    if (given.type !== "function") return wrong(`has the type ${JSON.stringify(given.type)}`);
    return wrong(isObject(given.function) ? "has a function with other keys than these" : "has no function");
  }
  const { name, description, schema } = shape;
  if (name !== undefined && typeof name !== "string") return wrong("has a name that is no string");
  if (description !== undefined && typeof description !== "string") {
    return wrong("has a description that is no string");
  }
  if (schema !== undefined && !isObject(schema)) return wrong("has parameters that are no object");
  // A function without parameters in its definition takes none.
  return { ...defined({ name, description }), parameters: schema ?? {} };
}

/** Returns the first paragraph. */
function shortDescription(description: string): string {
  return description.trim().split(/\n\s*\n/)[0] ?? "";
}

function withoutPresets(example: ToolExample, presets: readonly string[]): ToolExample {
  if (example.input === undefined || presets.length === 0) return example;
  const kept = Object.entries(example.input).filter(([key]) => !presets.includes(key));
  return { ...example, input: Object.fromEntries(kept) };
}

function checkedTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= maxTimerMs)) {
    throw new TypeError(`timeoutMs must be a number of milliseconds from 1 to ${maxTimerMs}, not ${timeoutMs}`);
  }
  return timeoutMs;
}

/** Returns the retries of a tool. They are safe only where the author declares that a second call changes nothing more. */
function allowedRetries(
  name: string,
  retries: number | undefined,
  annotations: ToolDefinition["annotations"],
  warnings: string[],
): number {
  if (retries === undefined || retries === 0) return 0;
  if (annotations?.idempotentHint === true || annotations?.readOnlyHint === true) return retries;
  warnings.push(
    `Tool ${JSON.stringify(name)} is not retried: its annotations say neither idempotentHint nor readOnlyHint.`,
  );
  return 0;
}
