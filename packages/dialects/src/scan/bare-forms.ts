import type { BareNames, FindForm } from "./bare.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

const word = "[\\w.:-]{1,100}";

/** What is left of calls when a server strips their tokens, or what never had any; the name is the first group. */
const forms: readonly (readonly [pattern: RegExp, of: (marks: RowMarks) => boolean])[] = [
  [new RegExp(`^(?:call:\\s{0,9})?(${word})\\{`), (marks) => bodyOf(marks) === "keyed"],
  [new RegExp(`^(${word})(?:\\[CALL_ID\\]\\w{1,40})?\\[ARGS\\]`), ({ idMark }) => idMark !== undefined],
  [new RegExp(`^functions\\.(${word}):\\d{1,9}\\s{0,9}\\{`), ({ row }) => row.call.idPattern !== undefined],
  [new RegExp(`^\\[\\s{0,9}(${word})\\(`), ({ row }) => row.engine === "python" && row.list === true],
];
/** What is left where the prompt has written the mark already. */
const begun = new RegExp(`^(${word})[ \\t\\r]{0,9}\\n\\{`);
const isForm = /^(?:call:\s{0,9}|\[\s{0,9})?[\w.:-]{1,130}\s{0,9}[[{(]/;
const mayBeForm = new RegExp(
  `^(?:call:\\s{0,9}|\\[\\s{0,9})?(?:${word})?(?:\\[\\w{0,9}\\]?\\w{0,40}\\[?\\w{0,4})?\\s{0,9}$`,
);

/** Finds all of them. */
export const bareForms: FindForm = (head, rows, names, isFirst, mayGrow) => {
  for (const [pattern, isOf] of isForm.test(head) ? forms : []) {
    const name = pattern.exec(head)?.[1];
    const marks = name !== undefined && names.knows(name) ? rows.find(isOf) : undefined;
    if (marks) return marks;
  }
  const name = isFirst ? begun.exec(head)?.[1] : undefined;
  const first = name !== undefined && names.knows(name) && rows.find(({ callOpen }) => callOpen?.lineStart);
  if (first) return first;
  return mayGrow && mayBeForm.test(head) && mayBeName(head, names) ? "more" : undefined;
};

/** Whether a name that has begun may become a known one. */
function mayBeName(head: string, names: BareNames): boolean {
  const begun = /^(?:call:\s*|functions\.|\[\s*)?([\w.:-]*)/.exec(head)?.[1] ?? "";
  return begun === "" || "functions.".startsWith(begun) || "call:".startsWith(begun) || names.mayBeKnown(begun);
}
