import { periodSql } from "../../reading/dates.ts";
import type { Say } from "../../text.ts";
import type { Filter, Frame } from "./frame.ts";
import { lineSource, nameSource, schema, type Table } from "./schema.ts";

/** Whether the lines of orders are needed, so that an order stands in several rows. */
function needsLines({ table, subject, dimension = "", filters, measures }: Frame): boolean {
  const goods = [subject.replace("products", "product"), dimension, ...filters.map(({ kind }) => kind)];
  return (
    table === "orders" && (measures.includes("units") || goods.some((kind) => /^(?:product|category)$/.test(kind)))
  );
}

/** Money and pieces of cancelled orders never came or went; the answer says so. */
export function leavesOutCancelled({ table, measures, filters }: Frame): boolean {
  const sold = measures.some((name) => /^(?:revenue|units)$|_total$/.test(name));
  return table === "orders" && sold && !filters.some(({ kind }) => kind === "status");
}

function source(frame: Frame): string {
  const { table, filters, periods, dated } = frame;
  const spans = periods.map((period) => periodSql(period, dated));
  const conditions = [
    ...filters.map((filter) => filterSql(table, filter)),
    ...(leavesOutCancelled(frame) ? ["o.status <> 'cancelled'"] : []),
    ...(spans.length > 1 ? [`(${spans.join(" OR ")})`] : spans),
  ];
  const where = conditions.length === 0 ? "" : `\nWHERE ${conditions.join(" AND ")}`;
  return `FROM ${schema[table].from}${needsLines(frame) ? lineSource : ""}${where}`;
}

function filterSql(table: Table, { kind, values, ids, operator }: Filter): string {
  const column = schema[table].columns[kind] ?? "";
  if (kind === "late") return column;
  if (operator !== undefined) return `${column} ${operator} ${values[0]}`;
  return `${column} IN (${(ids ?? values.map(quoted)).join(", ")})`;
}

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function measureSql(measure: string, frame: Frame): string {
  const { table, subject } = frame;
  const lines = needsLines(frame);
  const sums: Record<string, string> = {
    revenue: lines ? "i.quantity * i.unit_price" : "o.total",
    units: "i.quantity",
    stock: "p.stock",
    amount: "r.amount",
  };
  const counted = subject !== table || lines ? `DISTINCT ${schema[subject].key}` : "*";
  if (measure === "count") return `COUNT(${counted})`;
  if (sums[measure]) return `COALESCE(SUM(${sums[measure]}), 0)`;
  const [statistic = "", column = ""] = measure.split("_");
  return `ROUND(${statistic.replace("mean", "avg").toUpperCase()}(${schema[table].columns[column]}), 2)`;
}

function dimensionSql({ table, dimension = "", dated }: Frame, say: Say): string | undefined {
  switch (dimension) {
    case "month":
      return dated && `substr(${dated}, 1, 7)`;
    case "year":
      return dated && `substr(${dated}, 1, 4)`;
    case "customer":
      return "c.name";
    case "product":
      return say`p.name ‖ p.name_zh`;
    default:
      return schema[table].columns[dimension] ?? schema[table].columns[`ticket${dimension}`];
  }
}

/** A query that counts, sums or averages: in one row, or by a dimension; undefined where the table has not got that. */
export function reportSql(frame: Frame, say: Say): string | undefined {
  const { dimension, measures, rank, limit, subject, table, filters } = frame;
  const selected = measures.map((measure) => `${measureSql(measure, frame)} AS ${measure}`).join(", ");
  if (dimension === undefined) {
    // A bare number of orders says how many of them were cancelled.
    const bare = subject === "orders" && table === "orders" && measures.join() === "count" && !needsLines(frame);
    const shows = bare && !filters.some(({ kind }) => kind === "status");
    return `SELECT ${selected}${shows ? ", COALESCE(SUM(o.status = 'cancelled'), 0) AS cancelled" : ""}\n${source(frame)}`;
  }
  const label = dimensionSql(frame, say);
  if (!label) return undefined;
  const inOrder = /^(?:month|year)$/.test(dimension) && rank === undefined;
  const order = inOrder ? "label" : `${measures[0]} ${rank?.descending === false ? "ASC" : "DESC"}, label`;
  // A few more than asked for show whether the last one has equals.
  const most = limit ? `\nLIMIT ${limit + 10}` : "";
  return `SELECT ${label} AS label, ${selected}\n${source(frame)}\nGROUP BY label\nORDER BY ${order}${most}`;
}

/** Goods have their names in both languages. */
const inLanguage = (columns: string, say: Say): string =>
  say.zh ? columns.replace(/p\.name(?: AS (\w+))?,/, (_, name = "name") => `p.name_zh AS ${name},`) : columns;

/** A query for rows, with the number of all that there are. */
export function rowsSql(frame: Frame, limit: number, say: Say): string {
  const { subject, table, rank, dated } = frame;
  const { row, key } = schema[subject];
  const direction = rank?.descending ? "DESC" : "ASC";
  const column = rank?.by === "date" ? dated : schema[table].columns[rank?.by ?? ""];
  const order = column ? `${column} ${direction}, ${key} ${rank?.by === "date" ? direction : "ASC"}` : key;
  const distinct = needsLines(frame) || subject !== table ? "DISTINCT " : "";
  const rows = `SELECT ${distinct}${inLanguage(row, say)}\n${source(frame)}\nORDER BY ${order}`;
  return `SELECT *, COUNT(*) OVER () AS found FROM (\n${rows}\n) LIMIT ${limit}`;
}

/** All that is known of one record; an order has a row for each of its lines. */
export function recordSql({ table }: Frame, id: number, say: Say): string {
  const { from, key, row, more } = schema[table];
  const lines = table === "orders" ? lineSource.replaceAll(" JOIN", " LEFT JOIN") : "";
  return `SELECT ${inLanguage(more ? `${row}, ${more}` : row, say)}\nFROM ${from}${lines}\nWHERE ${key} = ${id}`;
}

/** The first and the last date of the data. */
export function spanSql({ dated, table }: Frame): string {
  return `SELECT MIN(${dated}) AS first, MAX(${dated}) AS last FROM ${schema[table].from}`;
}

/** The names of the data that stand in a question. */
export function namesSql(question: string): string {
  return `SELECT kind, id, value FROM (\n  ${nameSource}\n) WHERE instr(lower(${quoted(question)}), lower(value)) > 0`;
}
