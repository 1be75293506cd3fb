import { localError } from "../errors.ts";
import type { FileText } from "../files/text.ts";
import { decodeForm, lineNotOf } from "./codecs.ts";
import { EncodingFinder, formByMark, isPlainUtf8, isText, type JudgedFile, type NoText } from "./detect.ts";
import { demandEncoding, type Encoding, isSameEncoding, type TextForm, utf8 } from "./encodings.ts";
import { loadCodecs } from "./load-codecs.ts";

/** A file's text with its form: encoded again by it, unchanged parts give the same bytes. */
export interface EncodedText extends FileText {
  form: TextForm;
}

/** A file that a model named. */
export interface EncodedFile extends JudgedFile {
  /** What messages call it. */
  called: string;
  /** The encoding that the call names. */
  named?: string | undefined;
}

/** Finds out how files are encoded, and decodes them. Loads what it needs for that. */
export class FileEncodings extends EncodingFinder {
  /** Returns how a file is encoded, or is said to be. Rejects with `BinaryFile`, `NotText`, and `InvalidInput` for an unknown name. */
  async formOf(bytes: Buffer, file: EncodedFile, use: "read" | "edited" = "read"): Promise<TextForm> {
    const encoding = file.named === undefined ? undefined : demandEncoding(file.named, file.called);
    if (encoding !== undefined || !isPlainUtf8(bytes)) await loadCodecs();
    const found = encoding === undefined ? this.find(bytes, file) : namedForm(bytes, encoding, file);
    if ("kind" in found) throw refusal(bytes, found, file, use);
    // It may be decoded now, and encoded again.
    if (found.encoding !== utf8) await loadCodecs();
    return found;
  }

  /** Returns a file's text. Rejects as {@link formOf} does. */
  async textOf(bytes: Buffer, file: EncodedFile, use: "read" | "edited" = "read"): Promise<EncodedText> {
    const form = await this.formOf(bytes, file, use);
    // What is found to be UTF-8 is valid.
    const text = form.encoding === utf8 ? bytes.toString("utf8", form.mark) : (decodeForm(bytes, form) ?? "");
    return { bytes, text, bom: form.mark > 0, form };
  }
}

/** Returns the form of a file that is said to be in an encoding. A mark of that encoding is none of its text. */
function namedForm(bytes: Buffer, encoding: Encoding, file: EncodedFile): TextForm | NoText {
  const marked = formByMark(bytes);
  // `utf-16` leaves the order of its bytes open: a mark decides.
  const own =
    marked !== undefined &&
    (isSameEncoding(marked.encoding, encoding) || (marked.encoding.width === 2 && encoding.width === 2));
  const form = { encoding: own ? marked.encoding : encoding, guessed: false, mark: own ? marked.mark : 0 };
  if (isText(bytes, form, file)) return form;
  return encoding.width !== 2 && bytes.includes(0) ? { kind: "binary" } : { kind: "unknown", almost: encoding };
}

const byteForByte = "Name its encoding, if you know it; ISO-8859-1 takes every byte for one character.";

function refusal(bytes: Buffer, found: NoText, { called }: EncodedFile, use: "read" | "edited"): Error {
  const cant = `it can't be ${use} as text.`;
  if (found.kind === "binary") return localError("BinaryFile", `${called} is a binary file: ${cant}`);
  const { almost } = found;
  const line = lineNotOf(bytes, almost ?? utf8);
  const what = almost === undefined ? "in no encoding that is known: it is not UTF-8" : `not ${almost.name}`;
  return localError("NotText", `${called} is ${what} (line ${line}): ${cant}`, { line, hint: byteForByte });
}
