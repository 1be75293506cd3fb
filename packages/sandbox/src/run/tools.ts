import {
  type AnyTool,
  type BoundTool,
  bindNames,
  type JsonObject,
  type JsonSchema,
  sanitizeErrorMessage,
  type ToolContext,
  ToolError,
} from "@toolglot/core";
import { iteratorOf, lastOf } from "@toolglot/core/executing";
import { isObject } from "@toolglot/internal";
import { clean, TooLarge, Unfit } from "../../guest/javascript/cleaner.mjs";
import type { SandboxConversion } from "../run-types.ts";
import type { SandboxLanguage } from "../types.ts";
import { inputSchemaOf } from "./check-input.ts";
import type { CallAnswer, Need, ProgramTool } from "./types.ts";

/** Larger tool results would fill the interpreter's memory. */
const maxValueBytes = 16 * 1024 * 1024;

/** Returns the tools of a run: `over` win over `base` by name. Throws `TypeError` for what is no tool. */
export function bindTools(
  base: readonly AnyTool[],
  over: readonly AnyTool[],
  language: SandboxLanguage,
): ProgramTool[] {
  const byName = new Map<string, AnyTool>();
  for (const tools of [base, over]) {
    const seen = new Set<string>();
    for (const tool of tools) {
      checkTool(tool);
      if (seen.has(tool.name)) throw new TypeError(`Two tools are named ${JSON.stringify(tool.name)}: rename one.`);
      seen.add(tool.name);
      byName.set(tool.name, tool);
    }
  }
  const tools = [...byName.values()];
  const bound = bindNames(tools, language);
  const isFree = (name: string, forTool: boolean): boolean =>
    !(forTool && bound.byIdentifier.has(name)) && identifierOf(name, language, forTool) === name;
  return tools.map((tool, index) => {
    const [group = "", name = "", ...more] = tool.name.split(".");
    const isMember = more.length === 0 && name !== "" && isFree(group, true) && isFree(name, false);
    return { tool, names: bound.tools[index] as BoundTool, ...(isMember ? { member: [group, name] as const } : {}) };
  });
}

/** Returns how a program would name a tool, or a parameter, of this name. */
function identifierOf(name: string, language: SandboxLanguage, forTool: boolean): string | undefined {
  const properties = forTool ? {} : { [name]: true };
  const { tools } = bindNames([{ name: forTool ? name : "t", inputSchema: { type: "object", properties } }], language);
  return forTool ? tools[0]?.identifier : tools[0]?.params[0]?.identifier;
}

function checkTool(tool: AnyTool): void {
  const given = tool as Partial<AnyTool> | null | undefined;
  const { name, inputSchema, execute } = given ?? {};
  if (typeof name !== "string" || name === "" || typeof execute !== "function" || !isObject(inputSchema)) {
    throw new TypeError("tools must be an array of tools, each with name, inputSchema and execute.");
  }
  if ("~standard" in inputSchema) {
    throw new TypeError(
      `The inputSchema of ${name} must be JSON Schema: make the tool with defineTool() of @toolglot/toolkit, or convert it, as z.toJSONSchema() does.`,
    );
  }
  const { properties = {}, required = [] } = inputSchema;
  const schemas = isObject(properties) ? Object.values(properties) : [undefined];
  const isRead = Array.isArray(required) && schemas.every(isSchema);
  if (!isRead) {
    throw new TypeError(
      `The inputSchema of ${name} must be the JSON Schema of an object, as { type: "object", properties: {} }.`,
    );
  }
  if (!tool.validatesInput) inputSchemaOf(tool);
}

/** The program gets its default, as JSON. */
function isSchema(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === "boolean";
  try {
    JSON.stringify(schema.default);
    return true;
  } catch {
    return false;
  }
}

/** Returns what the guest's side needs to know of a tool, as JSON. */
export function describeTool({ tool, names, member }: ProgramTool, code: string): Record<string, unknown> {
  const dotted = member?.join(".");
  return {
    name: names.name,
    identifier: names.identifier,
    // In messages: as the program writes it.
    called: dotted !== undefined && code.includes(dotted) ? dotted : names.identifier,
    description: tool.description,
    params: names.params.map(({ schema: _, ...param }) => param),
    open: names.rest !== undefined,
    member,
  };
}

/**
 * Returns the input of a call as the stub promises it: an optional parameter that was not given, or given as the `None` that
 * the stub shows, takes its default or stays away.
 */
export function completeArguments({ names }: ProgramTool, given: Record<string, unknown>): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) define(args, key, value);
  for (const { name, required, schema, default: fallback } of names.params) {
    if (required) continue;
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value !== undefined && !(value === null && !allowsNull(schema))) continue;
    if (fallback !== undefined) define(args, name, structuredClone(fallback));
    else if (value === null) delete args[name];
  }
  return args;
}

/** Keys such as `__proto__` are data. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function allowsNull(schema: JsonSchema): boolean {
  if (typeof schema === "boolean") return schema;
  const { type, enum: values, const: only, anyOf, oneOf } = schema;
  if (only !== undefined) return only === null;
  if (values) return values.includes(null);
  if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
  const choices = anyOf ?? oneOf;
  return choices === undefined ? schema.$ref === undefined : choices.some(allowsNull);
}

/**
 * Runs a tool to its end: see core's `lastOf` for one that yields several values. Resolves with the value, and the JSON text that goes
 * to the program. Rejects with what the tool threw.
 */
export async function executeTool(
  { tool }: ProgramTool,
  args: Record<string, unknown>,
  context: ToolContext,
  onProgress: (value: unknown) => void,
): Promise<CallAnswer> {
  let value: unknown = await (tool.execute as (input: unknown, with_: typeof context) => unknown)(args, context);
  const iterator = iteratorOf(value);
  if (iterator !== undefined) value = await lastOf(iterator, { signal: context.signal, onProgress });
  return { value, ...writeAnswer(value) };
}

/** Returns the text that goes to the program, and what of the value is otherwise in it. Throws `ToolError` when it can't be written. */
export function writeAnswer(value: unknown): Pick<CallAnswer, "json" | "conversions"> {
  if (value === undefined) return { json: "null", conversions: [] };
  const conversions: SandboxConversion[] = [];
  try {
    return { json: clean(value, maxValueBytes, "answer", conversions), conversions };
  } catch (error) {
    if (error instanceof TooLarge)
      throw new ToolError(`the tool's result is too large: ask for less. It has ${error.message}`);
    const why = error instanceof Unfit ? `: ${error.path || "it"} is ${error.message}` : "";
    throw new ToolError(`the tool's result cannot be written as JSON${why}`);
  }
}

/**
 * Returns what a program may read of a host error: a `ToolError` word for word, of any other the message less paths and URLs.
 * `isCertain`: the tool itself reported its failure, with a `ToolError`; `needs`: it reports that it did nothing, and why; `data`: what
 * else it reports, for the program to decide by. Never throws, though anything can be thrown: objects whose message is no text, or whose
 * fields throw when they are read.
 */
export function failureForGuest(error: unknown): {
  message: string;
  isCertain: boolean;
  needs?: Need;
  data?: JsonObject;
} {
  try {
    const isCertain = ToolError.isInstance(error);
    const given: unknown = isCertain || error instanceof Error ? error.message : error;
    const message = typeof given === "string" ? given : "";
    if (!isCertain) return { isCertain, message: sanitizeErrorMessage(message) };
    const { needs, ...data } = error.data;
    const json = jsonOf(data);
    return {
      isCertain,
      message,
      ...(needs === "approval" || needs === "later" ? { needs } : {}),
      ...(json !== undefined && { data: json }),
    };
  } catch {
    return { isCertain: false, message: sanitizeErrorMessage("") };
  }
}

/** What is longer is not for programs. Characters of JSON. */
const maxDataChars = 16 * 1024;

/** Data as JSON has it; undefined for none, for what is no JSON, and for more than a program needs. */
function jsonOf(data: Record<string, unknown>): JsonObject | undefined {
  const text = JSON.stringify(data);
  return text === "{}" || text.length > maxDataChars ? undefined : (JSON.parse(text) as JsonObject);
}
