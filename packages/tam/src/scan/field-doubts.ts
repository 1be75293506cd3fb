import type { Span } from "@toolglot/core";
import { isDressed } from "@toolglot/internal";
import type { Draft } from "./draft.ts";
import { familyOf, markerAt } from "./marks.ts";
import type { Field, OpenValue, ReaderHost, Scan, Sign } from "./scan.ts";

// What stands before keys and around fields, and keys that are none: the fields may be commented out, or be text of a value.

/** How a line begins or ends that is no prose: with a sign before its first word, which is no tag and no emphasis; with two signs. */
const signsFirst = /^(?!<\/?\w|[*_~`]{1,3}[\p{L}\p{N}])[^\p{L}\p{N}\s_]\S/u;
const signsLast = /[^\p{L}\p{N}\s_]{2}$/u;
/** A first word of signs alone. One sign, repeated over the line, is a rule across the page, unless it is a quote. */
const aloneFirst = /^(?!([^\p{Quotation_Mark}])\1*$)[^\p{L}\p{N}\s_]{2,}(?!\S)/u;
const delimiterOrMarker = /[«»《》]{2}|<<|>>|(?:request|end)[_ -]?tool/i;
const listSign = /^[-*+•]\s+$/;
/** What sentences hold, and names don't. */
const sentenceSign = /[\p{Quotation_Mark}`´]|(?!\.)\p{Sentence_Terminal}|\.(?=\s|$)/u;
/** Words, two Han characters as one. A number alone is that of a step. */
const word = /\p{Script=Han}{1,2}|(?!\p{N}+(?!\S))[^\s\p{Script=Han}]+/gu;

/** Returns the signs in skipped text, or in a comment of TAM, that may open or close a comment of another language. */
export function signsOf(text: string, start: number, kind: "line" | "rest" | "comment"): Sign[] {
  const isSign = kind === "line" ? signsFirst.test(text) || signsLast.test(text) : !/[\p{L}\p{N}]/u.test(text);
  if (text.length < 2 || !isSign || isDressed(text) || delimiterOrMarker.test(text)) return [];
  return [{ start, end: start + text.length, kind, isAlone: kind === "line" && aloneFirst.test(text) }];
}

const hasLead = ({ lead }: Field): boolean => lead !== "";
const isListed = ({ lead }: Field): boolean => listSign.test(lead);

/** Notes what is odd about the fields of a block, now that all are known. */
export function noteFields({ scan, signs }: Draft): void {
  const { fields, notes } = scan;
  for (const field of fields) {
    if (!isOddKey(field)) continue;
    const before = fields[field.number - 1];
    const start = before && !before.isName ? before.bodyStart : field.keyStart;
    notes.push({ code: "ambiguous-delimiter", start, end: field.end });
  }
  const led = fields.some(hasLead) ? fields.filter(hasLead) : [];
  if (led.length > 0 || signs.length > 0) noteComments(scan, signs, led);
}

/** Fields behind signs are in doubt, fields between an opening and a closing sign, and all that follow an opening sign alone. */
function noteComments({ fields, notes, end }: Scan, signs: readonly Sign[], led: readonly Field[]): void {
  // A list sign before every step, or before every parameter, is layout.
  const isLayout = [false, true].map((isName) => fields.every((field) => field.isName !== isName || isListed(field)));
  const openers = led.filter((field) => !(isListed(field) && isLayout[Number(field.isName)]));
  for (const field of openers) notes.push({ code: "commented-field", start: field.keyStart, end: field.end });
  const keys = openers.map(({ keyStart, bodyStart }): Sign => ({ start: keyStart, end: bodyStart, kind: "key" }));
  let at = 0;
  const doubt = (open: Sign, to: number): void => {
    while ((fields[at]?.keyStart ?? Infinity) <= open.start) at += 1;
    if ((fields[at]?.keyStart ?? Infinity) < to) notes.push({ code: "commented-field", start: open.start, end: to });
  };
  let open: Sign | undefined;
  for (const sign of [...keys, ...signs].sort((a, b) => a.start - b.start)) {
    if (!open || (open.kind === "comment" && sign.kind === "comment")) open = sign.kind === "rest" ? undefined : sign;
    else if (sign.kind !== "key") {
      doubt(open, sign.end);
      open = undefined;
    }
  }
  if (open?.isAlone) doubt(open, end);
}

/** Whether a key is none that a model would give a parameter: it is a sentence, or a part of one. */
function isOddKey({ key }: Field): boolean {
  if (/^\w*$/.test(key)) return false;
  if (sentenceSign.test(isDressed(key) ? key.slice(1, -1) : key)) return true;
  return key.length > 8 && (key.match(word)?.length ?? 0) > 4;
}

// A value that holds what opens a field, or is a marker, may have lost its closer and swallowed what stood behind it.

/** A separator and an opener; the name of a marker. */
const grammarInside = /[:：=][ \t\u00a0\u3000]{0,32}([»》](?!\u200b)[»》]{0,8}|>{2,9})|(?:request|end)[_ -]?tool/gi;
const marks = [..."«»《》", ">>"];
const likeMarker = /tool/i;
/** A short closer with a key and one mark behind it, or before the right closer. */
const betweenFields = /[«《]\s{0,99}[\p{L}_][\p{L}\p{N}_-]{0,99}[:：=][ \t]?[»》]|[«《][ \t]{1,99}$(?![\s\S])/mu;
/** Marks that don't pair up: at the end; a closer before a key; one mark behind a key. */
const oddMarks =
  /[«《][ \t]{0,99}$(?![\s\S])|(?:[«《]{2,9}[ \t]{0,9}|[«《][ \t]{0,9}\n\s{0,99})[\p{L}_][\p{L}\p{N}_-]{0,99}[ \t]{0,9}[:：=»》]|[\p{L}\p{N}_-][:：=]»|^[ \t]{0,99}[\p{L}_][\p{L}\p{N}_-]{0,99}[:：=][ \t]»/mu;

/** Returns the first place in a finished value that looks like a field, or like the remains of one. */
export function findSwallowed(
  { bodyStart, raw, isName }: Field,
  { family }: OpenValue,
  host: Pick<ReaderHost, "takes">,
): Span | undefined {
  const spanOf = (index: number, length: number): Span => ({
    start: bodyStart + index,
    end: bodyStart + index + length,
  });
  // Most values have none of what the patterns need.
  if (likeMarker.test(raw) || marks.some((mark) => raw.includes(mark))) {
    for (const { 0: found, 1: opener, index } of raw.matchAll(grammarInside)) {
      const isSwallowed = opener
        ? opensField(raw, index, opener, family, host)
        : isDamagedMarker(raw, index, found.length);
      if (isSwallowed) return spanOf(index, found.length);
    }
    // Text with a zero-width space was neutralised: nothing of it is a delimiter any more.
    const isData = raw.includes("\u200b");
    const pairsUp = isData || raw.split("«").length === raw.split("»").length;
    const damaged = (isData ? null : betweenFields.exec(raw)) ?? (pairsUp ? null : oddMarks.exec(raw));
    if (damaged) return spanOf(damaged.index, damaged[0].length);
  }
  return isName && raw.trim().includes("\n") ? spanOf(0, raw.length) : undefined;
}

/** Whether a separator and opening marks in a value look like those of a field. */
function opensField(
  raw: string,
  index: number,
  opener: string,
  family: number,
  host: Pick<ReaderHost, "takes">,
): boolean {
  const before = raw.slice(Math.max(0, index - 100), index);
  const [, start = "", word = ""] = /(^|\n)?[ \t]*([\p{L}\p{N}_.*-]+)[ \t]*$/u.exec(before) ?? [];
  if (word === "") return false;
  // A single mark is a quotation in some languages.
  if (opener.length < 2 && start === "" && before.trim() !== word) return false;
  return (opener.length > 1 && (familyOf(opener) & family) !== 0) || host.takes(word);
}

/** Whether the name of a marker stands alone on its line, with brackets that are not right: right ones are data by their place. */
function isDamagedMarker(raw: string, index: number, length: number): boolean {
  const before = raw.slice(Math.max(0, index - 40), index);
  const at = raw.lastIndexOf("<", index);
  if (at >= 0 && index - at < 40 && markerAt(raw, at, true)) return false;
  const after = raw.slice(index + length, index + length + 40);
  return (
    /(?:^|\n)[ \t]*[<＜|｜[【][ \t<＜|｜[【*_-]{0,20}$/.test(before) &&
    /^[ \t\r\]】|｜>＞*_-]{0,20}(?:\n|$)/.test(after)
  );
}
