import type { Period } from "./dates.ts";
import { readMeasures } from "./measures.ts";
import { readComparison, readFilters, readRest } from "./narrowing.ts";
import { schema, type Table } from "./schema.ts";
import type { Token } from "./tokens.ts";
import { Words } from "./words.ts";

/** What narrows a question: a column's values, or a comparison with a number. */
export interface Filter {
  kind: string;
  values: string[];
  /** Numbers of customers or products, where the values are their names. */
  ids?: number[];
  /** For comparisons. */
  operator?: string;
}

/** A question about the shop's tables, whatever language it was asked in: a list of rows, unless it says more. */
export interface Frame {
  /** What is counted or listed, and the tables it is read from. */
  subject: Table;
  base: Table;
  /** What is reported, in the order of the columns: `count`, or a field with its aggregate. */
  measures: string[];
  dimension?: string | undefined;
  filters: Filter[];
  periods: Period[];
  /** What periods speak of. */
  dated: "date" | "delivered";
  /** Several periods or several values of this kind are shown side by side. */
  split?: string | undefined;
  rank?: { by: string; descending: boolean };
  limit?: number;
  /** The number of the one record that is asked for. */
  id?: number;
}

/** A question while it is read. */
export type Question = ReturnType<typeof readOrder>;

const people = /^(?:customers|products)$/;

/** Reads a question about the tables. It marks the tokens it could use; where one is left, the frame must not be answered. */
export function readFrame(all: readonly Token[]): Frame | undefined {
  const words = new Words(all);
  const frame: Frame = { subject: "orders", base: "orders", measures: [], filters: [], periods: [], dated: "date" };
  const record = recordOf(words);
  for (const token of record?.tokens ?? []) token.used = true;
  const others = words.open("noun").map(({ value }) => value);
  const narrows = others.includes("refunds") || (record?.table !== "orders" && others.includes("orders"));
  if (record && !narrows) {
    words.use("noun", ({ value }) => people.test(value) && record.table === "orders");
    for (const kind of "list which field dimension duration howmuch late status bought sold".split(" "))
      words.use(kind);
    return { ...frame, subject: record.table, base: record.table, id: record.id };
  }
  const question = readOrder(words, frame);
  if (!readTables(question)) return undefined;
  const { base } = frame;
  const { columns } = schema[base];
  const list = (question.sup !== undefined || question.ordered) && frame.dimension === undefined;
  if (!list || words.has("aggregate", "median") || words.has("aggregate", "stdev"))
    frame.measures = readMeasures(question);
  if (!readRank(question)) return undefined;
  words.use("list");
  words.use("which");
  if (record) {
    const kind = { orders: "order", customers: "customer", products: "product" }[record.table as string] ?? "";
    if (columns[kind] === undefined) return undefined;
    frame.filters.push({ kind, values: [String(record.id)], ids: [record.id] });
  }
  readFilters(question);
  for (const { than, number } of question.comparisons) readComparison(question, than, number);
  const joined = base === "customers" && words.use("joined");
  if (columns.date !== undefined && (base !== "customers" || joined)) {
    frame.periods = words.open("period").flatMap(({ period }) => period ?? []);
    words.use("period");
  }
  const { dimension, periods } = frame;
  if (base === "customers" && !joined && /^(?:month|year)$/.test(dimension ?? "")) return undefined;
  if (dimension !== undefined && (isList(frame) || dimensionSql(frame) === undefined)) return undefined;
  // "New customers" without a date says nothing that can be queried.
  if (joined && periods.length === 0 && dimension === undefined) return undefined;
  return readRest(question) ? frame : undefined;
}

/** Whether rows are asked for, and no numbers of them. */
const isList = ({ measures }: Frame): boolean => measures.length === 0;

/** A table's name and a number behind it: `order 1042`, `工单 3`. */
function recordOf(words: Words): { table: Table; id: number; tokens: Token[] } | undefined {
  // "The last orders 5" is no record.
  if (words.open("sup", "recency", "than").length > 0) return undefined;
  for (const token of words.open("noun")) {
    const number = words.next(token);
    const table = token.value as Table;
    if (schema[table]?.record === undefined || number?.kind !== "number" || !/^\d{1,15}$/.test(number.text)) continue;
    return { table, id: Number(number.value), tokens: [token, number] };
  }
  return undefined;
}

/** What the result is split by, how it is ordered, and how many are wanted. */
function readOrder(words: Words, frame: Frame) {
  let ordered = false;
  for (const by of words.open("by")) {
    const what = words.next(by);
    if (what === undefined || what.used) continue;
    const dimension = dimensionOf(what);
    if (dimension !== undefined && frame.dimension === undefined) {
      frame.dimension = dimension;
      what.used = true;
    } else if (/^(?:field|count|noun|aggregate)$/.test(what.kind)) ordered = true;
    by.used = true;
  }
  if (frame.dimension === undefined) frame.dimension = words.take("dimension", ({ text }) => /ly$/i.test(text))?.value;
  const sup = words.take("sup");
  const recency = sup ? undefined : words.take("recency");
  // "Most", "best-selling" and what they speak of.
  const asked = sup?.value.split(" ") ?? [];
  const comparisons = words.open("than").flatMap((than) => {
    const number = words.next(than);
    if (number?.kind !== "number") return [];
    than.used = number.used = true;
    return [{ than, number }];
  });
  const count = words.open("count")[0];
  const wanted = words.open("number")[0];
  // "The last five", "show 5 orders", but not "show orders of 500".
  const limits =
    wanted &&
    (/^(?:sup|recency|list)$/.test(words.before(wanted)?.kind ?? "") ||
      /^(?:noun|sup|recency|category|status|late|tier)$/.test(words.next(wanted)?.kind ?? ""));
  if (limits && /^[1-9]\d{0,5}$/.test(wanted.value) && (sup || recency || (words.has("list") && !count)))
    frame.limit = Number(words.take("number")?.value);
  // "How many tents": the kind of goods that are counted.
  const head = count && words.next(count);
  const isGoods = head && /^(?:category|product|unknown)$/.test(head.kind) && words.next(head)?.kind !== "noun";
  const [first] = words.open("noun");
  for (const token of words.open("noun")) {
    // "How many tents did she order", "which customers order tents": a verb.
    const verb = /^order$/i.test(token.text) && (isGoods || (first !== token && people.test(first?.value ?? "")));
    if (verb) token.kind = "bought";
  }
  return {
    words,
    frame,
    sup,
    recency,
    asked,
    descending: sup ? asked.at(-1) === "max" : recency?.value === "last",
    // "Compare them by revenue" names only the measure.
    ordered: ordered && words.has("noun"),
    comparisons,
    count,
    goods: isGoods ? head : undefined,
    bought: words.has("bought"),
    sold: words.has("sold"),
    /** What a ranking ranks, and the table that is named first. */
    ranked: undefined as Token | undefined,
    noun: undefined as string | undefined,
  };
}

/** What is asked about, and the tables that it takes; false where they are none that can be asked about. */
function readTables(question: Question): boolean {
  const { words, frame, sup, ordered } = question;
  if ((sup || ordered) && frame.dimension === undefined) frame.dimension = rankedBy(question);
  question.noun = words.open("noun")[0]?.value;
  const tables = question.noun === "documents" ? undefined : tablesOf(question);
  if (tables) [frame.subject, frame.base] = tables;
  return tables !== undefined;
}

/** The dimension of a ranking: which customers, products, cities, months … */
function rankedBy(question: Question): string | undefined {
  const { words, asked, bought, sold } = question;
  question.ranked = words.take("dimension");
  if (question.ranked) return question.ranked.value;
  const found = words.open("noun");
  const thing = found.find(({ value }) => people.test(value));
  const sells = words.has("field", "revenue") || words.has("field", "units") || asked[0] === "units";
  const measured = sells || bought || sold || found.some((token) => token !== thing);
  const ofGoods = words.has("field", "price") || words.has("field", "stock") || asked[0] === "price";
  if (thing && !ofGoods && (measured || asked.length === 1)) {
    question.ranked = words.take("noun", (token) => token === thing);
    return dimensionOf(thing);
  }
  if (found.length > 0) return undefined;
  if (words.written("which", /^(?:who|谁)/i) && (words.has("field", "revenue") || bought)) return "customer";
  return words.has("category") && measured ? "product" : undefined;
}

function dimensionOf({ kind, value }: Token): string | undefined {
  if (kind === "dimension") return value;
  return kind === "noun" ? { customers: "customer", products: "product" }[value] : undefined;
}

function tablesOf(question: Question): [subject: Table, base: Table] | undefined {
  const { words, frame, sup, asked, bought, sold, goods, noun } = question;
  const has = (...kinds: string[]): boolean => words.open(...kinds).length > 0;
  const named = (...fields: string[]): boolean => fields.some((field) => words.has("field", field));
  const units = asked[0] === "units";
  const selling = units || named("revenue", "units", "total", "order mean");
  const who = words.written("which", /^(?:who|谁)/i);
  if (noun === "customers" && !selling) return ["customers", bought ? "orders" : "customers"];
  if (noun === "products" && !units && !named("revenue")) return ["products", bought || sold ? "orders" : "products"];
  if (noun !== undefined) return people.test(noun) ? ["orders", "orders"] : [noun as Table, noun as Table];
  if (frame.dimension !== undefined && sup && !named("price", "stock")) return ["orders", "orders"];
  if (selling || (sold && !goods)) return ["orders", "orders"];
  if (goods) return bought || sold ? ["orders", "orders"] : ["products", "products"];
  if (named("price", "stock") || asked[0] === "price") return ["products", "products"];
  if (has("late", "status")) return ["orders", "orders"];
  if (has("ticketstatus", "priority")) return ["tickets", "tickets"];
  if (has("category", "product") && !bought) return ["products", "products"];
  if (has("category", "product") && who) return ["customers", "orders"];
  if (bought && has("which")) return [who ? "customers" : "products", "orders"];
  if (has("tier", "city", "country", "customer", "joined")) return ["customers", "customers"];
  return has("reason") ? ["refunds", "refunds"] : undefined;
}

/** How a report or a list is ranked; false where there is nothing to rank by. */
function readRank({ words, frame, sup, recency, asked, descending, ordered, ranked }: Question): boolean {
  const { base } = frame;
  const { columns, money } = schema[base];
  const one = (token: Token | undefined): number => (isOne(words, token) ? 1 : 5);
  const thing = words.open("noun")[0] ?? words.content.find(({ kind }) => kind === "category");
  if (!isList(frame) && (sup || ordered)) {
    // The highest of several statistics is none of them.
    if (sup && frame.measures.length > 3) sup.used = false;
    frame.rank = { by: frame.measures[0] ?? "count", descending: sup === undefined || descending };
    if (sup) frame.limit ??= one(ranked);
  }
  if (isList(frame) && (sup || ordered)) {
    const field = words.open("field").find(({ value }) => columns[value])?.value ?? (sup ? money : undefined);
    const by = asked[0] === "price" ? "price" : field;
    if (by === undefined || columns[by] === undefined || asked[0] === "units") return false;
    frame.rank = { by, descending: sup === undefined || descending };
    words.use("field", ({ value }) => value === by || (value === "total" && base === "refunds"));
    if (sup) frame.limit ??= one(thing);
  }
  if (recency && isList(frame) && columns.date !== undefined) {
    frame.rank = { by: "date", descending };
    frame.limit ??= one(thing);
  } else if (recency) recency.used = false;
  if (!isList(frame)) return true;
  if (base === "products") {
    words.use("howmuch");
    words.use("field", ({ value }) => value === "price" || value === "stock");
  }
  words.use("field", ({ value }) => value === money);
  return true;
}

/** Whether one thing is asked for: "the best customer", "哪个客户". */
function isOne(words: Words, token: Token | undefined): boolean {
  if (words.written("which", /^(?:谁|什么|哪)/) && !words.written("which", /哪些/)) return true;
  if (token === undefined) return words.written("which", /^who/i);
  return (/^[a-z]/i.test(token.text) && !/s$/i.test(token.text)) || token.value === "status";
}

/** What a dimension is in SQL; undefined where a table can't be split by it. */
export function dimensionSql({ base, dimension = "", dated }: Frame): string | undefined {
  const { columns } = schema[base];
  const date = dated === "delivered" ? "o.delivered_on" : columns.date;
  if (dimension === "month") return date && `substr(${date}, 1, 7)`;
  if (dimension === "year") return date && `substr(${date}, 1, 4)`;
  if (dimension === "status" && base === "tickets") return columns.ticketstatus;
  if (dimension === "customer") return columns.customer && "c.name";
  if (dimension === "product") return base === "orders" ? "p.name" : undefined;
  return columns[dimension];
}
