import { defined } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { type LinesFound, scanLines } from "../files/scan-lines.ts";
import { counted, inMessage, several, sized } from "../messages.ts";
import type { OpenedFile } from "../roots/pinned-folder.ts";
import type { FileRead, ReadPart } from "./types.ts";

/** Bounds of what is given of a file. */
export interface FileBounds {
  maxChars: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** UTF-16 units of one line. */
const maxLine = 5000;

/** Gives a file, or lines of it. Closing it is the caller's. */
export async function readOpenedFile(file: OpenedFile, wanted: FileRead, bounds: FileBounds): Promise<ReadPart> {
  const called = inMessage(wanted.src);
  const { from = 1, to } = wanted;
  const scan = (first: number, last: number): Promise<LinesFound> =>
    scanLines(file, { ...bounds, from: first, to: last, maxLine: Math.min(maxLine, bounds.maxChars), called });

  const wrong = [from, to].find((line) => line !== undefined && (!Number.isSafeInteger(line) || line < 1));
  if (wrong !== undefined) throw localError("InvalidRange", `${called}: lines count from 1; ${wrong} is no line.`);
  if (to !== undefined && from > to) {
    const { total } = await scan(1, 0);
    const has = total === undefined ? sized(file.stats.size) : several(total, "line");
    throw localError(
      "InvalidRange",
      `${called}: line ${from} comes after line ${to}; the file has ${has}.`,
      defined({ lines: total }),
    );
  }
  const found = await scan(from, to ?? Number.POSITIVE_INFINITY);
  if (found.lines === 0 && from > 1 && found.total !== undefined) {
    throw localError(
      "InvalidRange",
      `${called} has ${several(found.total, "line")}; there is no line ${counted(from)}.`,
      {
        lines: found.total,
      },
    );
  }
  return {
    kind: "file",
    of: wanted.src,
    head: `${called}: ${[extent(found, from, to, file.stats.size), ...remarks(found)].join("; ")}`,
    text: found.text,
    cut: found.cut || found.shortened.length > 0,
  };
}

/** Which lines of how many, and where to read on. */
function extent(found: LinesFound, from: number, to: number | undefined, size: number): string {
  const { total, lines } = found;
  if (total === 0) return found.byteOrderMark ? "empty file (but for a byte order mark)" : "empty file";
  const last = from + lines - 1;
  if (from === 1 && last === total) return beyond(several(total, "line"), to, total);
  const which = lines === 1 ? `line ${counted(from)}` : `lines ${counted(from)}–${counted(last)}`;
  const whole = `${which} of ${total === undefined ? `a file of ${sized(size)}` : counted(total)}`;
  if (found.cut) return `${whole}; read on from ${last + 1}`;
  return total === undefined ? whole : beyond(whole, to, total);
}

function beyond(whole: string, to: number | undefined, total: number): string {
  return to === undefined || to <= total ? whole : `${whole} (there is no line ${counted(to)})`;
}

/** What the text doesn't show. */
function remarks(found: LinesFound): string[] {
  const { crlf, lf, shortened } = found;
  const notes: string[] = [];
  if (crlf > 0 && lf === 0) notes.push("line ends are CRLF, shown as LF");
  if (crlf > 0 && lf > 0) notes.push(`line ends are mixed (${counted(crlf)} CRLF, ${counted(lf)} LF), shown as LF`);
  if (found.byteOrderMark && found.total !== 0) notes.push("begins with a byte order mark, not shown");
  if (found.unterminated) notes.push("no line end at the end");
  if (shortened.length > 0) {
    const some = shortened.slice(0, 5).map(counted).join(", ");
    const more = shortened.length > 5 ? ` and ${counted(shortened.length - 5)} more` : "";
    notes.push(`too long, cut: ${shortened.length === 1 ? "line" : "lines"} ${some}${more}`);
  }
  return notes;
}
