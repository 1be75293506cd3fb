import type { Locale } from "@toolglot/core";
import { type Period, periodSql, periodText } from "../reading/dates.ts";
import { columns, dimensionSql, type Filter, type Frame, type Table } from "../reading/frame.ts";
import { type Task, task } from "../task.ts";
import { formatNumber, literal, markdownTable } from "../text.ts";
import { columnLabel, filterText, measureText, tableText, valueText } from "./data-words.ts";

type Row = Record<string, string | number | null>;

/** What the queries of a frame give; `span` is the data's first and last date, asked for with every period. */
export interface Found<One = Row> {
  rows: One[];
  span?: { first: string | null; last: string | null };
}

/** A list has as many rows as this, unless another number or all are asked for. */
const defaultRows = 20;
const mostRows = 200;

/** The task of a frame that was understood whole. */
export function frameTask(frame: Frame, question: string, language: Locale): Task {
  if (frame.act === "statistics") return statisticsTask(frame, language);
  if (frame.act === "record") return recordTask(frame, language);
  const zh = language === "zh";
  const about = aboutText(frame, language);
  const rowLimit = /\ball\b|所有|全部/iu.test(question) ? mostRows : Math.min(frame.limit ?? defaultRows, mostRows);
  const sql = frame.act === "rows" ? rowsSql(frame, rowLimit, language) : reportSql(frame, language);
  const kind =
    frame.act === "report" ? (frame.rank ? "top" : "report") : frame.subject === "tickets" ? "tickets" : "list";
  return task<Found>({
    kind,
    tools: ["query_sql"],
    understanding: zh ? `用户要的是：${about}。` : `The user wants: ${about}.`,
    plan: zh ? "用 SQL 查询。" : "Query it with SQL.",
    target: zh ? `查询${about}` : `Query ${about}`,
    ...queries({ rows: sql, ...spanSql(frame) }),
    answer: (found) =>
      [
        frame.act === "rows" ? rowsAnswer(frame, found, rowLimit, language) : reportAnswer(frame, found, language),
        ...notes(frame, found, language),
      ].join("\n\n"),
  });
}

/** Programs and calls that make some queries and leave their rows. */
export function queries<One = Row>(sql: Record<string, string>): Required<Pick<Task<Found<One>>, "code" | "calls">> {
  const names = Object.keys(sql);
  const one = names.length === 1;
  const python = names.map(
    (name) =>
      `${name} = query_sql(${sqlLiteral(sql[name] ?? "", '"""')}, limit=${mostRows})["rows"]${name === "span" ? "[0]" : ""}`,
  );
  const javascript = names.map((name) => {
    const target = name === "rows" ? "{ rows }" : `{ rows: [${name}] }`;
    return `const ${target} = await query_sql({ sql: ${sqlLiteral(sql[name] ?? "", "`")}, limit: ${mostRows} });`;
  });
  return {
    code: {
      python: `${python.join("\n")}\n__result__ = {${names.map((name) => `"${name}": ${name}`).join(", ")}}`,
      javascript: `${javascript.join("\n")}\n__result__ = { ${names.join(", ")} };`,
    },
    *calls() {
      const found = (yield names.map((name) => ({
        name: "query_sql",
        input: { sql: sql[name], limit: mostRows },
      }))) as { rows: One[] }[];
      const rows = found[0]?.rows ?? [];
      return one ? { rows } : { rows, span: found[1]?.rows[0] as unknown as NonNullable<Found["span"]> };
    },
  };
}

/** A query over several lines where nothing in it needs an escape. */
function sqlLiteral(sql: string, quotes: string): string {
  return /''|[`\\$]|"/.test(sql) || !sql.includes("\n") ? literal(sql) : `${quotes}\n${sql}\n${quotes}`;
}

const sources: Record<Table, string> = {
  orders: "orders o JOIN customers c ON c.id = o.customer_id",
  customers: "customers c",
  products: "products p",
  order_items: "order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id",
  refunds: "refunds r JOIN orders o ON o.id = r.order_id JOIN customers c ON c.id = o.customer_id",
  tickets: "tickets t",
  notifications: "notifications n",
};
const lineSource = " JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id";

/** Whether the lines of orders are needed, so that an order stands in several rows. */
export function needsLines({ base, subject, dimension = "", filters, measures }: Frame): boolean {
  if (base !== "orders") return false;
  return (
    subject === "products" ||
    /^(?:product|category)$/.test(dimension) ||
    measures.includes("units") ||
    filters.some(({ kind }) => /^(?:product|category)$/.test(kind))
  );
}

function from(frame: Frame): string {
  return sources[frame.base] + (needsLines(frame) ? lineSource : "");
}

function dateColumn({ base, dated }: Frame): string {
  return dated === "delivered" ? "o.delivered_on" : (columns[base].date ?? "");
}

/** Money and pieces of cancelled orders never came or went; the answer says so. */
function leavesOutCancelled({ base, act, measures, filters }: Frame): boolean {
  const counted = act === "statistics" || measures.some((name) => /^(?:revenue|units|mean total)$/.test(name));
  return base === "orders" && counted && !filters.some(({ kind }) => kind === "status");
}

/** Beside a number of orders, which has all of them, money leaves them out by itself. */
function countsToo({ subject, measures }: Frame): boolean {
  return subject === "orders" && measures.includes("count");
}

function conditions(frame: Frame, without?: string): string[] {
  const periods = without === "period" ? [] : frame.periods;
  return [
    ...frame.filters.filter(({ kind }) => kind !== without).map((filter) => filterSql(frame, filter)),
    ...(leavesOutCancelled(frame) && !countsToo(frame) ? ["o.status <> 'cancelled'"] : []),
    ...(periods.length > 1
      ? [`(${periods.map((period) => periodSql(period, dateColumn(frame))).join(" OR ")})`]
      : periods.map((period) => periodSql(period, dateColumn(frame)))),
  ];
}

function filterSql({ base }: Frame, { kind, values, ids, operator }: Filter): string {
  const column = columns[base][kind] ?? "";
  if (kind === "late") return column;
  if (operator !== undefined) return `${column} ${operator} ${values[0]}`;
  const list = ids ?? (kind === "order" ? values : values.map(quoted));
  return list.length === 1 ? `${column} = ${list[0]}` : `${column} IN (${list.join(", ")})`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function where(list: readonly string[]): string {
  return list.length === 0 ? "" : `\nWHERE ${list.join(" AND ")}`;
}

function measureSql(measure: string, frame: Frame): string {
  const lines = needsLines(frame);
  const { base, subject } = frame;
  const kept = leavesOutCancelled(frame) && countsToo(frame) ? " FILTER (WHERE o.status <> 'cancelled')" : "";
  switch (measure) {
    case "count":
      if (subject === base) return base === "orders" && lines ? "COUNT(DISTINCT o.id)" : "COUNT(*)";
      return subject === "customers" ? "COUNT(DISTINCT c.id)" : "COUNT(DISTINCT p.id)";
    case "revenue":
      return `COALESCE(SUM(${lines ? "i.quantity * i.unit_price" : "o.total"})${kept}, 0)`;
    case "units":
      return `COALESCE(SUM(i.quantity)${kept}, 0)`;
    case "stock":
      return "COALESCE(SUM(p.stock), 0)";
    case "amount":
      return "COALESCE(SUM(r.amount), 0)";
    default:
      return `ROUND(AVG(${columns[base][measure.replace("mean ", "")]}), 2)`;
  }
}

const alias = (measure: string): string => measure.replaceAll(" ", "_");

function reportSql(frame: Frame, language: Locale): string {
  const { dimension, split, rank, measures, limit } = frame;
  const selected = measures.map((measure) => `${measureSql(measure, frame)} AS ${alias(measure)}`).join(", ");
  if (dimension !== undefined) {
    const label = dimensionSql(frame.base, dimension, frame.dated);
    const named = dimension === "product" && language === "zh" ? "p.name_zh" : label;
    const inOrder = /^(?:month|year)$/.test(dimension) && rank === undefined;
    const order = inOrder
      ? "label"
      : `${alias(rank?.by ?? measures[0] ?? "")} ${rank?.descending === false ? "ASC" : "DESC"}, label`;
    // A few more than asked for show whether the last one has equals.
    return `SELECT ${named} AS label, ${selected}\nFROM ${from(frame)}${where(conditions(frame))}\nGROUP BY label\nORDER BY ${order}${rank && limit ? `\nLIMIT ${limit + 10}` : ""}`;
  }
  if (split === undefined) {
    const cancelled = showsCancelled(frame) ? ", COALESCE(SUM(o.status = 'cancelled'), 0) AS cancelled" : "";
    return `SELECT ${selected}${cancelled}\nFROM ${from(frame)}${where(conditions(frame))}`;
  }
  const parts: [label: string, condition: string][] =
    split === "period"
      ? frame.periods.map((period) => [periodText(period, language), periodSql(period, dateColumn(frame))])
      : frame.filters
          .filter(({ kind }) => kind === split)
          .flatMap((filter) =>
            filter.values.map((value, index): [string, string] => [
              valueText(split, value, language),
              filterSql(frame, { kind: split, values: [value], ...(filter.ids && { ids: idsOf(filter, index) }) }),
            ]),
          );
  return parts
    .map(
      ([label, condition]) =>
        `SELECT ${quoted(label)} AS label, ${selected}\nFROM ${from(frame)}${where([...conditions(frame, split), condition])}`,
    )
    .join("\nUNION ALL\n");
}

/** A value that stands for several products keeps all of them. */
function idsOf({ values, ids = [] }: Filter, index: number): number[] {
  return values.length === ids.length ? ids.slice(index, index + 1) : ids;
}

/** A bare number of orders tells how many of them were cancelled. */
function showsCancelled(frame: Frame): boolean {
  const { base, subject, measures, filters } = frame;
  return (
    base === "orders" &&
    subject === "orders" &&
    measures[0] === "count" &&
    !needsLines(frame) &&
    !filters.some(({ kind }) => kind === "status")
  );
}

const rowColumns: Record<Table, string> = {
  orders: "o.id, c.name AS customer, o.ordered_on, o.promised_on, o.delivered_on, o.status, o.total",
  customers: "c.id, c.name, c.city, c.country, c.tier, c.joined_on",
  products: "p.sku, p.name, p.category, p.price, p.stock",
  order_items: "i.order_id, p.sku, p.name AS product, i.quantity, i.unit_price",
  refunds: "r.id, r.order_id, c.name AS customer, r.requested_on, r.paid_on, r.reason, r.amount",
  tickets: "t.id, t.title, t.priority, t.status, substr(t.created_at, 1, 10) AS created",
  notifications: "n.id, n.channel, n.message, n.sent_at",
};

function rowsSql(frame: Frame, limit: number, language: Locale): string {
  const { subject, base, rank } = frame;
  const selected =
    language === "zh"
      ? rowColumns[subject].replace("p.name,", "p.name_zh AS name,").replace("p.name AS", "p.name_zh AS")
      : rowColumns[subject];
  const distinct = subject !== base || needsLines(frame) ? "DISTINCT " : "";
  const key = {
    orders: "o.id",
    customers: "c.id",
    products: "p.sku",
    order_items: "i.order_id",
    refunds: "r.id",
    tickets: "t.id",
    notifications: "n.id",
  }[subject];
  const column = rank?.by === "date" ? dateColumn(frame) : columns[base][rank?.by ?? ""];
  const direction = rank?.descending ? "DESC" : "ASC";
  const order = column ? `${column} ${direction}, ${key} ${rank?.by === "date" ? direction : "ASC"}` : key;
  return `SELECT *, COUNT(*) OVER () AS found FROM (
SELECT ${distinct}${selected}
FROM ${from(frame)}${where(conditions(frame))}
ORDER BY ${order}
) LIMIT ${limit}`;
}

function spanSql(frame: Frame): { span?: string } {
  if (frame.periods.length === 0) return {};
  return {
    span: `SELECT MIN(${dateColumn(frame)}) AS first, MAX(${dateColumn(frame)}) AS last FROM ${sources[frame.base]}`,
  };
}

/** What is asked about, with all that narrows it. */
function aboutText(frame: Frame, language: Locale): string {
  const zh = language === "zh";
  const what =
    frame.act === "report"
      ? frame.measures.map((name) => measureText(name, frame.subject, language)).join(zh ? "、" : " and ")
      : tableText(frame.subject, language);
  const by = frame.dimension
    ? zh
      ? `，按${columnLabel(frame.dimension, language)}`
      : ` by ${columnLabel(frame.dimension, language)}`
    : "";
  return what + by + narrowed(frame, language);
}

/** The conditions, in brackets. */
function narrowed(frame: Frame, language: Locale, without?: string): string {
  const zh = language === "zh";
  const dates = without === "period" ? [] : frame.periods.map((period) => periodText(period, language));
  const dated = columnLabel(
    frame.dated === "delivered"
      ? "delivered_on"
      : ({ orders: "ordered_on", customers: "joined_on", refunds: "requested_on" }[frame.base as string] ?? "created"),
    language,
  );
  const list = [
    ...frame.filters.filter(({ kind }) => kind !== without).map((filter) => filterText(filter, language)),
    ...(dates.length > 0 ? [`${dated}${zh ? "：" : ": "}${dates.join(zh ? "、" : ", ")}`] : []),
  ];
  if (list.length === 0) return "";
  return zh ? `（${list.join("；")}）` : ` (${list.join("; ")})`;
}

function reportAnswer(frame: Frame, { rows }: Found, language: Locale): string {
  const zh = language === "zh";
  const { measures, subject, dimension, split, limit, rank } = frame;
  const amount = (name: string, value: unknown): string =>
    `${formatNumber(Number(value ?? 0))}${/revenue|amount|total|price/.test(name) ? (zh ? " 元" : " yuan") : ""}`;
  if (dimension === undefined && split === undefined) {
    const [row] = rows;
    if (!row || measures.every((name) => row[alias(name)] === null))
      return zh ? `没有符合条件的记录${narrowed(frame, language)}。` : `No record fits${narrowed(frame, language)}.`;
    const facts = measures.map(
      (name) => `${measureText(name, subject, language)}${zh ? "：" : ": "}${amount(name, row[alias(name)])}`,
    );
    const cancelled =
      Number(row.cancelled ?? 0) > 0
        ? zh
          ? `（其中 ${row.cancelled} 张已取消）`
          : ` (${row.cancelled} of them cancelled)`
        : "";
    const about = narrowed(frame, language);
    const [first = "", ...others] = facts;
    const colon = first.search(/[:：]/);
    return `${capital([first.slice(0, colon) + about + first.slice(colon) + cancelled, ...others].join(zh ? "；" : "; "))}${zh ? "。" : "."}`;
  }
  if (rows.length === 0)
    return zh ? `没有符合条件的记录${narrowed(frame, language)}。` : `No record fits${narrowed(frame, language)}.`;
  const shown = rank && limit ? withEquals(rows, limit, alias(rank.by)) : rows;
  const labelOf = (row: Row): string => valueText(split ?? dimension ?? "", String(row.label ?? "–"), language);
  const header = dimension ?? split ?? "";
  const about = narrowed(frame, language, split);
  const table = markdownTable(
    [columnLabel(header, language), ...measures.map((name) => measureText(name, subject, language))],
    shown.map((row) => [labelOf(row), ...measures.map((name) => row[alias(name)])]),
  );
  const sums = measures.filter((name) => !name.startsWith("mean") && !(name === "count" && counted(frame)));
  const total = sums.map(
    (name) =>
      `${measureText(name, subject, language)} ${amount(
        name,
        shown.reduce((sum, row) => sum + Number(row[alias(name)] ?? 0), 0),
      )}`,
  );
  const only = shown.length === 1 && rank ? shown[0] : undefined;
  const name = measures[0] ?? "";
  if (only) {
    const fact = `${measureText(name, subject, language)}${about} ${amount(name, only[alias(name)])}`;
    return zh ? `${labelOf(only)}：${fact}。` : `${labelOf(only)}: ${fact}.`;
  }
  const head = capital(
    `${measures.map((one) => measureText(one, subject, language)).join(zh ? "、" : ", ")}${about}${zh ? "：" : ":"}`,
  );
  const [left, right] = split ? shown : [];
  const difference =
    left && right && shown.length === 2 && !name.startsWith("mean")
      ? Number(right[alias(name)] ?? 0) - Number(left[alias(name)] ?? 0)
      : undefined;
  const foot = [
    ...(total.length > 0
      ? [`${zh ? "合计：" : rank ? "Together: " : "Total: "}${total.join(zh ? "，" : ", ")}${zh ? "。" : "."}`]
      : []),
    ...(difference === undefined
      ? []
      : [zh ? `差额：${amount(name, difference)}。` : `Difference: ${amount(name, difference)}.`]),
    ...(rank?.descending === false ? [zh ? "只列出有记录的。" : "Only those with any are ranked."] : []),
  ];
  return [head, table, ...(foot.length > 0 ? [foot.join(" ")] : [])].join("\n\n");
}

/** Things counted once in each row may be the same ones: their sum would be too large. */
function counted(frame: Frame): boolean {
  return (
    frame.subject !== frame.base ||
    (needsLines(frame) && frame.dimension !== undefined) ||
    frame.split === "product" ||
    frame.split === "category" ||
    overlapping(frame.periods)
  );
}

function overlapping(periods: readonly Period[]): boolean {
  return periods.some((one, index) =>
    periods.some(
      (other, at) =>
        at !== index &&
        (one.from ?? "") < (other.to ?? "9") &&
        (other.from ?? "") < (one.to ?? "9") &&
        !one.months &&
        !other.months,
    ),
  );
}

/** As many rows as were asked for, and those equal to the last of them. */
function withEquals(rows: readonly Row[], limit: number, name: string): Row[] {
  return rows.filter((row, index) => index < limit || row[name] === rows[limit - 1]?.[name]);
}

function rowsAnswer(frame: Frame, { rows }: Found, limit: number, language: Locale): string {
  const zh = language === "zh";
  const about = capital(`${tableText(frame.subject, language)}${narrowed(frame, language)}`);
  if (rows.length === 0) return zh ? `${about}：没有符合条件的记录。` : `${about}: none.`;
  const all = Number(rows[0]?.found ?? rows.length);
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== "found");
  const cells = rows.map((row) =>
    names.map((name) =>
      /(?:^|_)id$/.test(name)
        ? String(row[name])
        : row[name] === null
          ? null
          : typeof row[name] === "string"
            ? valueText(name, row[name], language)
            : row[name],
    ),
  );
  const head =
    all > rows.length
      ? zh
        ? `${about}：共 ${all} 条，前 ${Math.min(limit, rows.length)} 条：`
        : `${about}: ${rows.length} of ${all}:`
      : zh
        ? `${about}：${all} 条`
        : `${about}: ${all}`;
  return `${head}\n\n${markdownTable(
    names.map((name) => columnLabel(name, language)),
    cells,
  )}`;
}

/** What the number alone does not say. */
function notes(frame: Frame, { span }: Found, language: Locale): string[] {
  const zh = language === "zh";
  const list: string[] = [];
  if (leavesOutCancelled(frame)) list.push(zh ? "不含已取消的订单。" : "Cancelled orders are left out.");
  const { first, last } = span ?? {};
  const beyond = frame.periods.some(({ from, to, months }) =>
    months
      ? !months.some((month) => within(month, first, last))
      : (from ?? "9") < (first ?? "") ||
        (to ?? "") > `${last ?? ""}~` ||
        (from ?? "") > (last ?? "") ||
        (to !== undefined && to <= (first ?? "")),
  );
  if (first && last && beyond) {
    const what = tableText(frame.base, language);
    list.push(
      zh ? `数据中的${what}只有 ${first} 至 ${last}。` : `The ${what} in the data are from ${first} to ${last}.`,
    );
  }
  return list;
}

/** Whether any year of the data has that month. */
function within(month: number, first: string | null | undefined, last: string | null | undefined): boolean {
  if (!first || !last) return false;
  for (let year = Number(first.slice(0, 4)); year <= Number(last.slice(0, 4)); year += 1) {
    const name = `${year}-${String(month).padStart(2, "0")}`;
    if (name >= first.slice(0, 7) && name <= last.slice(0, 7)) return true;
  }
  return false;
}

interface Numbers {
  count: number;
  mean: number;
  median: number;
  stdev: number;
}

/** Mean, median and standard deviation are computed in the program: SQLite has no median. */
function statisticsTask(frame: Frame, language: Locale): Task {
  const zh = language === "zh";
  const column = columns[frame.base][frame.rank?.by ?? ""];
  const sql = `SELECT ${column} AS value FROM ${from(frame)}${where(conditions(frame)).replace("\n", " ")}`;
  const what = `${tableText(frame.subject, language)}${narrowed(frame, language)}`;
  return task<Numbers | null>({
    kind: "statistics",
    tools: ["query_sql"],
    understanding: zh ? `用户想知道${what}的分布。` : `The user wants to know how these are distributed: ${what}.`,
    plan: zh ? "用 SQL 取出数值，再计算统计量。" : "Take the values with SQL, then compute.",
    target: zh ? "计算统计量" : "Compute statistics",
    code: {
      python: `found = query_sql(${literal(sql)}, limit=${mostRows})
values = [row["value"] for row in found["rows"]]
__result__ = None
if len(values) > 1 and not found["truncated"]:
    __result__ = {
        "count": len(values),
        "mean": round(statistics.mean(values), 2),
        "median": round(statistics.median(values), 2),
        "stdev": round(statistics.stdev(values), 2),
    }`,
      javascript: `${summaryProgram(["mean", "median", "stdev"])}
const { rows, truncated } = await query_sql({ sql: ${literal(sql)}, limit: ${mostRows} });
const values = rows.map((row) => row.value);
__result__ = null;
if (values.length > 1 && !truncated) {
  __result__ = { count: values.length, mean: cents(mean(values)), median: cents(median(values)), stdev: cents(stdev(values)) };
}`,
    },
    *calls() {
      const [result] = yield [{ name: "query_sql", input: { sql, limit: mostRows } }];
      const { rows, truncated } = result as { rows: { value: number }[]; truncated: boolean };
      return truncated ? null : summary(rows.map(({ value }) => value));
    },
    answer(numbers) {
      if (!numbers)
        return zh
          ? `${what}：数值太少或太多，算不出统计量。`
          : `${capital(what)}: too few or too many values for statistics.`;
      const { count, mean, median, stdev } = numbers;
      const unit = frame.rank?.by === "stock" ? "" : zh ? " 元" : " yuan";
      const left = leavesOutCancelled(frame) ? (zh ? " 不含已取消的订单。" : " Cancelled orders are left out.") : "";
      return zh
        ? `共 ${count} 条${what}：平均 ${formatNumber(mean)}${unit}，中位数 ${formatNumber(median)}${unit}，标准差 ${formatNumber(stdev)}${unit}。${left}`
        : `${count} ${what}: mean ${formatNumber(mean)}${unit}, median ${formatNumber(median)}${unit}, standard deviation ${formatNumber(stdev)}${unit}.${left}`;
    },
  });
}

/** Mean, median and sample standard deviation, rounded to cents; null for fewer than two numbers. */
export function summary(values: readonly number[]): Numbers | null {
  if (values.length < 2) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const cents = (value: number): number => Math.round(value * 100) / 100;
  return { count: values.length, mean: cents(mean), median: cents(median), stdev: cents(Math.sqrt(variance)) };
}

const functions = {
  mean: "const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;",
  median: `const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};`,
  stdev: `const stdev = (list) => {
  const center = mean(list);
  return Math.sqrt(list.reduce((sum, value) => sum + (value - center) ** 2, 0) / (list.length - 1));
};`,
};

/** The functions that a JavaScript program needs for some statistics: the language has none of them. */
export function summaryProgram(wanted: readonly (keyof typeof functions)[]): string {
  const names = wanted.includes("stdev") ? new Set(["mean" as const, ...wanted]) : new Set(wanted);
  return [...[...names].map((name) => functions[name]), "const cents = (value) => Number(value.toFixed(2));"].join(
    "\n",
  );
}

const recordSql: Partial<Record<Table, string>> = {
  orders:
    "SELECT o.id, o.status, o.ordered_on, o.promised_on, o.delivered_on, o.total, c.name AS customer, c.city, p.sku, p.name AS product, i.quantity FROM orders o JOIN customers c ON c.id = o.customer_id LEFT JOIN order_items i ON i.order_id = o.id LEFT JOIN products p ON p.id = i.product_id WHERE o.id = %ID% ORDER BY p.sku",
  tickets: "SELECT id, title, body, priority, status, created_at FROM tickets WHERE id = %ID%",
  refunds: "SELECT id, order_id, requested_on, paid_on, reason, amount FROM refunds WHERE id = %ID%",
  customers: "SELECT id, name, city, country, tier, joined_on FROM customers WHERE id = %ID%",
  products: "SELECT id, sku, name, name_zh, category, price, stock FROM products WHERE id = %ID%",
};
const lineColumns = ["sku", "product", "quantity"];

/** One record with all that is known of it. */
function recordTask({ subject, id }: Frame, language: Locale): Task {
  const zh = language === "zh";
  const what = `${tableText(subject, language, true)} ${id}`;
  return task<Found>({
    kind: "show",
    tools: ["query_sql"],
    understanding: zh ? `用户想看${what}。` : `The user wants to see ${what}.`,
    plan: zh ? "按编号查询一次。" : "Look it up by its number.",
    target: zh ? `查看${what}` : `Show ${what}`,
    ...queries({ rows: recordSql[subject]?.replace("%ID%", String(id)) ?? "" }),
    answer({ rows }) {
      const [first] = rows;
      if (!first) return zh ? `没有${what}。` : `There is no ${what}.`;
      const lines = subject === "orders" ? lineColumns : [];
      const facts = Object.entries(first).filter(([name]) => !lines.includes(name));
      const head = facts
        .map(
          ([name, value]) =>
            `- ${columnLabel(name, language)}${language === "zh" ? "：" : ": "}${value === null ? "–" : typeof value === "string" ? valueText(name, value, language) : value}`,
        )
        .join("\n");
      if (lines.length === 0 || first.sku === null) return head;
      const table = markdownTable(
        lines.map((name) => columnLabel(name, language)),
        rows.map((row) => lines.map((name) => row[name])),
      );
      return `${head}\n\n${table}`;
    },
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
