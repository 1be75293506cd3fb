import { displayWidth } from "@toolglot/internal";
import type { Style } from "../view/style.ts";
import { visible } from "../view/visible.ts";

/** Returns rows as lines with columns that stand below one another; the heads first. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const shown = rows.map((row) => row.map((cell) => visible(cell).replaceAll("\n", " ")));
  const widths = heads.map((head, at) => Math.max(...[head, ...shown.map((row) => row[at] ?? "")].map(displayWidth)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(cell))))
      .join("  ")
      .trimEnd();
  return [style.dim(line(heads)), ...shown.map(line)].map((text) => `${text}\n`).join("");
}
