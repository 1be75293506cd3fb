import { checkKeys } from "@toolglot/internal";
import { dialectOf } from "./table/dialect-of.ts";
import type { DialectId } from "./table/ids.ts";
import type { Dialect } from "./table/types.ts";
import type { WrittenCall } from "./types.ts";
import { type SerializeOptions, writeCalls } from "./write/serialize.ts";

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
  checkKeys("serialize", options, "tools:object[]");
  return writeCalls(dialectOf("serialize", block.dialect), block.calls, options.tools);
}
