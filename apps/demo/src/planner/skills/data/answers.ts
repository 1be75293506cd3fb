import { periodText, reachesBeyond } from "../../reading/dates.ts";
import { wordFor } from "../../reading/lexicon.ts";
import { capital, formatNumber, markdownTable, type Say } from "../../text.ts";
import type { Filter, Frame } from "./frame.ts";
import { schema } from "./schema.ts";
import { leavesOutCancelled } from "./sql.ts";

type Row = Record<string, string | number | null>;

/** What the queries of a frame give; `span` is the data's first and last date, asked for with every period. */
export type Found = { rows: Row[]; span?: { first: string | null; last: string | null }[] };

export function columnText(column: string, say: Say): string {
  const name = column.replace(/^ticket/, "");
  return wordFor(say.zh ? name : name.replace(/_on$/, ""), ["column", "dimension", "field"], say.zh);
}

/** A value of a column, in Chinese where it is a word of the shop and no name. */
function valueText(column: string, value: unknown, say: Say): string {
  const kinds = [column, `ticket${column}`].filter((kind) => /status|tier|priority|category|country/.test(kind));
  return wordFor(String(value), kinds, say.zh);
}

const tableText = (table: string, say: Say): string => wordFor(table, ["noun"], say.zh);

/** What is counted, summed or averaged. */
function measureText(measure: string, { subject }: Frame, say: Say): string {
  if (measure === "count") return say`${subject} ‖ ${tableText(subject, say)}数`;
  const [name = "", column] = measure.split("_");
  const statistic = wordFor(name, ["aggregate"], say.zh);
  return column ? say`${statistic} ${column} ‖ ${columnText(column, say)}${statistic}` : columnText(name, say);
}

/** A number with its unit. */
function amountText(measure: string, value: unknown, say: Say): string {
  const unit = /revenue|amount|total|price/.test(measure) ? say` yuan ‖  元` : "";
  return formatNumber(Number(value ?? 0)) + unit;
}

function filterText({ kind, values, operator }: Filter, say: Say): string {
  if (kind === "late") return say`delivered after the promised date ‖ 送达晚于承诺日期`;
  const sign = operator ? `${wordFor(operator, ["than"], say.zh)} ` : "";
  return `${columnText(kind, say)} ${sign}${say.list(values.map((value) => valueText(kind, value, say)))}`;
}

/** All that narrows a question, in brackets. */
function narrowedText({ filters, periods, dated }: Frame, say: Say): string {
  const spans = say.list(periods.map((period) => periodText(period, say)));
  const date = dated.includes("created") ? "created" : dated.slice(2);
  const list = [
    ...filters.map((filter) => filterText(filter, say)),
    ...(spans ? [say`${columnText(date, say)}: ${spans} ‖ ${columnText(date, say)}：${spans}`] : []),
  ];
  return list.length === 0 ? "" : say` (${list.join("; ")}) ‖ （${list.join("；")}）`;
}

/** The answer to a question that counts, sums or averages. */
export function reportAnswer(frame: Frame, { rows }: Found, say: Say): string {
  const { measures, dimension, rank, limit } = frame;
  const about = narrowedText(frame, say);
  const [first] = rows;
  if (!first || measures.every((name) => first[name] === null))
    return say`No record fits${about}. ‖ 没有符合条件的记录${about}。`;
  const names = measures.map((name) => measureText(name, frame, say));
  if (dimension === undefined) {
    const cancelled = Number(first.cancelled ?? 0);
    const note = cancelled > 0 ? say` (${cancelled} of them cancelled) ‖ （其中 ${cancelled} 张已取消）` : "";
    const texts = measures.map((name, index) => {
      const [label, value] = [names[index] + (index === 0 ? about : ""), amountText(name, first[name], say)];
      return say`${label}: ${value} ‖ ${label}：${value}` + (index === 0 ? note : "");
    });
    return capital(say`${texts.join("; ")}. ‖ ${texts.join("；")}。`);
  }
  // As many rows as were asked for, and those equal to the last of them.
  const [by = "", most = rows.length] = [measures[0], rank && limit];
  const shown = rows.filter((row, index) => index < most || row[by] === rows[most - 1]?.[by]);
  const cells = shown.map((row) => [valueText(dimension, row.label, say), ...measures.map((name) => row[name])]);
  const table = markdownTable([columnText(dimension, say), ...names], cells);
  return [capital(say`${names.join(", ")}${about}: ‖ ${names.join("、")}${about}：`), table].join("\n\n");
}

/** The answer to a question for rows. */
export function rowsAnswer(frame: Frame, { rows }: Found, say: Say): string {
  const about = capital(tableText(frame.subject, say) + narrowedText(frame, say));
  if (rows.length === 0) return say`${about}: none. ‖ ${about}：没有符合条件的记录。`;
  const all = Number(rows[0]?.found);
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== "found");
  const some = say`${about}: ${rows.length} of ${all}: ‖ ${about}：共 ${all} 条，前 ${rows.length} 条：`;
  const head = all > rows.length ? some : say`${about}: ${all} ‖ ${about}：${all} 条`;
  const headers = names.map((name) => columnText(name, say));
  return `${head}\n\n${markdownTable(
    headers,
    rows.map((row) => names.map((name) => cell(name, row[name], say))),
  )}`;
}

/** Numbers of records are no amounts. */
function cell(name: string, value: Row[string] | undefined, say: Say): unknown {
  if (value === null || value === undefined) return value;
  return typeof value === "string" || /(?:^|_)id$/.test(name) ? valueText(name, value, say) : value;
}

/** One record with all that is known of it, and what an order consists of. */
export function recordAnswer({ table, id }: Frame, { rows }: Found, say: Say): string {
  const [first] = rows;
  const what = `${say`${schema[table].one} ‖ ${tableText(table, say)}`} ${id}`;
  if (!first) return say`There is no ${what}. ‖ 没有${what}。`;
  const lines = table === "orders" ? ["sku", "product", "quantity"] : [];
  const facts = Object.entries(first).flatMap(([name, value]) => {
    const text = value === null ? "–" : valueText(name, value, say);
    return lines.includes(name) ? [] : [say`- ${columnText(name, say)}: ${text} ‖ - ${columnText(name, say)}：${text}`];
  });
  if (lines.length === 0 || first.sku === null) return facts.join("\n");
  const cells = rows.map((row) => lines.map((name) => row[name]));
  return `${facts.join("\n")}\n\n${markdownTable(
    lines.map((name) => columnText(name, say)),
    cells,
  )}`;
}

/** What the number alone does not say. */
export function notes(frame: Frame, { span }: Found, say: Say): string[] {
  const list = leavesOutCancelled(frame) ? [say`Cancelled orders are left out. ‖ 不含已取消的订单。`] : [];
  if (frame.dimension && frame.rank?.descending === false)
    list.push(say`Only those with any are ranked. ‖ 只列出有记录的。`);
  const { first, last } = span?.[0] ?? {};
  if (!first || !last || !frame.periods.some((period) => reachesBeyond(period, first, last))) return list;
  const what = tableText(frame.table, say);
  return [
    ...list,
    say`The ${what} in the data are from ${first} to ${last}. ‖ 数据中的${what}只有 ${first} 至 ${last}。`,
  ];
}
