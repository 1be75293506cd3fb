import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

/** The lines of one file's unified diff in colours. */
export function diffLines(diff: string, style: Style): string[] {
  const lines = visible(diff).trimEnd().split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@ "));
  return lines.map((line, index) => (index < start ? style.dim(line) : hunkLine(line, style)));
}

/** A line of a hunk: what came in green, what went in red, what stayed dimmed. */
export function hunkLine(line: string, style: Style): string {
  if (line.startsWith("+")) return style.good(line);
  if (line.startsWith("-")) return style.bad(line);
  return line.startsWith("@@ ") ? style.accent(line) : style.dim(line);
}
