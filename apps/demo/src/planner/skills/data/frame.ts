import { type Period, withYear } from "../../reading/dates.ts";
import { type Token, writtenAs } from "../../reading/tokens.ts";
import { measuresOf } from "./measures.ts";
import { schema, type Table } from "./schema.ts";

/** What narrows a question: a column's values, or a comparison with a number. */
export interface Filter {
  kind: string;
  values: string[];
  /** Numbers of customers or products, where the values are their names. */
  ids?: number[];
  operator?: string;
}

/** A question about the shop's tables, whatever language it was asked in: a list of rows, unless it has measures. */
export interface Frame {
  /** What is counted or listed, and the table it is read from: customers who ordered are read from the orders. */
  subject: Table;
  table: Table;
  /** `count`, `revenue`, `units`, `stock`, `amount`, or a statistic and a column: `mean_total`. */
  measures: string[];
  dimension?: string | undefined;
  filters: Filter[];
  periods: Period[];
  /** The column that periods speak of. */
  dated: string;
  rank?: { by: string; descending: boolean };
  limit?: number;
  /** The number of the one record that is asked for. */
  id?: number;
}

/** The words of a question that say something, and what is among them. */
export interface Words {
  all: readonly Token[];
  has(kind: string, value?: string): boolean;
  of(kind: string): string[];
}

const dimensionOfNoun: Readonly<Record<string, string>> = { customers: "customer", products: "product" };
const filterKinds = "status ticketstatus tier category priority country city customer product reason late".split(" ");

/** Reads a question about the tables, or says what of it no frame has a place for. */
export function readFrame(question: string, tokens: readonly Token[], now: Date): Frame | { unread: string[] } {
  const copies = tokens.map((token) => ({ ...token }));
  const all = copies.filter(({ kind }) => kind !== "filler");
  for (const [index, word] of all.entries()) relabel(word, index, all, copies, now);
  const words: Words = {
    all,
    has: (kind, value) => all.some((word) => word.kind === kind && (value === undefined || word.value === value)),
    of: (kind) => all.filter((word) => word.kind === kind).map(({ value }) => value),
  };
  const frame = frameOf(words);
  const unclear = all.filter(({ kind }) => kind === "unknown" || kind === "not");
  const left = frame ? all.filter((word, index) => !isExplained(word, index, frame, words)) : unclear;
  if (frame && left.length === 0) return frame;
  return { unread: writtenAs(question, copies, left.length > 0 ? left : all) };
}

/** Tells words apart by what stands beside them. */
function relabel(word: Token, index: number, all: readonly Token[], tokens: readonly Token[], now: Date): void {
  const [before, after] = [all[index - 1], all[index + 1]];
  const sided = [before, after].find((one) => one?.kind === "side");
  const [part = "", end = ""] = [word, all[index + 2]].map((one) => one?.period?.[0]?.[1]);
  const single = [word, all[index + 2]].every((one) => one?.period?.length === 1);
  const isRange = single && before?.kind === "between" && /^(?:to|and)$/.test(after?.kind ?? "") && end >= part;
  if (isRange) {
    word.period = [
      [">=", part],
      ["<=", end],
    ];
    for (const other of all.slice(index - 1, index + 3)) if (other !== word) other.kind = "filler";
  } else if (sided && word.period) {
    const bound = /^(?:>=|<)$/.test(sided.value) ? word.period[0] : word.period.at(-1);
    word.period = [[sided.value, withYear(bound?.[1] ?? "", now)]];
  }
  // "What did she order": a verb.
  if (/^order$/i.test(word.text) && (before?.kind === "customer" || before?.value === "customers"))
    word.kind = "bought";
  if (word.kind !== "number") return;
  const ranked = /^(?:sup|recency)$/;
  const isRecord = before?.kind === "noun" && before.value in schema && /^\d{1,15}$/.test(word.text);
  const counted = tokens[tokens.indexOf(word) + 1]?.kind ?? "";
  const limits = ranked.test(before?.kind ?? "") || ranked.test(after?.kind ?? "") || before?.kind === "list";
  // "With more than three tents" counts something else.
  if (before?.kind === "than" && !/^(?:category|product|noun)$/.test(counted)) word.kind = "bound";
  else if (isRecord && !all.some(({ kind }) => ranked.test(kind))) [before.kind, word.kind] = ["record", "id"];
  else if (limits && /^[1-9]\d{0,5}$/.test(word.value)) word.kind = "limit";
}

function frameOf(words: Words): Frame | undefined {
  const { has, of, all } = words;
  const nouns = of("noun");
  const record = of("record")[0] as Table | undefined;
  if (record && !nouns.some((noun) => noun === "refunds" || noun === "orders"))
    return {
      subject: record,
      table: record,
      measures: [],
      filters: [],
      periods: [],
      dated: "",
      id: Number(of("id")[0]),
    };
  const dimension = dimensionOf(words);
  const tables = tablesOf(
    words,
    nouns.filter((noun) => !dimension || dimensionOfNoun[noun] !== dimension)[0],
    dimension,
  );
  if (tables === undefined) return undefined;
  const [subject, table] = tables;
  const { date = "", ...columns } = schema[table].columns;
  const frame: Frame = { subject, table, measures: [], dimension, filters: [], periods: [], dated: date };
  const measures = measuresOf(words, frame);
  if (measures === undefined) return undefined;
  frame.measures = measures;
  rank(frame, words);
  // "Delivered in September" is a date of its own.
  if (has("period") && table === "orders" && of("status").join() === "delivered") frame.dated = "o.delivered_on";
  for (const kind of filterKinds) {
    if (!columns[kind] || !has(kind) || (kind === "status" && frame.dated !== date)) continue;
    const ids = all.flatMap((word) => (word.kind === kind ? (word.id ?? []) : []));
    frame.filters.push({ kind, values: [...new Set(of(kind))], ...(ids.length > 0 && { ids }) });
  }
  const recordKind = record && schema[record].one;
  if (recordKind && columns[recordKind])
    frame.filters.push({ kind: recordKind, values: of("id"), ids: of("id").map(Number) });
  const compared = comparedColumn(words, frame);
  if (has("bound") && columns[compared])
    frame.filters.push({ kind: compared, values: of("bound"), operator: of("than")[0] ?? "" });
  const periods = all.flatMap(({ kind, period }) => (kind === "period" && period ? [period] : []));
  const simple = periods.every((period) => period.length === 1 && period[0]?.[0] === "=");
  const joined = table !== "customers" || has("joined");
  if (date && joined && (simple || periods.length === 1)) frame.periods = periods;
  frame.dimension ??= splitOf(frame);
  return joined || !/^(?:month|year)$/.test(frame.dimension ?? "") ? frame : undefined;
}

const sells = ({ has }: Words): boolean => has("field", "revenue") || has("field", "units") || has("sup", "units max");

/** What the result is split by: what stands after "by", or what is ranked. */
function dimensionOf(words: Words): string | undefined {
  const { all, has, of } = words;
  const after = all.find((_, index) => all[index - 1]?.kind === "by");
  if (after?.kind === "dimension") return after.value;
  if (after?.kind === "noun") return dimensionOfNoun[after.value];
  if (!has("sup") && !/^(?:field|count)$/.test(after?.kind ?? "")) return undefined;
  const counted = has("noun", "orders") || has("sold") || has("bought");
  const noun = of("noun").find((one) => dimensionOfNoun[one]);
  return of("dimension")[0] ?? (noun && (sells(words) || counted) ? dimensionOfNoun[noun] : undefined);
}

function tablesOf(words: Words, noun = "", dimension = ""): [subject: Table, table: Table] | undefined {
  const { has } = words;
  const goods = has("category") || has("product");
  const [bought, traded] = [has("bought"), has("bought") || has("sold")];
  const stocked = has("field", "units") && has("bound");
  /** The first that holds; the table is the subject where it stands alone. */
  const choices: [boolean, Table, Table?][] = [
    [noun === "orders", "orders"],
    [noun === "refunds", "refunds"],
    [noun === "tickets", "tickets"],
    [noun === "products" && traded && !sells(words), "products", "orders"],
    [noun === "products" && stocked, "products"],
    [sells(words) || /^(?:customer|product)$/.test(dimension), "orders"],
    [noun === "customers" && has("field", "total"), "orders"],
    [noun === "customers", "customers", bought ? "orders" : "customers"],
    [noun === "products", "products"],
    [has("sold") || (goods && bought && has("count")), "orders"],
    [bought && has("which") && (goods || has("customer")), "products", "orders"],
    [has("field", "total") || has("late") || has("status"), "orders"],
    [goods || has("field") || has("sup", "price max") || has("sup", "price min"), "products"],
    [has("ticketstatus") || has("priority"), "tickets"],
    [has("sup") && dimension !== "", "orders"],
    [["tier", "city", "country", "customer", "joined"].some((kind) => has(kind)), "customers"],
  ];
  const [, subject, table = subject] = (noun !== "documents" && choices.find(([holds]) => holds)) || [];
  return subject && table && [subject, table];
}

/** How a report or a list is ordered, and how many are wanted. */
function rank(frame: Frame, { all, of }: Words): void {
  const { table, subject, measures, dimension } = frame;
  const { columns, money = "" } = schema[table];
  const [sup, recency, limit] = [of("sup")[0], of("recency")[0], of("limit")[0]];
  const ordered = sup ?? all.find(({ kind }, index) => /^(?:field|count)$/.test(kind) && all[index - 1]?.kind === "by");
  const descending = !sup?.endsWith("min");
  const named = of("field").find((field) => columns[field]) ?? money;
  const by = measures[0] ?? (sup?.startsWith("price") ? "price" : named);
  const fits = measures.length > 0 ? dimension : columns[by] && sup !== "units max";
  if (ordered && fits) frame.rank = { by, descending };
  else if (recency && measures.length === 0 && columns.date && subject === table)
    frame.rank = { by: "date", descending: recency === "last" };
  if (frame.rank && (sup || recency)) frame.limit = Number(limit ?? (isOne(all) ? 1 : 5));
  else if (limit && measures.length === 0) frame.limit = Number(limit);
}

/** Whether one thing is asked for: "the best customer", "哪个客户". */
function isOne(all: readonly Token[]): boolean {
  const head = all.find(({ kind }) => /^(?:noun|dimension|category)$/.test(kind))?.text ?? "s";
  const asksOne = all.some(({ kind, text }) => kind === "which" && /^(?:who|谁|哪(?!些))/i.test(text));
  return asksOne || /^[a-z].*[^s]$/i.test(head);
}

/** The column that a number is compared with: the one named, else the table's money; of goods, pieces are the stock. */
function comparedColumn({ has, of }: Words, { table, subject }: Frame): string {
  const { money = "" } = schema[table];
  const named =
    of("field").find((field) => field !== "revenue") ?? (has("unit") || table !== "products" ? "total" : "");
  // "Customers who spent more than …" compares a sum.
  if (subject !== table || named === "" || has("field", "revenue")) return "";
  if (table === "products") return named === "units" || named === "stock" ? "stock" : "price";
  return named === "total" ? money : named;
}

/** Several values of one kind, or several months, are shown side by side. */
function splitOf({ measures, periods, filters, rank: ranked }: Frame): string | undefined {
  if (measures.length === 0 || ranked) return undefined;
  const parts = periods.flatMap(([bound]) => bound?.[1] ?? []);
  const [months, years] = [/^(?:\d{4})?-\d\d$/, /^\d{4}$/].map((pattern) => parts.every((part) => pattern.test(part)));
  const found = filters.filter(({ values, operator }) => values.length > 1 && operator === undefined);
  const all = [...found.map(({ kind }) => kind), ...(parts.length > 1 ? [months ? "month" : years ? "year" : ""] : [])];
  return all.length === 1 ? all[0] || undefined : undefined;
}

const recordWords = /^(?:record|id|list|which|field|dimension|duration|howmuch|late|status|bought|sold)$/;

/** Whether a word has its place in the frame. What has none must not be passed over. */
function isExplained({ kind, value }: Token, index: number, frame: Frame, { all, has, of }: Words): boolean {
  const { subject, table, measures, dimension, filters, rank: ranked, periods } = frame;
  if (frame.id !== undefined) return recordWords.test(kind) || (kind === "noun" && value in dimensionOfNoun);
  const [before, after] = [all[index - 1], all[index + 1]];
  const measured = (pattern: RegExp): boolean => measures.some((name) => pattern.test(name));
  const filtered = (...kinds: string[]): boolean => filters.some((filter) => kinds.includes(filter.kind));
  const listed = subject === "products" && measures.length === 0;
  const compares = filters.some(({ operator }) => operator !== undefined);
  const narrows = measures.length + filters.length + periods.length > 0;
  const group = (word: Token | undefined): string => word?.kind.replace(/^(?:count|field)$/, "aggregate") ?? "";
  const fieldNames = value === "total" ? /total|revenue|amount/ : new RegExp(value);
  const places: Record<string, () => boolean | undefined> = {
    filler: () => true,
    list: () => true,
    which: () => true,
    count: () => measured(/^(?:count|units|stock|revenue|amount)$/),
    howmuch: () => measured(/^(?:revenue|amount|stock)$/) || listed,
    aggregate: () => (value === "sum" ? measured(/^[a-z]+$/) : measured(new RegExp(`^${value}_`))),
    by: () => {
      const split = dimension !== undefined && [after?.value, dimensionOfNoun[after?.value ?? ""]].includes(dimension);
      return (
        split || (dimension && /^(?:field|count)$/.test(after?.kind ?? "")) || !!ranked || after?.kind === "customer"
      );
    },
    sup: () => ranked && ranked.by !== "date",
    recency: () => ranked?.by === "date",
    noun: () =>
      value === subject ||
      value === table ||
      dimensionOfNoun[value] === dimension ||
      (value === "customers" && (filtered("tier", "city", "country", "customer") || measured(/^revenue$/))) ||
      (value === "products" && filtered("product", "category")),
    dimension: () => dimension === value || filtered(value, `ticket${value}`),
    field: () =>
      measured(fieldNames) || fieldNames.test(ranked?.by ?? "") || compares || (listed && value !== "revenue"),
    status: () => filtered("status") || frame.dated === "o.delivered_on",
    joined: () => table === "customers" && periods.length > 0,
    bought: () => table === "orders",
    sold: () => table === "orders" && (measures.length > 0 || subject === "products"),
    compare: () => dimension !== undefined,
    than: () => compares,
    bound: () => compares,
    unit: () => compares,
    limit: () => frame.limit !== undefined,
    record: () => filtered(schema[of("record")[0] as Table].one),
    id: () => filtered(schema[of("record")[0] as Table].one),
    period: () => periods.length > 0,
    side: () => periods.length > 0 && (before?.kind === "period" || after?.kind === "period"),
    // From the customers of Milan, sales to Germany.
    between: () => narrows && !has("to"),
    to: () => narrows,
    and: () => group(before) === group(after) && group(before) !== "noun" && narrows,
  };
  return places[kind]?.() ?? filtered(kind);
}
