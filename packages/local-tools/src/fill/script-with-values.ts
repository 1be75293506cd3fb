import { localError } from "../errors.ts";
import { type FilledScript, fillScript } from "./fill-script.ts";
import { placeholdersOf, type Values } from "./placeholders.ts";

/** A script with references in the place of its placeholders. Throws `ValuePlace` where a value can't stand. */
export function scriptWithValues(script: string, values: Values): FilledScript | undefined {
  const placeholders = placeholdersOf(script);
  if (placeholders.length === 0) return undefined;
  const filled = fillScript(script, placeholders, values);
  if (!("message" in filled)) return filled;
  const { name, message } = filled;
  throw localError("ValuePlace", `$KARYI{${name}} can't stand there: ${message}. Nothing was run.`, {
    hint: `Give it to a child by its environment, T=$KARYI{${name}} python3 -c '… os.environ["T"] …', by a file, or by standard input.`,
  });
}
