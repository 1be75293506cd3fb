import { diagnostic } from "./diagnostics.ts";
import type { DialectBook, ReadingOptions } from "./readers.ts";
import { BlockDraft } from "./scan/block-draft.ts";
import { planOf, type ReadingPlan } from "./scan/plan.ts";
import { marksOf, type RowMarks } from "./scan/row-marks.ts";
import { isTemplateDialect, templateReading } from "./table/template-dialect.ts";
import type { DialectRow } from "./table/types.ts";
import { rowOf } from "./table/whole.ts";
import { typeText } from "./values/typed.ts";

const plans = new WeakMap<DialectBook, WeakMap<object, ReadingPlan>>();

/**
 * Returns what reading needs of the dialects that may be read, the one that is asked for first: another one that begins alike is known by
 * what follows. It is made once.
 */
export function planFor(book: DialectBook, dialect: ReadingOptions["dialect"] = "auto"): ReadingPlan {
  if (typeof dialect === "object" && isTemplateDialect(dialect)) return planOf([], true, book);
  const { rows } = book;
  const row = typeof dialect === "object" ? rowOf(dialect) : rows.find(({ id }) => id === dialect);
  const made = plans.get(book) ?? new WeakMap<object, ReadingPlan>();
  plans.set(book, made);
  const plan = made.get(row ?? book) ?? planOf(row ? [row, ...alike(book, row)] : rows, row !== undefined, book);
  made.set(row ?? book, plan);
  return plan;
}

/** Returns the other dialects whose calls begin with the marks of one. */
function alike(book: DialectBook, row: DialectRow): DialectRow[] {
  const texts = new Set(marksOf(row, book).openers.flatMap(({ texts }) => texts));
  return book.rows.filter(
    (one) => one !== row && marksOf(one, book).openers.some((mark) => mark.texts.some((text) => texts.has(text))),
  );
}

/** A string between single quotes that holds a backslash. */
const escapedString = /[(,=:[{]\s{0,9}'[^']*\\/;

/** Without marks nobody knows whether a backslash between single quotes is one. */
export const doubts: NonNullable<DialectBook["doubts"]> = (written, { row }, rows) => {
  const readsOtherwise = ({ row: { engine, list, plainSingleQuotes } }: RowMarks): boolean | undefined =>
    engine === "python" && list && !plainSingleQuotes !== !row.plainSingleQuotes;
  return row.engine === "python" && rows.some(readsOtherwise) && escapedString.test(written);
};

/** Finds a message that holds calls in two dialects. */
export const mixed: NonNullable<DialectBook["mixed"]> = (blocks) => {
  const [first] = blocks;
  const second = blocks.find(({ dialect }) => dialect !== first?.dialect);
  if (!first || !second) return [];
  const { start, end } = second.span;
  const message = `The message holds calls in two dialects, ${first.dialect} and ${second.dialect}.`;
  return [diagnostic("mixed-dialects", start, end, { message })];
};

/** Returns the dialect of a text that begins with a call. */
export const dialectAt: NonNullable<DialectBook["dialectAt"]> = (book, text) => {
  const found = planFor(book).detector.find(text, 0, true, true);
  return found === "more" ? undefined : found;
};

/** Makes what reads whole texts by the response template of a dialect, if it has one. */
export const wholeReader: NonNullable<DialectBook["wholeReader"]> = (dialect, host, startsInReasoning, report) => {
  if (typeof dialect !== "object" || !isTemplateDialect(dialect)) return undefined;
  return dialect[templateReading]({
    startsInReasoning,
    onEvent: host.onEvent,
    report,
    draft: (start, inReasoning) => new BlockDraft(dialect, host, start, inReasoning),
    typeText,
    asObject: (text) => typeText(text, { type: "object" }, undefined).value,
  });
};
