import { periodSql, periodText } from "../reading/dates.ts";
import { dimensionSql, type Filter, type Frame } from "../reading/frame.ts";
import { lineSource, schema } from "../reading/schema.ts";
import type { Say } from "../text.ts";
import { valueText } from "./data-words.ts";

/** Whether the lines of orders are needed, so that an order stands in several rows. */
export function needsLines({ base, subject, dimension = "", filters, measures }: Frame): boolean {
  const goods = /^(?:product|category)$/;
  const wanted = subject === "products" || goods.test(dimension) || measures.includes("units");
  return base === "orders" && (wanted || filters.some(({ kind }) => goods.test(kind)));
}

/** Whether a question asks for mean, median and standard deviation. */
export const isStatistics = ({ measures }: Frame): boolean => measures.some((name) => name.startsWith("median"));

/** Money and pieces of cancelled orders never came or went; the answer says so. */
export function leavesOutCancelled({ base, measures, filters }: Frame): boolean {
  const counted = measures.some((name) => /^(?:revenue|units|mean_total)$/.test(name));
  return base === "orders" && counted && !filters.some(({ kind }) => kind === "status");
}

/** Beside a number of orders, which has all of them, money leaves them out by itself. */
function countsToo(frame: Frame): boolean {
  return frame.subject === "orders" && frame.measures.includes("count") && !isStatistics(frame);
}

function dateColumn({ base, dated }: Frame): string {
  return dated === "delivered" ? "o.delivered_on" : (schema[base].columns.date ?? "");
}

const from = (frame: Frame): string => schema[frame.base].from + (needsLines(frame) ? lineSource : "");

function where(frame: Frame, without?: string, also: readonly string[] = []): string {
  const periods = without === "period" ? [] : frame.periods.map((period) => periodSql(period, dateColumn(frame)));
  const conditions = [
    ...frame.filters.filter(({ kind }) => kind !== without).map((filter) => filterSql(frame, filter)),
    ...(leavesOutCancelled(frame) && !countsToo(frame) ? ["o.status <> 'cancelled'"] : []),
    ...(periods.length > 1 ? [`(${periods.join(" OR ")})`] : periods),
    ...also,
  ];
  return conditions.length === 0 ? "" : `\nWHERE ${conditions.join(" AND ")}`;
}

function filterSql({ base }: Frame, { kind, values, ids, operator }: Filter): string {
  const column = schema[base].columns[kind] ?? "";
  if (kind === "late") return column;
  if (operator !== undefined) return `${column} ${operator} ${values[0]}`;
  const list = ids ?? values.map(quoted);
  return list.length === 1 ? `${column} = ${list[0]}` : `${column} IN (${list.join(", ")})`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function measureSql(measure: string, frame: Frame): string {
  const { base, subject } = frame;
  const lines = needsLines(frame);
  const kept = leavesOutCancelled(frame) && countsToo(frame) ? " FILTER (WHERE o.status <> 'cancelled')" : "";
  const counted = subject !== base || (base === "orders" && lines) ? `DISTINCT ${schema[subject].key}` : "*";
  const [aggregate = "", column = ""] = measure.split("_");
  const sums: Record<string, string> = {
    revenue: lines ? "i.quantity * i.unit_price" : "o.total",
    units: "i.quantity",
    stock: "p.stock",
    amount: "r.amount",
  };
  if (measure === "count") return `COUNT(${counted})`;
  if (sums[measure]) return `COALESCE(SUM(${sums[measure]})${kept}, 0)`;
  return `ROUND(${aggregate.replace("mean", "avg").toUpperCase()}(${schema[base].columns[column]}), 2)`;
}

/** A query that counts, sums or averages: in one row, by a dimension, or in one row for each period or value. */
export function reportSql(frame: Frame, say: Say): string {
  const { dimension, split, rank, measures, limit, filters } = frame;
  const selected = measures.map((measure) => `${measureSql(measure, frame)} AS ${measure}`).join(", ");
  if (dimension !== undefined) {
    const label = dimension === "product" && say.zh ? "p.name_zh" : dimensionSql(frame);
    const inOrder = /^(?:month|year)$/.test(dimension) && rank === undefined;
    const direction = rank?.descending === false ? "ASC" : "DESC";
    const order = inOrder ? "label" : `${rank?.by ?? measures[0]} ${direction}, label`;
    // A few more than asked for show whether the last one has equals.
    const most = rank && limit ? `\nLIMIT ${limit + 10}` : "";
    return `SELECT ${label} AS label, ${selected}\nFROM ${from(frame)}${where(frame)}\nGROUP BY label\nORDER BY ${order}${most}`;
  }
  if (split === undefined) {
    // A bare number of orders says how many of them were cancelled.
    const bare =
      frame.subject === "orders" && frame.base === "orders" && measures[0] === "count" && !isStatistics(frame);
    const shows = bare && !needsLines(frame) && !filters.some(({ kind }) => kind === "status");
    const cancelled = shows ? ", COALESCE(SUM(o.status = 'cancelled'), 0) AS cancelled" : "";
    return `SELECT ${selected}${cancelled}\nFROM ${from(frame)}${where(frame)}`;
  }
  const parts: [label: string, condition: string][] = filters
    .filter(({ kind }) => kind === split)
    .flatMap(({ values, ids }) =>
      values.map((value, index): [label: string, condition: string] => {
        const one = { kind: split, values: [value], ...(ids && { ids: ids.slice(index, index + 1) }) };
        return [valueText(split, value, say), filterSql(frame, one)];
      }),
    );
  if (split === "period")
    for (const period of frame.periods) parts.push([periodText(period, say), periodSql(period, dateColumn(frame))]);
  return parts
    .map(
      ([label, condition]) =>
        `SELECT ${quoted(label)} AS label, ${selected}\nFROM ${from(frame)}${where(frame, split, [condition])}`,
    )
    .join("\nUNION ALL\n");
}

/** A query for rows, with the number of all that there are. */
export function rowsSql(frame: Frame, limit: number, say: Say): string {
  const { subject, base, rank } = frame;
  const { row, key } = schema[subject];
  const selected = say.zh ? row.replace("p.name,", "p.name_zh AS name,").replace("p.name AS", "p.name_zh AS") : row;
  const distinct = subject !== base || needsLines(frame) ? "DISTINCT " : "";
  const byDate = rank?.by === "date";
  const column = byDate ? dateColumn(frame) : schema[base].columns[rank?.by ?? ""];
  const direction = rank?.descending ? "DESC" : "ASC";
  const order = column ? `${column} ${direction}, ${key} ${byDate ? direction : "ASC"}` : key;
  return `SELECT *, COUNT(*) OVER () AS found FROM (
SELECT ${distinct}${selected}
FROM ${from(frame)}${where(frame)}
ORDER BY ${order}
) LIMIT ${limit}`;
}

/** The first and the last date of the data. */
export function spanSql(frame: Frame): string {
  return `SELECT MIN(${dateColumn(frame)}) AS first, MAX(${dateColumn(frame)}) AS last FROM ${schema[frame.base].from}`;
}
