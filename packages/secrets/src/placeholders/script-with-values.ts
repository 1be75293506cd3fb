import { valueError } from "../errors.ts";
import { type FilledScript, fillScript } from "./fill-script.ts";
import type { Values } from "./placeholder-filler.ts";
import { placeholder, placeholdersOf } from "./placeholders.ts";

/**
 * Returns a bash script with references to variables in the place of its placeholders; undefined when it has none. Throws `ValuePlace` where
 * a value can't stand.
 */
export function scriptWithValues(script: string, values: Values): FilledScript | undefined {
  const placeholders = placeholdersOf(script);
  if (placeholders.length === 0) return undefined;
  const filled = fillScript(script, placeholders, values);
  if (!("message" in filled)) return filled;
  const { name, message } = filled;
  throw valueError(
    "ValuePlace",
    `${placeholder(name)} can't stand there: ${message}. Nothing was run.`,
    `Give it to a child by its environment, T=${placeholder(name)} python3 -c '… os.environ["T"] …', by a file, or by standard input.`,
  );
}
