import { latest, type Period } from "../reading/dates.ts";
import type { Frame } from "../reading/frame.ts";
import { schema } from "../reading/schema.ts";
import { plannedTask, type Task } from "../task.ts";
import { capital, markdownTable, type Say } from "../text.ts";
import { isStatistics, leavesOutCancelled, needsLines, reportSql, rowsSql, spanSql } from "./data-sql.ts";
import { amountText, columnLabel, measureText, narrowedText, tableText, valueText } from "./data-words.ts";

type Row = Record<string, string | number | null>;

/** What the queries of a frame give; `span` is the data's first and last date, asked for with every period. */
type Found = { rows: Row[]; span?: { first: string | null; last: string | null }[] };

/** A list has as many rows as this, unless another number or all are asked for. */
const defaultRows = 20;
const mostRows = 200;

/** A task that makes some queries; it is answered from their rows. */
export function queryTask<Value>(
  sql: Record<string, string>,
  definition: Pick<Task<Value>, "kind" | "about" | "answer"> & Pick<Partial<Task<Value>>, "next">,
): Task {
  const steps = Object.entries(sql).map(([name, text]) => ({
    name,
    tool: "query_sql",
    input: { sql: text, limit: mostRows },
    take: "rows",
  }));
  return plannedTask<Value>({ ...definition, steps: [steps], result: Object.keys(sql) });
}

/** The task of a frame that was understood whole. */
export function frameTask(frame: Frame, question: string, say: Say): Task {
  const { subject, dimension, rank, measures } = frame;
  if (frame.id !== undefined) return recordTask(frame, frame.id, say);
  const names = measures.map((name) => measureText(name, subject, say));
  const limit = /\ball\b|所有|全部/iu.test(question) ? mostRows : Math.min(frame.limit ?? defaultRows, mostRows);
  const list = measures.length === 0;
  const by =
    dimension === undefined ? "" : say` by ${columnLabel(dimension, say)} ‖ ，按${columnLabel(dimension, say)}`;
  const report = isStatistics(frame) ? "statistics" : rank ? "top" : "report";
  const sql = list ? rowsSql(frame, limit, say) : reportSql(frame, say);
  return queryTask<Found>(
    { rows: sql, ...(frame.periods.length > 0 && { span: spanSql(frame) }) },
    {
      kind: list ? (subject === "tickets" ? "tickets" : "list") : report,
      about: (list ? tableText(subject, say) : names.join(say` and  ‖ 、`)) + by + narrowedText(frame, say),
      answer: (found) =>
        [
          list ? rowsAnswer(frame, found.rows, limit, say) : reportAnswer(frame, found.rows, say),
          ...notes(frame, found, say),
        ].join("\n\n"),
    },
  );
}

function reportAnswer(frame: Frame, rows: readonly Row[], say: Say): string {
  const { measures, subject, dimension, split, rank, limit } = frame;
  const about = narrowedText(frame, say, split);
  const none = say`No record fits${about}. ‖ 没有符合条件的记录${about}。`;
  const amount = (name: string, value: unknown): string => amountText(name, value, say);
  if (dimension === undefined && split === undefined) return totalAnswer(frame, rows[0], none, say);
  if (rows.length === 0) return none;
  const [by = "", most = rows.length] = [rank?.by, rank && limit];
  // As many rows as were asked for, and those equal to the last of them.
  const shown = rows.filter((row, index) => index < most || row[by] === rows[most - 1]?.[by]);
  const header = dimension ?? split ?? "";
  const labelOf = (row: Row): string => valueText(header, row.label ?? "–", say);
  const names = measures.map((name) => measureText(name, subject, say));
  const [name = ""] = measures;
  const [left, right] = shown;
  if (rank && left && shown.length === 1)
    return say`${labelOf(left)}: ${names[0]}${about} ${amount(name, left[name])}. ‖ ${labelOf(left)}：${names[0]}${about} ${amount(name, left[name])}。`;
  const numberOf = (row: Row | undefined, measure: string): number => Number(row?.[measure] ?? 0);
  const totals = measures.flatMap((measure, index) => {
    if (/^(?:mean|median|stdev)/.test(measure) || (measure === "count" && countsTwice(frame))) return [];
    const total = shown.reduce((sum, row) => sum + numberOf(row, measure), 0);
    return [`${names[index]} ${amount(measure, total)}`];
  });
  const two = split !== undefined && shown.length === 2 && !name.startsWith("mean") && !isStatistics(frame);
  const difference = amount(name, numberOf(right, name) - numberOf(left, name));
  const foot = [
    totals.length > 0 && say`${rank ? "Together" : "Total"}: ${totals.join(", ")}. ‖ 合计：${totals.join("，")}。`,
    two && say`Difference: ${difference}. ‖ 差额：${difference}。`,
    rank?.descending === false && say`Only those with any are ranked. ‖ 只列出有记录的。`,
  ].filter(Boolean);
  return [
    capital(say`${names.join(", ")}${about}: ‖ ${names.join("、")}${about}：`),
    markdownTable(
      [columnLabel(header, say), ...names],
      shown.map((row) => [labelOf(row), ...measures.map((measure) => row[measure])]),
    ),
    ...(foot.length > 0 ? [foot.join(" ")] : []),
  ].join("\n\n");
}

/** The one row of a report without dimension. */
function totalAnswer(frame: Frame, row: Row | undefined, none: string, say: Say): string {
  const { measures, subject } = frame;
  const about = narrowedText(frame, say);
  if (!row || measures.every((name) => row[name] === null)) return none;
  const facts = measures.map((name) => [measureText(name, subject, say), amountText(name, row[name], say)] as const);
  if (isStatistics(frame)) {
    const what = tableText(subject, say) + about;
    if (Number(row.count) < 2)
      return say`${capital(what)}: too few values for statistics. ‖ ${what}：数值太少，算不出统计量。`;
    const numbers = facts.slice(1).map(([name, value], index) => `${index > 0 ? name : say`mean ‖ 平均`} ${value}`);
    return say`${row.count} ${what}: ${numbers.join(", ")}. ‖ 共 ${row.count} 条${what}：${numbers.join("，")}。`;
  }
  const of = Number(row.cancelled ?? 0);
  const cancelled = of > 0 ? say` (${of} of them cancelled) ‖ （其中 ${of} 张已取消）` : "";
  const texts = facts.map(([name, value], index) => {
    const [before, after] = index === 0 ? [name + about, value + cancelled] : [name, value];
    return say`${before}: ${after} ‖ ${before}：${after}`;
  });
  return capital(say`${texts.join("; ")}. ‖ ${texts.join("；")}。`);
}

/** Things counted once in each row may be the same ones: their sum would be too large. */
function countsTwice(frame: Frame): boolean {
  const { periods, split = "" } = frame;
  const before = ({ from = "" }: Period, { to = "9" }: Period): boolean => from < to;
  const overlaps = (one: Period, other: Period): boolean =>
    one !== other && !one.months && !other.months && before(one, other) && before(other, one);
  const lines = needsLines(frame) && frame.dimension !== undefined;
  const overlapping = periods.some((one) => periods.some((other) => overlaps(one, other)));
  return frame.subject !== frame.base || lines || /^(?:product|category)$/.test(split) || overlapping;
}

/** Numbers of records are no amounts. */
function cellOf(name: string, value: Row[string] | undefined, say: Say): unknown {
  if (value === null || value === undefined) return value;
  if (/(?:^|_)id$/.test(name)) return String(value);
  return typeof value === "string" ? valueText(name, value, say) : value;
}

function rowsAnswer(frame: Frame, rows: readonly Row[], limit: number, say: Say): string {
  const about = capital(tableText(frame.subject, say) + narrowedText(frame, say));
  if (rows.length === 0) return say`${about}: none. ‖ ${about}：没有符合条件的记录。`;
  const all = Number(rows[0]?.found ?? rows.length);
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== "found");
  const head =
    all > rows.length
      ? say`${about}: ${rows.length} of ${all}: ‖ ${about}：共 ${all} 条，前 ${Math.min(limit, rows.length)} 条：`
      : say`${about}: ${all} ‖ ${about}：${all} 条`;
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name], say)));
  return `${head}\n\n${markdownTable(
    names.map((name) => columnLabel(name, say)),
    cells,
  )}`;
}

/** What the number alone does not say. */
function notes(frame: Frame, { span }: Found, say: Say): string[] {
  const list = leavesOutCancelled(frame) ? [say`Cancelled orders are left out. ‖ 不含已取消的订单。`] : [];
  const { first, last } = span?.[0] ?? {};
  if (!first || !last) return list;
  const beyond = frame.periods.some((period) => {
    const { from = first, to = `${last}~` } = latest(period, last);
    return to <= first || (!period.months && (from < first || to > `${last}~` || from > last));
  });
  const what = tableText(frame.base, say);
  const ends = say`The ${what} in the data are from ${first} to ${last}. ‖ 数据中的${what}只有 ${first} 至 ${last}。`;
  return beyond ? [...list, ends] : list;
}

const lineColumns = ["sku", "product", "quantity"];

/** One record with all that is known of it. */
function recordTask({ subject }: Frame, id: number, say: Say): Task {
  const { names, record: sql = "" } = schema[subject];
  const what = `${names[say.zh ? 2 : 1]} ${id}`;
  return queryTask<Found>(
    { rows: sql.replace("%ID%", String(id)) },
    {
      kind: "show",
      about: what,
      answer({ rows }) {
        const [first] = rows;
        if (!first) return say`There is no ${what}. ‖ 没有${what}。`;
        const lines = subject === "orders" ? lineColumns : [];
        const label = (name: string): string => columnLabel(name, say);
        const facts = Object.entries(first).flatMap(([name, value]) => {
          const text = value === null ? "–" : valueText(name, value, say);
          return lines.includes(name) ? [] : [say`- ${label(name)}: ${text} ‖ - ${label(name)}：${text}`];
        });
        const cells = rows.map((row) => lines.map((name) => row[name]));
        const table = lines.length === 0 || first.sku === null ? [] : ["", markdownTable(lines.map(label), cells)];
        return [...facts, ...table].join("\n");
      },
    },
  );
}
