import type { Period } from "../../reading/dates.ts";
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
  /** How many values of the dimension the question names. */
  compared?: number;
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
export function readFrame(question: string, tokens: readonly Token[]): Frame | { unread: string[] } {
  const copies = tokens.map((token) => ({ ...token }));
  relabel(copies);
  const all = copies.filter(({ kind }) => kind !== "filler");
  const unclear = all.filter(({ kind }) => kind === "unknown" || kind === "not");
  const words: Words = {
    all,
    has: (kind, value) => all.some((word) => word.kind === kind && (value === undefined || word.value === value)),
    of: (kind) => all.filter((word) => word.kind === kind).map(({ value }) => value),
  };
  const frame = frameOf(words);
  const unexplained = all.filter((word, index) => !frame || !isExplained(word, index, frame, words));
  const left = !frame && unclear.length > 0 ? unclear : unexplained;
  return frame && left.length === 0 ? frame : { unread: writtenAs(question, copies, left) };
}

/** Tells numbers apart by what stands beside them: of a record, of a comparison, or how many are wanted. */
function relabel(tokens: Token[]): void {
  const words = tokens.filter(({ kind }) => kind !== "filler");
  const ranked = words.some(({ kind }) => /^(?:sup|recency|than)$/.test(kind));
  for (const [index, word] of words.entries()) {
    const [before, after] = [words[index - 1], words[index + 1]];
    // "What did she order": a verb.
    if (/^order$/i.test(word.text) && (before?.kind === "customer" || before?.value === "customers"))
      word.kind = "bought";
    if (word.kind !== "number") continue;
    const beside = tokens[tokens.indexOf(word) + 1]?.kind ?? "";
    const isNoun = before?.kind === "noun" && before.value in schema;
    if (before?.kind === "than") word.kind = /^(?:category|product|noun)$/.test(beside) ? "number" : "bound";
    else if (isNoun && !ranked && /^\d{1,15}$/.test(word.text)) [before.kind, word.kind] = ["record", "id"];
    else if (
      /^[1-9]\d{0,5}$/.test(word.value) &&
      [before?.kind, after?.kind].some((kind) => /^(?:sup|recency)$/.test(kind ?? ""))
    )
      word.kind = "limit";
    else if (before?.kind === "list" && after?.kind === "noun") word.kind = "limit";
  }
}

function frameOf(words: Words): Frame | undefined {
  const nouns = words.of("noun");
  const record = words.of("record")[0] as Table | undefined;
  const empty = { measures: [], filters: [], periods: [], dated: "" };
  if (record && !nouns.some((noun) => noun === "refunds" || noun === "orders"))
    return { ...empty, subject: record, table: record, id: Number(words.of("id")[0]) };
  const dimension = dimensionOf(words);
  const tables = tablesOf(
    words,
    nouns.filter((noun) => !dimension || dimensionOfNoun[noun] !== dimension)[0],
    dimension,
  );
  if (tables === undefined) return undefined;
  const [subject, table] = tables;
  const { date = "", ...columns } = schema[table].columns;
  const frame: Frame = { ...empty, subject, table, dimension, dated: date, filters: [] };
  const measures = measuresOf(words, frame);
  if (measures === undefined) return undefined;
  frame.measures = measures;
  rank(frame, words);
  for (const kind of filterKinds.filter((one) => columns[one] !== undefined && words.has(one))) {
    const found = words.all.filter((word) => word.kind === kind);
    const ids = found.flatMap(({ id }) => id ?? []);
    // "Delivered in September" is a date of its own.
    if (kind === "status" && found.length === 1 && found[0]?.value === "delivered" && words.has("period"))
      frame.dated = "o.delivered_on";
    else frame.filters.push({ kind, values: [...new Set(words.of(kind))], ...(ids.length > 0 && { ids }) });
  }
  const recordKind = record && schema[record].one;
  if (recordKind && columns[recordKind])
    frame.filters.push({ kind: recordKind, values: words.of("id"), ids: words.of("id").map(Number) });
  const compared = comparedColumn(words, frame);
  if (words.has("bound") && columns[compared])
    frame.filters.push({ kind: compared, values: words.of("bound"), operator: words.of("than")[0] ?? ">" });
  const periods = words.all.flatMap(({ period }) => (period ? [period] : []));
  const simple = periods.every((period) => period.length === 1 && period[0]?.[0] === "=");
  if (date && (table !== "customers" || words.has("joined")) && (simple || periods.length === 1))
    frame.periods = periods;
  compare(frame);
  const needsDate = /^(?:month|year)$/.test(frame.dimension ?? "");
  return needsDate && table === "customers" && !words.has("joined") ? undefined : frame;
}

/** What the result is split by: what stands after "by", or what is ranked. */
function dimensionOf(words: Words): string | undefined {
  const after = words.all.find((_, index) => words.all[index - 1]?.kind === "by");
  const [noun] = words.of("noun").filter((one) => dimensionOfNoun[one]);
  if (after?.kind === "dimension") return after.value;
  if (after?.kind === "noun") return dimensionOfNoun[after.value];
  const ranked = words.has("sup") || after?.kind === "field";
  const sales = words.has("field", "revenue") || words.has("field", "units") || words.has("sup", "units max");
  if (!ranked) return undefined;
  const other = words.has("noun", "orders") || words.has("sold") || words.has("bought");
  return words.of("dimension")[0] ?? (noun && (sales || other) ? dimensionOfNoun[noun] : undefined);
}

function tablesOf(words: Words, noun: string | undefined, dimension = ""): [subject: Table, table: Table] | undefined {
  const { has } = words;
  const goods = has("category") || has("product");
  const sales = has("field", "revenue") || has("field", "units") || has("sup", "units max");
  const [bought, sold] = [has("bought"), has("sold")];
  const same = (table: Table): [Table, Table] => [table, table];
  if (noun === "orders" || noun === "refunds" || noun === "tickets") return same(noun);
  if (noun === "products" && (bought || sold) && !sales) return ["products", "orders"];
  if (noun === "products" && has("field", "units") && has("bound")) return same("products");
  if (sales || /^(?:customer|product)$/.test(dimension)) return same("orders");
  if (noun === "customers") return ["customers", bought ? "orders" : "customers"];
  if (noun === "products") return same("products");
  if (noun !== undefined) return undefined;
  if (sold || (goods && bought && has("count"))) return same("orders");
  if (goods && bought) return ["products", "orders"];
  if (has("field", "total") || has("late") || has("status")) return same("orders");
  if (goods || has("field") || has("sup", "price max") || has("sup", "price min")) return same("products");
  if (has("ticketstatus") || has("priority")) return same("tickets");
  if (has("sup") && dimension !== "") return same("orders");
  return ["tier", "city", "country", "customer", "joined"].some((kind) => has(kind)) ? same("customers") : undefined;
}

/** How a report or a list is ordered, and how many are wanted. */
function rank(frame: Frame, words: Words): void {
  const { table, subject, measures, dimension } = frame;
  const { columns, money } = schema[table];
  const [sup, recency, limit] = [words.of("sup")[0], words.of("recency")[0], words.of("limit")[0]];
  const ordered = words.all.some(({ kind }, index) => kind === "field" && words.all[index - 1]?.kind === "by");
  const descending = !sup?.endsWith("min");
  if (measures.length > 0 && dimension && (sup || ordered)) frame.rank = { by: measures[0] ?? "", descending };
  if (measures.length === 0 && (sup || ordered)) {
    const named = words.of("field").map((field) => (field === "total" ? (money ?? "") : field));
    const by = sup?.startsWith("price") ? "price" : (named.find((field) => columns[field]) ?? money);
    if (by && columns[by] && sup !== "units max") frame.rank = { by, descending };
  }
  if (measures.length === 0 && recency && columns.date && subject === table)
    frame.rank = { by: "date", descending: recency === "last" };
  if (frame.rank && (sup || recency)) frame.limit = Number(limit ?? (isOne(words) ? 1 : 5));
  else if (limit && measures.length === 0) frame.limit = Number(limit);
}

/** Whether one thing is asked for: "the best customer", "哪个客户". */
function isOne({ all }: Words): boolean {
  const head = all.find(({ kind }) => /^(?:noun|dimension|category)$/.test(kind));
  if (all.some(({ kind, text }) => kind === "which" && /^(?:who|谁|哪(?!些))/i.test(text))) return true;
  return head !== undefined && /^[a-z]/i.test(head.text) && !/s$/i.test(head.text);
}

/** The column that a number is compared with: the one named, else the table's money; of goods, pieces are the stock. */
function comparedColumn({ has, of }: Words, { table, subject }: Frame): string {
  const { money = "" } = schema[table];
  const named =
    of("field").find((field) => field !== "revenue") ?? (has("unit") || table !== "products" ? "total" : "");
  if (subject !== table) return "";
  if (table === "products") return named === "units" || named === "stock" ? "stock" : "price";
  return named === "total" ? money : named;
}

/** Several values of one kind, or several months, are shown side by side. */
function compare(frame: Frame): void {
  const { measures, dimension, periods, filters, rank: ranked } = frame;
  if (measures.length === 0 || dimension !== undefined || ranked) return;
  const parts = periods.flatMap(([bound]) => bound?.[1] ?? []);
  const unit = parts.every((part) => /^(?:\d{4})?-\d\d$/.test(part)) ? "month" : "year";
  const found = filters.filter(({ values, operator }) => values.length > 1 && operator === undefined);
  const all = found.map(({ kind, values }) => [kind, values.length] as const);
  if (parts.length > 1 && (unit === "month" || parts.every((part) => part.length === 4)))
    all.push([unit, parts.length]);
  const [only] = all;
  if (only && all.length === 1) [frame.dimension, frame.compared] = only;
}

const recordWords = /^(?:record|id|list|which|field|dimension|duration|howmuch|late|status|bought|sold)$/;

/** Whether a word has its place in the frame. What has none must not be passed over. */
function isExplained(word: Token, index: number, frame: Frame, { all, has }: Words): boolean {
  const { subject, table, measures, dimension, filters, rank: ranked, periods } = frame;
  const { kind, value } = word;
  const [before, after] = [all[index - 1], all[index + 1]];
  const measured = (pattern: RegExp): boolean => measures.some((name) => pattern.test(name));
  const filtered = (...kinds: string[]): boolean => filters.some((filter) => kinds.includes(filter.kind));
  if (frame.id !== undefined) return recordWords.test(kind) || (kind === "noun" && value in dimensionOfNoun);
  switch (kind) {
    case "list":
    case "which":
      return true;
    case "count":
      return measured(/^(?:count|units|stock|revenue|amount)$/);
    case "howmuch":
      return measured(/^(?:revenue|amount|stock)$/) || (subject === "products" && measures.length === 0);
    case "aggregate":
      return value === "sum" ? measured(/^(?:revenue|amount|units|stock|count)$/) : measured(new RegExp(`^${value}_`));
    case "by":
      return after !== undefined && /^(?:dimension|noun|field)$/.test(after.kind);
    case "sup":
      return ranked !== undefined && ranked.by !== "date";
    case "recency":
      return ranked?.by === "date";
    case "noun": {
      const person =
        value === "customers" && (filtered("tier", "city", "country", "customer") || measured(/^revenue$/));
      const goods = value === "products" && filtered("product", "category");
      return value === subject || value === table || dimensionOfNoun[value] === dimension || person || goods;
    }
    case "dimension":
      return dimension === value || filtered(value, `ticket${value}`);
    case "field": {
      const names = value === "total" ? /total|revenue|amount/ : new RegExp(value);
      const listed = subject === "products" && table === subject && measures.length === 0 && value !== "revenue";
      return measured(names) || names.test(ranked?.by ?? "") || has("bound") || listed;
    }
    case "status":
      return filtered("status") || frame.dated === "o.delivered_on";
    case "joined":
      return table === "customers" && periods.length > 0;
    case "bought":
      return table === "orders";
    case "sold":
      return table === "orders" && (measures.length > 0 || subject === "products");
    case "compare":
      return dimension !== undefined;
    case "than":
    case "bound":
    case "unit":
      return filters.some(({ operator }) => operator !== undefined);
    case "limit":
      return frame.limit !== undefined;
    case "record":
    case "id":
      return filtered(schema[(all.find((one) => one.kind === "record")?.value ?? "orders") as Table].one);
    case "period":
      return periods.length > 0;
    case "and": {
      const group = (one: Token | undefined): string =>
        one?.kind.replace(/^(?:count|field|howmuch)$/, "aggregate") ?? "";
      return (
        group(before) === group(after) &&
        group(before) !== "noun" &&
        (measures.length > 0 || filters.length > 0 || periods.length > 0)
      );
    }
    default:
      return filtered(kind);
  }
}
