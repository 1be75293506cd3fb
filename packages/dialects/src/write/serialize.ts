import type { JsonObject } from "@toolglot/core";
import { checkKeys, isObject } from "@toolglot/internal";
import { dialectOf } from "../table/dialect-of.ts";
import type { DialectId } from "../table/ids.ts";
import type { Dialect } from "../table/types.ts";
import { ToolSet } from "../tools.ts";
import type { DialectTool } from "../types.ts";
import { CallWriter } from "./calls.ts";

/** A call to write. `id`: the model's own; dialects that have no place for ids leave it out. */
export interface WrittenCall {
  name: string;
  input: JsonObject;
  id?: string;
}

/** Options of {@link serialize}. */
export interface SerializeOptions {
  /** The tools whose schemas the text will be read with: where a dialect has no types, they decide what a text means. Default: none. */
  tools?: readonly DialectTool[];
}

/**
 * Writes calls as a model of the dialect does, byte for byte as its chat template; the reader of the dialect reads the same calls, given
 * the same tools. No calls: an empty text. Without tools, a string that would be read as another value is written as JSON.
 *
 * @throws `TypeError` for what the dialect can't hold (it names the call, the place and the cause), for a dialect that is only read
 * (`openai-loose`), and for an unknown dialect.
 *
 * @example
 * ```ts
 * const text = serialize({ dialect: "hermes", calls: [{ name: "get_weather", input: { city: "SF" } }] });
 * // <tool_call>
 * // {"name": "get_weather", "arguments": {"city": "SF"}}
 * // </tool_call>
 * ```
 */
export function serialize(
  block: { dialect: DialectId | (string & {}) | Dialect; calls: readonly WrittenCall[] },
  options: SerializeOptions = {},
): string {
  checkKeys("serialize", options, "tools:list");
  return writeCalls(dialectOf("serialize", block.dialect), block.calls, options.tools);
}

/** Writes calls of a dialect that is at hand, as {@link serialize} does. */
export function writeCalls(
  dialect: Dialect,
  calls: readonly WrittenCall[],
  tools: readonly DialectTool[] = [],
): string {
  if (!dialect.write)
    throw new TypeError(`serialize: ${dialect.id} is read, and never written. Choose another dialect.`);
  const writer = new CallWriter(dialect, new ToolSet(tools));
  for (const [index, call] of calls.entries())
    if (!isObject(call) || typeof call.name !== "string" || !isObject(call.input))
      throw new TypeError(`serialize: calls[${index}] must be { name: text, input: object }`);
  return writer.run(calls);
}
