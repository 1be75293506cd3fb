import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

/** The lines of a unified diff in colours: what came in green, what went in red, places dimmed. */
export function diffLines(diff: string, style: Style): string[] {
  return visible(diff)
    .trimEnd()
    .split("\n")
    .map((line) => {
      if (/^(?:---|\+\+\+) /.test(line)) return style.dim(line);
      if (line.startsWith("+")) return style.good(line);
      if (line.startsWith("-")) return style.bad(line);
      return line.startsWith("@@") ? style.accent(line) : style.dim(line);
    });
}
