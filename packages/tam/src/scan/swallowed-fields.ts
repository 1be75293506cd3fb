import type { Span } from "@toolglot/core";
import { familyOf, markerAt } from "./marks.ts";
import type { Field, OpenValue, ReaderHost } from "./scan.ts";

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
