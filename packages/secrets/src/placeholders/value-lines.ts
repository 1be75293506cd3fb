import { quoteWord } from "@toolglot/internal";
import type { FilledScript } from "./fill-script.ts";

/**
 * Writes the lines before a filled script that set its variables. `options`: the shell's, as `$-` has them; tracing is off
 * already, and on again behind the lines. Nothing shows a value (`set -v`, `set -x`, a trap on `DEBUG`), no child inherits one
 * (`set -a`), and the script does not run where bash would evaluate one, because a variable that it assigns to has the integer
 * attribute.
 */
export function valueLines({ variables, assigned }: FilledScript, options: string): string {
  const had = (names: string): string => [...names].filter((option) => options.includes(option)).join("");
  const set = (sign: string, names: string): string[] =>
    names === "" ? [] : [`{ \\builtin set ${sign}${names}; } 2>/dev/null`];
  const restore = set("-", had("uvx"));
  const lines = set("+", had("uv"));
  if (options.includes("T")) {
    lines.push("__trap=$(\\builtin trap -p DEBUG); \\builtin trap - DEBUG");
    restore.unshift('\\builtin eval "$__trap"; \\builtin unset -v __trap');
  }
  for (const [name, value] of variables) lines.push(`${name}=${quoteWord(value)}`, `\\builtin declare +x ${name}`);
  for (const name of assigned) {
    const why = quoteWord(`${name} has the integer attribute, so bash would evaluate a value. Nothing was run.`);
    const refuse = [...restore, `\\builtin printf '%s\\n' ${why} >&2`, "\\builtin return 1"].join("; ");
    lines.push(`if [[ \${${name}@a} == *i* ]]; then ${refuse}; fi`);
  }
  return [...lines, ...restore].map((line) => `${line}\n`).join("");
}
