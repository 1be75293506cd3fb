import { displayWidth } from "@toolglot/internal";
import type { Style } from "../style.ts";
import { StreamWrap } from "../wrap.ts";
import { readInline } from "./inline.ts";

const minColumn = 6;

/** Whether a line is the one below a table's head. */
export const isTableRule = (line: string): boolean => /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line);

/** The lines of a table, set within so many columns; undefined when it has more columns than fit. */
export function tableLines(
  [head = "", rule = "", ...body]: readonly string[],
  room: number,
  style: Style,
): string[] | undefined {
  const heads = cellsOf(head);
  const rows = body.map(cellsOf);
  const toRight = cellsOf(rule).map((cell) => /^-+:$/.test(cell));
  const natural = heads.map((cell, column) =>
    Math.max(...[cell, ...rows.map((row) => row[column] ?? "")].map((text) => displayWidth(plainOf(text)))),
  );
  const widths = fitted(natural, room - 3 * (heads.length - 1));
  if (widths === undefined) return undefined;
  const set = (cells: readonly string[], paint: (text: string) => string): string[] => {
    const columns = widths.map((width, column) => cellLines(cells[column] ?? "", width, paint, style));
    const height = Math.max(1, ...columns.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const texts = columns.map((lines, column) => {
        const text = lines[line] ?? "";
        const space = " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(unpainted(text))));
        return toRight[column] ? space + text : text + space;
      });
      return texts.join(style.dim(" │ ")).trimEnd();
    });
  };
  return [
    ...set(heads, style.strong),
    style.dim(widths.map((width) => "─".repeat(width)).join("─┼─")),
    ...rows.flatMap((row) => set(row, plain)),
  ];
}

const plain = (text: string): string => text;

/** The cells of a row. A bar after a backslash, or within code, parts none. */
function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const cells = inner.match(/(?:\\.?|`[^`]*`|[^|\\])*(?:\||$)/g)?.map((cell) => cell.replace(/\|$/, "").trim()) ?? [];
  // The last match is the nothing at the end.
  return (inner === "" || inner.endsWith("|") ? cells : cells.slice(0, -1)).map((cell) => cell.replaceAll("\\|", "|"));
}

function plainOf(cell: string): string {
  let text = "";
  const style = {
    dim: plain,
    strong: plain,
    emphasis: plain,
    accent: plain,
    code: plain,
    good: plain,
    warn: plain,
    bad: plain,
  };
  readInline(cell, true, { plain, style }, (piece) => {
    text += piece;
  });
  return text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours.
const unpainted = (text: string): string => text.replaceAll(/\x1b\[[\d;]*m/g, "");

function cellLines(cell: string, width: number, paint: (text: string) => string, style: Style): string[] {
  let set = "";
  const write = (text: string): void => {
    set += text;
  };
  const wrap = new StreamWrap({ prefix: "", prefixWidth: 0, width, paint, write });
  readInline(cell, true, { plain: paint, style }, (text, look) => wrap.feed(text, look));
  wrap.end();
  return set.split("\n").slice(0, -1);
}

/** Widths that fit: the widest columns give way first. */
function fitted(natural: readonly number[], room: number): number[] | undefined {
  const widths = [...natural];
  const sum = (): number => widths.reduce((all, one) => all + one, 0);
  while (sum() > room) {
    const widest = Math.max(...widths);
    if (widest <= minColumn) return undefined;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}
