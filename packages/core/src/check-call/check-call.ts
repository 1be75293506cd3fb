import { isObject, parseJson } from "@toolglot/internal";
import type { JsonSchema, JsonSchemaObject } from "../json.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { checkText } from "./check-text.ts";
import { findingText } from "./finding-text.ts";
import { isSame, readRaw } from "./raw-json.ts";
import type { CallFinding, Found } from "./types.ts";

/** Options of {@link checkCall}. */
export interface CheckCallOptions {
  /** Marks that close calls, beside those of the known formats. */
  marks?: readonly string[];
}

/**
 * Looks for damage in a call, whoever read it: a call that succeeds with it writes wrong data. Give it the arguments as they came,
 * before their schema is checked. A finding is no proof: the text may be about such marks. Takes any value, and time in proportion to it.
 *
 * @param call `input`: the arguments, or their JSON as text.
 * @param tool Without it, what a call lacks is not known, and so no swallowed argument.
 * @returns The findings, in the order of the arguments; mostly none.
 *
 * @example
 * ```ts
 * const input = { content: 'hello</parameter>\n<parameter name="path">a.txt' };
 * const inputSchema = { type: "object" as const, properties: { path: {}, content: {} } };
 * const tool = { name: "write", description: "Writes a file.", inputSchema };
 * const [finding] = checkCall({ name: "write", input }, tool); // core/swallowed-argument, with "path" as "a.txt"
 * ```
 */
export function checkCall(
  call: { name: string; input: unknown },
  tool?: Pick<ToolDefinition, "name" | "inputSchema">,
  { marks = [] }: CheckCallOptions = {},
): CallFinding[] {
  const { name, input } = call;
  const findings: CallFinding[] = [];
  const isNamed = name?.trim() && (name === tool?.name || !markInName.test(name));
  if (isNamed && marks.length === 0 && isObject(input) && !mayBeDamaged(input, 0)) return findings;
  const add = (found: Found | undefined, path: string, text: unknown): void => {
    if (!found) return;
    const message = findingText(found, path, text);
    findings.push({
      ...found,
      code: `core/${found.code}`,
      path,
      affects: "value",
      message,
      hint: `${message} Write the call again.`,
    });
  };
  if (!isNamed) add({ code: "nameless-call" }, "", name);
  const { value: values, found } = typeof input === "string" ? readRaw(input) : { value: input };
  add(found, "", input);
  if (!isObject(values)) return findings;
  const places: Place[] = [[values, "", tool?.inputSchema, [`${name}`.toLowerCase()], []]];
  for (const [parent, path, schema, own, lackingAbove] of places) {
    const { properties = {}, items }: JsonSchemaObject = isObject(schema) ? schema : {};
    let lacking: string[] | undefined;
    for (const [key, value] of Object.entries(parent)) {
      const isText = typeof value === "string";
      // More places than these are in no JSON, but in a circle.
      if (!isText && (!isNested(value) || places.length > 100_000)) continue;
      lacking ??= [...lackingAbove, ...Object.keys(properties).filter((name) => !Object.hasOwn(parent, name))];
      const here = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const names = Array.isArray(parent) ? own : [...own.slice(0, 2), key.toLowerCase()];
      if (isText) add(checkText(value, names, lacking, marks) ?? doubledEnd(value, parent, key), here, value);
      else places.push([value, here, properties[key] ?? items, names, lacking]);
    }
  }
  return findings;
}

/** A closing mark holds one of these, the end of a string in JSON, or of the whole call. */
const mayBeMark = /<|\[\/|["']\s{0,9},|\}\s*$/;

/** Looks quickly, since nearly all calls are whole. */
function mayBeDamaged(parent: Record<string, unknown>, depth: number): boolean {
  return Object.values(parent).some((value) =>
    typeof value === "string"
      ? mayBeMark.test(value)
      : isNested(value) && (depth > 9 || mayBeDamaged(value, depth + 1)),
  );
}

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
const markInName = /[<>｜]|\[[A-Z_]+\]/;

/**
 * An object or a list on the way through the arguments. `own`: names of the tool, the argument, and what is nearest, in lower case. `lacking`:
 * arguments that the call lacks, down to here.
 */
type Place = [
  parent: Record<string, unknown>,
  path: string,
  schema: JsonSchema | undefined,
  own: readonly string[],
  lacking: readonly string[],
];

/** Looks for the JSON of the whole call behind an argument, in which the argument is without it. */
function doubledEnd(text: string, input: Record<string, unknown>, key: string): Found | undefined {
  // What is repeated is in it, so it is at least half of the text.
  const begin = /\{\s*"/g;
  for (let tries = 4; tries-- > 0; ) {
    const at = begin.exec(text)?.index ?? Infinity;
    if (at > text.length / 2) return undefined;
    if (isSame(parseJson(text.slice(at)), { ...input, [key]: text.slice(0, at) })) return { code: "doubled-input", at };
  }
  return undefined;
}
