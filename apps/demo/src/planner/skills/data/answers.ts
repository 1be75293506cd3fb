import { periodText, reachesBeyond } from "../../reading/dates.ts";
import { wordFor } from "../../reading/lexicon.ts";
import { capital, formatNumber, markdownTable, type Say } from "../../text.ts";
import { type Frame, oneOf } from "./schema.ts";
import { leavesOutCancelled } from "./sql.ts";

type Row = Record<string, unknown>;

/** What the queries of a frame give; `span` is the data's first and last date, asked for with every period. */
export type Found = { rows: Row[]; span?: { first: string | null; last: string | null }[] };

function columnText(column: string, say: Say): string {
  const name = column.replace(/^ticket/, "");
  return wordFor(say.zh ? name : name.replace(/_on$/, ""), ["column", "dimension", "field"], say.zh);
}

/** A value of a column, in Chinese where it is a word of the shop and no name. */
function valueText(column: string, value: unknown, say: Say): string {
  const kinds = [column, `ticket${column}`].filter((kind) => /status|tier|priority|category|country/.test(kind));
  return wordFor(String(value), kinds, say.zh);
}

/** Columns of rows side by side. Numbers of records are no amounts. */
export function rowsTable(rows: readonly Row[], names: readonly string[], say: Say): string {
  const cell = (name: string, value: unknown): unknown =>
    typeof value === "string" || (/(?:^|_)id$/.test(name) && value !== null) ? valueText(name, value, say) : value;
  return markdownTable(
    names.map((name) => columnText(name, say)),
    rows.map((row) => names.map((name) => cell(name, row[name]))),
  );
}

const nounText = (table: string, say: Say): string => wordFor(table, ["noun"], say.zh);

/** What is counted, summed or averaged. */
function measureText(measure: string, { subject }: Frame, say: Say): string {
  if (measure === "count") return say`${subject} ‖ ${nounText(subject, say)}数`;
  const [name = "", column] = measure.split("_");
  const statistic = wordFor(name, ["aggregate"], say.zh);
  return column ? say`${statistic} ${column} ‖ ${columnText(column, say)}${statistic}` : columnText(name, say);
}

/** All that narrows a question, in brackets. */
function narrowedText({ filters, periods, dated }: Frame, say: Say): string {
  const list = filters.map(({ kind, values, operator }) => {
    if (kind === "late") return say`delivered after the promised date ‖ 送达晚于承诺日期`;
    const sign = operator ? `${wordFor(operator, ["than"], say.zh)} ` : "";
    return `${columnText(kind, say)} ${sign}${say.list(values.map((value) => valueText(kind, value, say)))}`;
  });
  const date = columnText(dated.includes("created") ? "created" : dated.slice(2), say);
  const spans = say.list(periods.map((period) => periodText(period, say)));
  if (spans) list.push(say`${date}: ${spans} ‖ ${date}：${spans}`);
  return list.length === 0 ? "" : say` (${list.join("; ")}) ‖ （${list.join("；")}）`;
}

export function reportAnswer(frame: Frame, { rows }: Found, say: Say): string {
  const { measures, dimension, rank, limit } = frame;
  const about = narrowedText(frame, say);
  const [first] = rows;
  if (!first || measures.every((name) => first[name] === null))
    return say`No record fits${about}. ‖ 没有符合条件的记录${about}。`;
  const names = measures.map((name) => measureText(name, frame, say));
  if (dimension) {
    // As many rows as were asked for, and those equal to the last of them.
    const [by = "", most = rows.length] = [measures[0], rank && limit];
    const shown = rows.filter((row, index) => index < most || row[by] === rows[most - 1]?.[by]);
    const cells = shown.map((row) => [valueText(dimension, row.label, say), ...measures.map((name) => row[name])]);
    const head = capital(say`${names.join(", ")}${about}: ‖ ${names.join("、")}${about}：`);
    return `${head}\n\n${markdownTable([columnText(dimension, say), ...names], cells)}`;
  }
  const { cancelled } = first;
  const note = cancelled ? say` (${cancelled} of them cancelled) ‖ （其中 ${cancelled} 张已取消）` : "";
  const texts = measures.map((name, index) => {
    const unit = /revenue|amount|total|price/.test(name) ? say` yuan ‖  元` : "";
    const label = names[index] + (index === 0 ? about : "");
    const value = formatNumber(Number(first[name] ?? 0)) + unit + (index === 0 ? note : "");
    return say`${label}: ${value} ‖ ${label}：${value}`;
  });
  return capital(say`${texts.join("; ")}. ‖ ${texts.join("；")}。`);
}

export function rowsAnswer(frame: Frame, { rows }: Found, say: Say): string {
  const about = capital(nounText(frame.subject, say) + narrowedText(frame, say));
  const [first] = rows;
  if (!first) return say`${about}: none. ‖ ${about}：没有符合条件的记录。`;
  const { found: all, ...columns } = first;
  const some = say`${about}: ${rows.length} of ${all}: ‖ ${about}：共 ${all} 条，前 ${rows.length} 条：`;
  const head = Number(all) > rows.length ? some : say`${about}: ${all} ‖ ${about}：${all} 条`;
  return `${head}\n\n${rowsTable(rows, Object.keys(columns), say)}`;
}

/** One record with all that is known of it, and what an order consists of. */
export function recordAnswer({ table, id }: Frame, { rows }: Found, say: Say): string {
  const [first] = rows;
  const what = `${say`${oneOf(table)} ‖ ${nounText(table, say)}`} ${id}`;
  if (!first) return say`There is no ${what}. ‖ 没有${what}。`;
  const lines = table === "orders" ? ["sku", "product", "quantity"] : [];
  const facts = Object.entries(first).filter(([name]) => !lines.includes(name));
  const list = facts.map(([name, value]) => {
    const [label, text] = [columnText(name, say), value === null ? "–" : valueText(name, value, say)];
    return say`- ${label}: ${text} ‖ - ${label}：${text}`;
  });
  return list.join("\n") + (lines.length > 0 && first.sku !== null ? `\n\n${rowsTable(rows, lines, say)}` : "");
}

/** What the number alone does not say. */
export function notes(frame: Frame, { span }: Found, say: Say): string[] {
  const list = leavesOutCancelled(frame) ? [say`Cancelled orders are left out. ‖ 不含已取消的订单。`] : [];
  if (frame.dimension && frame.rank?.descending === false)
    list.push(say`Only those with any are ranked. ‖ 只列出有记录的。`);
  const { first, last } = span?.[0] ?? {};
  if (!first || !last || !frame.periods.some((period) => reachesBeyond(period, first, last))) return list;
  const what = nounText(frame.table, say);
  list.push(say`The ${what} in the data are from ${first} to ${last}. ‖ 数据中的${what}只有 ${first} 至 ${last}。`);
  return list;
}
