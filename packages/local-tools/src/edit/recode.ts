import { diffArrays } from "diff";
import { decodeAll, encodeAll } from "../encodings/codecs.ts";
import { type Encoding, type TextForm, utf16be } from "../encodings/encodings.ts";
import type { EncodedText } from "../encodings/file-encodings.ts";
import { localError } from "../errors.ts";
import { commonEnds, lineCounter, linesOf } from "../files/text.ts";
import { codePointOf, counted } from "../messages.ts";
import { isHighSurrogate } from "../output/char-width.ts";
import { composeChanges, type TextChange } from "./changes.ts";

/** A file as it is to be written, for errors about what can't be. */
interface Writing {
  /** What messages call the file. */
  path: string;
  /** All of the text as it is to be. */
  text: string;
}

/** Returns the bytes of a new file that is not UTF-8. Throws `NotEncodable`. */
export function encodeNew(writing: Writing, { encoding, mark }: TextForm): Uint8Array {
  return Buffer.concat([markOf(encoding, mark), encoded(writing.text, 0, encoding, writing)]);
}

/**
 * Returns the bytes of a changed text: those of the changes are encoded, all others are the file's own, so that nothing else changes even
 * where the encoding was guessed wrongly, or has several codes for one character. `steps`: changes, each of what those before it made.
 * Throws `NotEncodable`.
 */
export function encodeChanged(
  before: EncodedText,
  steps: readonly (readonly TextChange[])[],
  writing: Writing,
): Uint8Array {
  const { form, text } = before;
  const bytes = Buffer.from(before.bytes.buffer, before.bytes.byteOffset, before.bytes.byteLength);
  const places = new BytePlaces(bytes, form);
  const parts: Uint8Array[] = [];
  let [end, shift] = [0, 0];
  // Where all places of a text get another one, there is one text to encode.
  let last: { text: string; bytes: Buffer } = { text: "", bytes: Buffer.alloc(0) };
  const changes = steps.reduce<readonly TextChange[]>((all, step) => composeChanges(all, step), []);
  for (const change of changes.flatMap((one) => smallest(text, one))) {
    const [from, to] = [places.at(change.from, "before"), places.at(change.to, "after")];
    // A character of several units is changed as a whole.
    const whole = text.slice(from.unit, change.from) + change.text + text.slice(change.to, to.unit);
    if (whole !== last.text) {
      last = { text: whole, bytes: encoded(whole, from.unit + shift, form.encoding, writing) };
    }
    parts.push(bytes.subarray(end, from.byte), last.bytes);
    shift += change.text.length - (change.to - change.from);
    end = to.byte;
  }
  const after = Buffer.concat([...parts, bytes.subarray(end)]);
  // Whatever a codec does at the edges of what it encodes: what is written is what was shown.
  if (decodeAll(after.subarray(form.mark), form.encoding) === writing.text) return after;
  throw localError(
    "NotEncodable",
    `${writing.path}: the changed text can't be told from another one in ${form.encoding.name}.`,
  );
}

function markOf(encoding: Encoding, mark: number): Buffer {
  if (mark === 0) return Buffer.alloc(0);
  return Buffer.from(encoding === utf16be ? "feff" : "fffe", "hex");
}

/** Returns the bytes of a part of the text, which begins at `start`. */
function encoded(part: string, start: number, encoding: Encoding, { path, text }: Writing): Buffer {
  const bytes = encodeAll(part, encoding);
  if (decodeAll(bytes, encoding) === part) return bytes;
  const lacking = [...part].find((char) => decodeAll(encodeAll(char, encoding), encoding) !== char) ?? part;
  const line = lineCounter(text)(start + part.indexOf(lacking));
  const message = `${path} is ${encoding.name}, which has no ${JSON.stringify(lacking)} (${codePointOf(lacking)}): line ${counted(line)} would have it.`;
  throw localError("NotEncodable", message, {
    line,
    hint: `Write it with characters of ${encoding.name}, or convert the file with a command such as iconv first.`,
  });
}

/** Beyond so many differences, and so many units, a part is one change. */
const maxDifferences = 500;
const maxUnits = 20_000;

/** Returns what really differs in a change: what a replacement has in common with the text it takes the place of keeps its bytes. */
function smallest(text: string, { from, to, text: replace }: TextChange): TextChange[] {
  const trimmed = withoutCommonEnds(text.slice(from, to), replace, from);
  if (trimmed === undefined) return [];
  const old = text.slice(trimmed.from, trimmed.to);
  const [short, long] = old.length < trimmed.text.length ? [old, trimmed.text] : [trimmed.text, old];
  // Most changes are that small.
  if (short.length === 1 && !long.includes(short)) return [trimmed];
  const hasLines = old.includes("\n") && trimmed.text.includes("\n");
  const byLines = (hasLines && differing(linesOf(old), linesOf(trimmed.text), trimmed)) || [trimmed];
  return byLines.flatMap((change) => {
    const own = withoutCommonEnds(text.slice(change.from, change.to), change.text, change.from);
    if (own === undefined) return [];
    const part = text.slice(own.from, own.to);
    if (part === "" || own.text === "" || part.length + own.text.length > maxUnits) return [own];
    return differing([...part], [...own.text], own) ?? [own];
  });
}

/** Returns the change of the part in the middle; undefined when nothing differs. No surrogate pair is parted. */
function withoutCommonEnds(old: string, now: string, start: number): TextChange | undefined {
  if (old === now) return undefined;
  let [head, tail] = commonEnds(old, now);
  if (head > 0 && isHighSurrogate(old.charCodeAt(head - 1))) head--;
  if (tail > 0 && isHighSurrogate(old.charCodeAt(old.length - tail - 1))) tail--;
  return { from: start + head, to: start + old.length - tail, text: now.slice(head, now.length - tail) };
}

/** Returns the changes between two lists of pieces of text; undefined when there are too many. */
function differing(olds: string[], news: string[], { from }: TextChange): TextChange[] | undefined {
  const parts = diffArrays(olds, news, { maxEditLength: maxDifferences });
  if (parts === undefined) return undefined;
  const changes: TextChange[] = [];
  let at = from;
  let open: TextChange | undefined;
  for (const { added, removed, value } of parts) {
    const text = value.join("");
    if (!added && !removed) {
      open = undefined;
      at += text.length;
      continue;
    }
    if (open === undefined) {
      open = { from: at, to: at, text: "" };
      changes.push(open);
    }
    if (added) open.text += text;
    else {
      at += text.length;
      open.to = at;
    }
  }
  return changes;
}

/** A place between two characters: in the bytes, and in the text, by its UTF-16 units. */
interface BytePlace {
  byte: number;
  unit: number;
}

/** Characters that are looked at together. */
interface Block {
  start: BytePlace;
  end: BytePlace;
  /** The places between its characters, both ends included; made when they are asked for. */
  places: BytePlace[] | undefined;
  /** Each of its characters is one unit. */
  isPlain: boolean;
}

const blockBytes = 4096;

/** Where units of a text lie in its bytes. */
class BytePlaces {
  readonly #bytes: Buffer;
  readonly #form: TextForm;
  #block: Block;

  constructor(bytes: Buffer, form: TextForm) {
    this.#bytes = bytes;
    this.#form = form;
    this.#block = this.#blockFrom({ byte: form.mark, unit: 0 });
  }

  /** Returns the place of a unit, asked for in rising order; one within a character has the place before it, or the one after it. */
  at(unit: number, side: "before" | "after"): BytePlace {
    const { width } = this.#form.encoding;
    if (typeof width === "number") return { byte: this.#form.mark + unit * width, unit };
    while (unit >= this.#block.end.unit && this.#block.end.byte < this.#bytes.length) {
      this.#block = this.#blockFrom(this.#block.end);
    }
    const block = this.#block;
    block.places ??= this.#placesOf(block);
    const { places, start, isPlain } = block;
    const index = isPlain ? unit - start.unit : places.findLastIndex((place) => place.unit <= unit);
    const place = places[index] as BytePlace;
    return side === "before" || place.unit === unit ? place : (places[index + 1] ?? place);
  }

  #length(at: number): number {
    const { width } = this.#form.encoding;
    return typeof width === "function" ? Math.min(width(this.#bytes, at), this.#bytes.length - at) : 1;
  }

  #units(from: number, to: number): number {
    return decodeAll(this.#bytes.subarray(from, to), this.#form.encoding)?.length ?? 1;
  }

  #blockFrom(start: BytePlace): Block {
    let byte = start.byte;
    let count = 0;
    const most = Math.min(this.#bytes.length, byte + blockBytes);
    for (; byte < most; count++) byte += this.#length(byte);
    const units = byte === start.byte ? 0 : this.#units(start.byte, byte);
    return { start, end: { byte, unit: start.unit + units }, places: undefined, isPlain: units === count };
  }

  #placesOf({ start, end, isPlain }: Block): BytePlace[] {
    const places: BytePlace[] = [];
    let { byte, unit } = start;
    while (byte < end.byte) {
      places.push({ byte, unit });
      const length = this.#length(byte);
      unit += isPlain ? 1 : this.#units(byte, byte + length);
      byte += length;
    }
    return [...places, end];
  }
}
