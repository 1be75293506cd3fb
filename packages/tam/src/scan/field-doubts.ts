import { isDressed } from "@toolglot/internal";
import type { Draft } from "./draft.ts";
import type { Field, Scan, Sign } from "./scan.ts";

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
