import { defined } from "@toolglot/internal";
import { shownEncoding, type TextForm, utf8 } from "../encodings/encodings.ts";
import type { FileEncodings } from "../encodings/file-encodings.ts";
import { localError, localErrorType } from "../errors.ts";
import type { OpenedFile } from "../files/pinned-folder.ts";
import { binaryFile, type LinesFound, scanLines } from "../files/scan-lines.ts";
import { readStart } from "../files/text.ts";
import { counted, inMessage, several, sized } from "../messages.ts";
import type { FileRead, ReadPart } from "./types.ts";

export interface FileBounds {
  maxChars: number;
  maxBytes: number;
  encodings: FileEncodings;
  signal?: AbortSignal | undefined;
}

/** UTF-16 units of one line. */
const maxLine = 5000;

/** Reads a file, or lines of it. The caller closes it. */
export async function readOpenedFile(file: OpenedFile, wanted: FileRead, bounds: FileBounds): Promise<ReadPart> {
  const called = inMessage(wanted.src);
  const { from = 1, to } = wanted;
  let form = wanted.encoding === undefined ? undefined : await formOf(file, wanted, bounds);
  const scan = async (first: number, last: number): Promise<LinesFound> => {
    const lines = { ...bounds, from: first, to: last, maxLine: Math.min(maxLine, bounds.maxChars), called };
    const found = await scanLines(file, { ...lines, form });
    if (found !== undefined) return found;
    form = await formOf(file, wanted, bounds);
    return (await scanLines(file, { ...lines, form })) as LinesFound;
  };

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
  const part: ReadPart = {
    kind: "file",
    of: wanted.src,
    head: `${called}: ${[`${extent(found, from, to, file.stats.size)}${encodingText(form)}`, ...remarks(found)].join("; ")}`,
    text: found.text,
    cut: found.cut || found.shortened.length > 0,
    ...defined({ encoding: form && shownEncoding(form) }),
  };
  if (!part.cut && from === 1 && found.lines === found.total) wholeParts.add(part);
  return part;
}

const wholeParts = new WeakSet<ReadPart>();

/** Checks whether a part that was read is all of its file, so that nothing is cut at its ends. */
export function isWholeFile(part: ReadPart): boolean {
  return wholeParts.has(part);
}

/** Returns how a file is encoded, judged by as much of it as may be held. Rejects with `BinaryFile` and `NotText`. */
async function formOf(file: OpenedFile, { src, encoding }: FileRead, bounds: FileBounds): Promise<TextForm> {
  const { maxBytes, encodings, signal } = bounds;
  const called = inMessage(src);
  const { size } = file.stats;
  // Files of /proc have the size 0 and content.
  const bytes = await readStart(file.handle, size === 0 ? maxBytes : Math.min(size, maxBytes));
  signal?.throwIfAborted();
  const judged = { path: file.path, called, named: encoding, isWhole: bytes.length >= size };
  return await encodings.formOf(bytes, judged).catch((error: unknown) => {
    const type = localErrorType(error);
    if (type === "BinaryFile") throw binaryFile(file, bytes, called);
    // Lines of it may be UTF-8 all the same.
    if (type === "NotText" && encoding === undefined && !bytes.includes(0))
      return { encoding: utf8, guessed: false, mark: 0 };
    throw error;
  });
}

function encodingText(form: TextForm | undefined): string {
  const name = form && shownEncoding(form);
  return name === undefined ? "" : `, ${name}${form?.guessed ? " (guessed)" : ""}`;
}

/** Returns which lines of how many, and where to read on. */
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

/** Returns what the text doesn't show. */
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
