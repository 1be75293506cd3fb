import type { CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import { bodyAt } from "../scan/head.ts";
import { anyAt, behindSpace, type Mark, markAt, more } from "../scan/marks.ts";
import type { NameReader } from "../scan/parts.ts";
import { bodyOf, type RowMarks } from "../scan/row-marks.ts";

const none: readonly Mark[] = [];
/** A name longer than this is none. */
const maxNameLength = 256;

/** A name that the end of the text cut off; a word of a sentence ends in a sign, or stands behind a blank. */
const cutName = /^[\w.:-]{0,99}\w$/;

/** The head of a call: what stands between its opener and its arguments. */
export interface CallHead {
  name: string;
  id: string | undefined;
  /** Of the name. */
  start: number;
  /** Where the arguments begin. */
  end: number;
  /** The mark that ends the name is missing. */
  lacksEnd?: boolean;
}

/** Finds the head at an index. Undefined where none can be, `"more"` when only more text decides. */
type HeadAt = (text: string, at: number, marks: RowMarks, ended: boolean) => CallHead | "more" | undefined;

/** Reads a name that is plain text, from an index to the mark that ends it or to what begins the arguments. */
const nameAt: HeadAt = (text, at, marks, ended) => {
  const { nameEnds, nameStops: behind, idMark, row } = marks;
  const start = behindSpace(text, at);
  const body = bodyOf(marks);
  const taken = row.engine === "keyed" ? none : nameEnds;
  const limit = Math.min(text.length, start + maxNameLength);
  let idStart: number | undefined;
  let nameEnd = -1;
  const head = (end: number, next: number): CallHead | undefined => {
    const name = text.slice(start, idStart === undefined ? end : nameEnd).trim();
    // Where no mark of its own shows that it is a name, several words are prose.
    const isWord = body === "tags" && (!marks.callOpen || next === end);
    if ((body === "python" ? /[^\p{L}\p{N}_.:-]/u : isWord ? /[\s<{}"]/ : /[\n<]/).test(name)) return undefined;
    const id = idStart === undefined ? undefined : text.slice(idStart, end).trim();
    return { name, id, start, end: next, lacksEnd: next === end && taken.length > 0 };
  };
  for (let index = start; index <= limit; index += 1) {
    const unit = text.charCodeAt(index);
    let undecided = false;
    for (const mark of taken) {
      const next = markAt(text, index, mark, ended);
      if (next > 0 && !undecided) return head(index, next);
      undecided ||= next === more;
    }
    if (idMark && idStart === undefined) {
      const next = markAt(text, index, idMark, ended);
      if (next > 0) [nameEnd, idStart] = [index, next];
      undecided ||= next === more;
    }
    if (behind) {
      const next = anyAt(text, index, behind, ended);
      if (next > 0 && body === "tags") return head(index, index);
      // White space alone decides nothing: what ends the name may stand behind it.
      undecided ||= next === more && unit === 60;
    } else if (unit === 123) return head(index, index);
    if (undecided || index >= text.length) return ended ? undefined : "more";
    // No name holds `<` or `[`, and most places of a text are none: they are passed over at once.
    if (unit === 60 || (unit === 91 && index !== nameEnd)) return undefined;
  }
  return undefined;
};

/** Whether arguments can stand behind a head: 0, a higher number, or {@link more}. */
export function bodyBehind(head: CallHead, text: string, marks: RowMarks, ended: boolean): number {
  return !/[\p{L}\p{N}_]/u.test(head.name) && !marks.row.call.nameKey ? 0 : bodyAt(text, head.end, marks, ended);
}

/** Returns what reads a name with a head. */
export const readerOf = (headAt: HeadAt) =>
  function* (call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean> {
    const { nameKey, prefix = "", idPattern } = marks.row.call;
    for (;;) {
      const { source } = cursor;
      const head = headAt(source.text, source.at, marks, cursor.ended);
      if (head === "more") {
        yield;
        continue;
      }
      if (!head) {
        const span = { start: call.start, end: cursor.offset };
        const rest = source.text.slice(source.at, source.at + 300);
        const isCut = cursor.ended && rest.length < 300;
        if (isCut && !rest.includes("\n")) source.at = source.text.length;
        return call.fail(isCut ? "truncated" : "missing-name", span);
      }
      const at = { start: source.base + head.start, end: source.base + head.end };
      source.at = head.end;
      const [end] = marks.nameEnds;
      // A server that strips what opens a call strips this as well.
      const isStripped = marks.callOpen && at.start === call.start;
      if (head.lacksEnd && !isStripped && !end?.optional && end?.texts[0] !== "\n") call.slip("unclosed", at);
      call.id = head.id;
      const parts = idPattern === undefined ? undefined : new RegExp(idPattern).exec(head.name);
      if (parts) call.id = head.name;
      if (head.name !== "" || nameKey === undefined) call.named(parts ? prefix + parts[1] : head.name, at);
      return !call.failure;
    }
  };

/** Reads a name that is plain text. */
export const readName: NonNullable<NameReader["read"]> = /* @__PURE__ */ readerOf(nameAt);

/** The name is plain text behind the opener. */
export const textName: NameReader = {
  callAt(text, at, marks, ended, isHere) {
    const head = nameAt(text, at, marks, ended);
    if (head === "more") return more;
    // A name that the end cut off.
    if (!head) return ended && isHere && cutName.test(text.slice(at, at + 101)) ? 1 : 0;
    return bodyBehind(head, text, marks, ended);
  },
  read: readName,
  /** Another dialect has none there. */
  lacksEnd(text, at, marks, ended) {
    const { open, callOpen } = marks;
    let start = at;
    for (const mark of [open[0], callOpen])
      if (mark) start = Math.max(start, markAt(text, behindSpace(text, start), mark, ended));
    const head = nameAt(text, start, marks, ended);
    return head !== undefined && head !== "more" && head.lacksEnd === true;
  },
};
