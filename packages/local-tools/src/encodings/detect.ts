import { isAscii, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { mediaSignature } from "../files/file-kind.ts";
import { codecs, decodeAll, isEncodedIn, withoutCutEnd } from "./codecs.ts";
import { EditorConfigs } from "./editor-config.ts";
import {
  type Encoding,
  encodingNamed,
  gb18030,
  gbk,
  nearestEncodings,
  type TextForm,
  utf8,
  utf16be,
  utf16le,
} from "./encodings.ts";
import { isChineseLocale, isChineseProject, likelyEncodings } from "./likely-encodings.ts";

/** What speaks for an encoding of a file beside its bytes. */
interface DetectHints extends Omit<JudgedFile, "path"> {
  /** The encoding of `.editorconfig`. */
  declared: () => Encoding | undefined;
  /** Tried where nothing is certain, the first that fits is taken. */
  likely: () => readonly Encoding[];
}

/** What a file is, when it is no text of a known encoding. */
export type NoText =
  | { kind: "binary" }
  /** `almost`: the encoding that it is plainly in but for some bytes. */
  | { kind: "unknown"; almost: Encoding | undefined };

/** Confidence, of 100, from which the detector's answer is taken. */
const sureConfidence = 80;
const sampleBytes = 64 * 1024;
/** Files of which a finder remembers what they are. */
const maxKnown = 10_000;
/** Share of NUL bytes at even, or at odd, places from which it is UTF-16. */
const utf16Nuls = 0.3;

/** Checks whether a file's bytes need no look at their encoding: UTF-8, or ASCII, without a NUL. A mark may stand before them. */
export function isPlainUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/**
 * Returns how a file is encoded. In this order: a byte order mark; UTF-8; what `.editorconfig` declares, where the bytes are of it; UTF-16 by its
 * NULs; what the detector is sure of; the first likely encoding that encodes to the same bytes.
 */
function detectForm(bytes: Buffer, hints: DetectHints): TextForm | NoText {
  const marked = formByMark(bytes);
  if (marked !== undefined && isText(bytes, marked, hints)) return marked;
  if (marked?.encoding === utf8) return { kind: bytes.includes(0) ? "binary" : "unknown", almost: utf8 };
  if (marked?.encoding.width === 2 && bytes.includes(0)) {
    const isCut = decodeAll(bytes.subarray(marked.mark), marked.encoding) === undefined;
    return isCut ? { kind: "unknown", almost: marked.encoding } : { kind: "binary" };
  }
  if (isPlainUtf8(hints.isWhole === false ? withoutCutEnd(bytes, utf8) : bytes)) return declaredForAscii(bytes, hints);
  const declared = hints.declared();
  // A text in UTF-16 has a line end, a blank or a digit somewhere, and with it a NUL.
  if (declared !== undefined && (declared.width !== 2 || bytes.includes(0))) {
    const form = { encoding: declared, guessed: false, mark: 0 };
    if (isText(bytes, form, hints)) return form;
  }
  if (bytes.includes(0)) return formByNuls(bytes, hints) ?? { kind: "binary" };
  if (isNoise(bytes)) return { kind: "binary" };
  return formBySample(bytes, hints);
}

/** Returns the form of a byte order mark; undefined without one, and for UTF-32. */
export function formByMark(bytes: Uint8Array): TextForm | undefined {
  const begins = (...mark: number[]): boolean => mark.every((byte, at) => bytes[at] === byte);
  // Most files are done with here.
  if ((bytes[0] ?? 0) < 0xef) return undefined;
  if (begins(0xef, 0xbb, 0xbf)) return { encoding: utf8, guessed: false, mark: 3 };
  if (begins(0xff, 0xfe) && !begins(0xff, 0xfe, 0, 0)) return { encoding: utf16le, guessed: false, mark: 2 };
  return begins(0xfe, 0xff) ? { encoding: utf16be, guessed: false, mark: 2 } : undefined;
}

/** Returns the encoding of a text in ASCII, which is of any: `.editorconfig` decides about what is added. */
function declaredForAscii(bytes: Buffer, { declared, staysAscii = false }: DetectHints): TextForm {
  const plain = { encoding: utf8, guessed: false, mark: 0 };
  if (staysAscii || !isAscii(bytes)) return plain;
  const encoding = declared();
  return encoding === undefined || encoding.width === 2 ? plain : { ...plain, encoding };
}

/** Checks whether all of the bytes are text of a form. Nothing that is no text holds a NUL. */
export function isText(
  bytes: Buffer,
  { encoding, mark }: TextForm,
  hints: Pick<JudgedFile, "isWhole" | "tick">,
): boolean {
  const text = bytes.subarray(mark);
  const known = hints.isWhole === false ? withoutCutEnd(text, encoding) : text;
  if (encoding.width !== 2) return !known.includes(0) && isEncodedIn(known, encoding, hints);
  return decodeAll(known, encoding)?.includes("\0") === false;
}

/** NULs at even and at odd places; no further counted when there are both. */
function countNuls(bytes: Buffer): [even: number, odd: number] {
  let [even, odd] = [0, 0];
  for (let at = bytes.indexOf(0); at !== -1 && (even === 0 || odd === 0); at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++;
    else odd++;
  }
  return [even, odd];
}

function formByNuls(bytes: Buffer, hints: DetectHints): TextForm | undefined {
  const [even, odd] = countNuls(bytes);
  if (even > 0 && odd > 0) return undefined;
  if (Math.max(even, odd) < (bytes.length / 2) * utf16Nuls) return undefined;
  const form = { encoding: even > 0 ? utf16be : utf16le, guessed: false, mark: 0 };
  if (!isText(bytes, form, hints)) return undefined;
  // Numbers of two bytes are no text.
  const text = decodeAll(withoutCutEnd(bytes.subarray(0, sampleBytes), form.encoding), form.encoding) ?? "";
  return countControls(text) > text.length * muchControl ? undefined : form;
}

/** Share of control characters from which something is no text. */
const muchControl = 0.02;
/** As often no text has one byte in a row, unless it is ASCII. */
const sameInARow = /([\x80-\xff])\1{1023}/;

/** Checks whether bytes that are not UTF-8, and hold no NUL, are plainly no text in any encoding. */
function isNoise(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, sampleBytes);
  if (mediaSignature(sample) !== undefined) return true;
  const text = sample.toString("latin1");
  if (countControls(text) > text.length * muchControl) return true;
  return sameInARow.test(text);
}

/** Control characters that no text has. */
function countControls(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.match(/[\0-\x06\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ?? 0;
}

function formBySample(bytes: Buffer, hints: DetectHints): TextForm | NoText {
  const { chardet } = codecs();
  const sure = chardet.analyse(sampleOf(bytes)).filter(({ confidence }) => confidence >= sureConfidence);
  const named = sure.map(({ name }) => encodingNamed(name)).filter((one) => one !== undefined);
  for (const encoding of named) {
    const form = { encoding: toldAs(encoding, bytes), guessed: false, mark: 0 };
    if (isText(bytes, form, hints)) return form;
  }
  // A wrong guess would show all of it wrongly, for the sake of some bytes.
  const almost = named[0] ?? (isNearlyUtf8(bytes) ? utf8 : undefined);
  if (almost !== undefined) return { kind: "unknown", almost };
  for (const encoding of hints.likely()) {
    const form = { encoding: toldAs(encoding, bytes), guessed: true, mark: 0 };
    const known = hints.isWhole === false ? withoutCutEnd(bytes, encoding) : bytes;
    if (encoding.width !== 2 && encoding !== utf8 && isEncodedIn(known, encoding, { ...hints, roundTrip: true }))
      return form;
  }
  return { kind: "unknown", almost: undefined };
}

/** Characters beyond ASCII that are no chance in UTF-8, and how many of them stand against one wrong byte. */
const minCharacters = 3;

function isNearlyUtf8(bytes: Buffer): boolean {
  const text = bytes.subarray(0, 16 * sampleBytes).toString();
  const all = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const wrong = text.match(/\ufffd/g)?.length ?? 0;
  return all - wrong >= minCharacters * Math.max(1, wrong);
}

/** Returns the lines that say something about the encoding. */
function sampleOf(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  let room = sampleBytes;
  for (let from = 0; from < bytes.length && room > 0; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end + 1;
    const line = bytes.subarray(from, Math.min(to, from + room));
    if (!isAscii(line)) {
      lines.push(line);
      room -= line.length;
    }
    from = to;
  }
  return Buffer.concat(lines);
}

/** GB18030 without characters of four bytes is what everybody calls GBK. */
function toldAs(encoding: Encoding, bytes: Buffer): Encoding {
  if (encoding !== gb18030) return encoding;
  const { width } = gb18030;
  for (let at = 0; at < bytes.length && typeof width === "function"; ) {
    const length = width(bytes, at);
    if (length === 4) return gb18030;
    at += length;
  }
  return gbk;
}

/** What decides about the encodings of files, in a form that can be handed to a thread. */
export interface EncodingSettings {
  /** Real paths; the project is in the first. */
  roots: readonly string[];
  /** What is tried where nothing is certain, by name. Undefined: by the locale and the project. */
  encodings: readonly string[] | undefined;
  isChinese: boolean;
}

/** Throws `TypeError` for names of no encoding. */
export function checkEncodings(encodings: readonly string[]): void {
  for (const name of encodings as readonly unknown[]) {
    if (typeof name === "string" && encodingNamed(name) !== undefined) continue;
    const [like] = typeof name === "string" ? nearestEncodings(name) : [];
    throw new TypeError(
      `encodings: there is no encoding ${JSON.stringify(name)}${like === undefined ? "" : `; did you mean ${like}?`}`,
    );
  }
}

export function encodingSettings(roots: readonly string[], encodings?: readonly string[]): EncodingSettings {
  return { roots, encodings, isChinese: isChineseLocale() };
}

export interface JudgedFile {
  path: string;
  /** False: there is more of the file than the bytes. Default true. */
  isWhole?: boolean;
  /** Whether a text in ASCII will have nothing else: then no encoding is looked up for additions. Default false. */
  staysAscii?: boolean;
  /** Called now and then while it takes long. */
  tick?: () => void;
}

export class EncodingFinder {
  readonly #settings: EncodingSettings;
  readonly #editorConfigs: EditorConfigs;
  #likely: readonly Encoding[] | undefined;
  /** By the hash of their bytes, and what else decides. */
  #known = new Map<string, TextForm | NoText>();

  /** `before`: one of an earlier search. What it found out of the same project, and of the same bytes, is not found out again. */
  constructor(settings: EncodingSettings, before?: EncodingFinder) {
    this.#settings = settings;
    if (before !== undefined && JSON.stringify(before.settings) === JSON.stringify(settings)) {
      this.#likely = before.#likely;
      this.#known = before.#known;
    }
    this.#editorConfigs = new EditorConfigs(settings.roots);
  }

  /** What a thread needs to find out the same. */
  get settings(): EncodingSettings {
    return this.#settings;
  }

  /** Returns how a file is encoded. Needs the codecs unless it is plain UTF-8. */
  find(bytes: Buffer, { path, ...file }: JudgedFile): TextForm | NoText {
    const declared = (): Encoding | undefined => this.#editorConfigs.declared(path);
    const detect = (): TextForm | NoText => detectForm(bytes, { ...file, declared, likely: () => this.#tried() });
    // Both are found out in less time than a hash takes.
    if (bytes.includes(0) || isUtf8(bytes)) return detect();
    const hash = createHash("sha256").update(bytes).digest("base64");
    if (this.#known.size > maxKnown) this.#known.clear();
    const key = `${file.isWhole} ${file.staysAscii} ${declared()?.name} ${hash}`;
    const found = this.#known.get(key) ?? detect();
    this.#known.set(key, found);
    return found;
  }

  /** Checks whether a file is binary by its first bytes, without a look at the rest of them. */
  isPlainlyBinary(start: Buffer, path: string): boolean {
    if (formByMark(start) !== undefined) return false;
    const [even, odd] = countNuls(start);
    return even > 0 && odd > 0 && this.#editorConfigs.declared(path)?.width !== 2;
  }

  #tried(): readonly Encoding[] {
    const { encodings, isChinese, roots } = this.#settings;
    this.#likely ??=
      encodings?.map((name) => encodingNamed(name) as Encoding) ??
      likelyEncodings(isChinese || isChineseProject(roots[0] as string));
    return this.#likely;
  }
}
