import type { Random } from "../random.ts";

/** The text with a line put before one of its lines, but the first. */
export function insertLine(text: string, line: string, random: Random): string {
  const lines = text.split("\n");
  lines.splice(random.between(1, lines.length - 1 || 1), 0, line);
  return lines.join("\n");
}
