import { periodSql } from "../../reading/dates.ts";
import type { Say } from "../../text.ts";
import shop from "../../words/shop.json" with { type: "json" };
import { type Frame, needsLines, schema, type Table } from "./schema.ts";

const keyOf = (table: Table): string => `${table[0]}.id`;
/** Money and pieces of cancelled orders never came or went; the answer says so. */
export function leavesOutCancelled({ table, measures, filters }: Frame): boolean {
  const sold = measures.some((name) => /^(?:revenue|units)$|_total$/.test(name));
  return table === "orders" && sold && !filters.some(({ kind }) => kind === "status");
}

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function source(frame: Frame): string {
  const { table, filters, periods, dated } = frame;
  const { from, columns } = schema[table];
  const spans = periods.map((period) => periodSql(period, dated)).join(" OR ");
  const conditions = filters.map(({ kind, values, ids, operator }) => {
    if (kind === "late") return columns.late;
    const list = (ids.length > 0 ? ids : values.map(quoted)).join(", ");
    return operator ? `${columns[kind]} ${operator} ${values[0]}` : `${columns[kind]} IN (${list})`;
  });
  if (leavesOutCancelled(frame)) conditions.push("o.status <> 'cancelled'");
  if (spans) conditions.push(periods.length > 1 ? `(${spans})` : spans);
  const where = conditions.length === 0 ? "" : `\nWHERE ${conditions.join(" AND ")}`;
  return `FROM ${from}${needsLines(frame) ? shop.lines : ""}${where}`;
}

function measureSql(measure: string, frame: Frame): string {
  const { columns, sums } = schema[frame.table];
  const lines = needsLines(frame);
  const repeats = lines || frame.subject !== frame.table;
  if (measure === "count") return `COUNT(${repeats ? `DISTINCT ${keyOf(frame.subject)}` : "*"})`;
  if (measure === "revenue" && lines) return "COALESCE(SUM(i.quantity * i.unit_price), 0)";
  if (sums[measure]) return `COALESCE(SUM(${sums[measure]}), 0)`;
  const [statistic = "", column = ""] = measure.split("_");
  return `ROUND(${statistic.replace("mean", "avg").toUpperCase()}(${columns[column]}), 2)`;
}

/** A query that counts, sums or averages: in one row, or by a dimension; undefined where the table has not got that. */
export function reportSql(frame: Frame, say: Say): string | undefined {
  const { dimension, measures, rank, limit, subject, table, filters, dated } = frame;
  const selected = measures.map((measure) => `${measureSql(measure, frame)} AS ${measure}`).join(", ");
  if (!dimension) {
    // A bare number of orders says how many of them were cancelled.
    const bare = subject === "orders" && table === "orders" && measures.join() === "count" && !needsLines(frame);
    const shows = bare && !filters.some(({ kind }) => kind === "status");
    return `SELECT ${selected}${shows ? ", COALESCE(SUM(o.status = 'cancelled'), 0) AS cancelled" : ""}\n${source(frame)}`;
  }
  const { columns } = schema[table];
  const part = { month: 7, year: 4 }[dimension];
  const column = part ? dated && `substr(${dated}, 1, ${part})` : (columns[dimension] ?? columns[`ticket${dimension}`]);
  const label = column?.replace("c.id", "c.name").replace("p.id", say`p.name ‖ p.name_zh`);
  const order = part && !rank ? "label" : `${measures[0]} ${rank?.descending === false ? "ASC" : "DESC"}, label`;
  // A few more than asked for show whether the last one has equals.
  const most = limit ? `\nLIMIT ${limit + 10}` : "";
  return label && `SELECT ${label} AS label, ${selected}\n${source(frame)}\nGROUP BY label\nORDER BY ${order}${most}`;
}

/** Goods have their names in both languages. */
const inLanguage = (columns: string, say: Say): string =>
  say.zh ? columns.replace(/p\.name(?: AS (\w+))?,/, (_, name = "name") => `p.name_zh AS ${name},`) : columns;

/** A query for rows, with the number of all that there are. */
export function rowsSql(frame: Frame, limit: number, say: Say): string {
  const { subject, table, rank, dated } = frame;
  const [{ row }, key] = [schema[subject], keyOf(subject)];
  const direction = rank?.descending ? "DESC" : "ASC";
  const column = rank?.by === "date" ? dated : schema[table].columns[rank?.by ?? ""];
  const order = column ? `${column} ${direction}, ${key} ${rank?.by === "date" ? direction : "ASC"}` : key;
  const distinct = needsLines(frame) || subject !== table ? "DISTINCT " : "";
  const rows = `SELECT ${distinct}${inLanguage(row, say)}\n${source(frame)}\nORDER BY ${order}`;
  return `SELECT *, COUNT(*) OVER () AS found FROM (\n${rows}\n) LIMIT ${limit}`;
}

/** All that is known of one record; an order has a row for each of its lines. */
export function recordSql({ table, id }: Frame, say: Say): string {
  const { from, row, more } = schema[table];
  const lines = table === "orders" ? shop.lines.replaceAll(" JOIN", " LEFT JOIN") : "";
  return `SELECT ${inLanguage(more ? `${row}, ${more}` : row, say)}\nFROM ${from}${lines}\nWHERE ${keyOf(table)} = ${id}`;
}

export const spanSql = ({ dated, table }: Frame): string =>
  `SELECT MIN(${dated}) AS first, MAX(${dated}) AS last FROM ${schema[table].from}`;

/** The names of the data that stand in a question. */
export const namesSql = (question: string): string =>
  `SELECT kind, id, value FROM (\n  ${shop.names}\n) WHERE instr(lower(${quoted(question)}), lower(value)) > 0`;
