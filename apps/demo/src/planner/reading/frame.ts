import type { Period } from "./dates.ts";
import type { Token } from "./tokens.ts";

/** A table that can be asked about. */
export type Table = "orders" | "customers" | "products" | "order_items" | "refunds" | "tickets" | "notifications";

/** What narrows a question: a column's values, or a comparison with a number. */
export interface Filter {
  kind: string;
  values: string[];
  /** Numbers of customers or products, where the values are their names. */
  ids?: number[];
  /** For comparisons. */
  operator?: string;
}

/** A question about the shop's tables, whatever language it was asked in. */
export interface Frame {
  act: "rows" | "report" | "statistics" | "record";
  /** What is counted or listed, and the tables it is read from. */
  subject: Table;
  base: Table;
  /** For reports, in the order of the columns: `count`, or a field with its aggregate. */
  measures: string[];
  dimension?: string | undefined;
  filters: Filter[];
  periods: Period[];
  /** The column that periods speak of. */
  dated: string;
  /** Several periods or several values of this kind are told side by side. */
  split?: string | undefined;
  rank?: { by: string; descending: boolean };
  limit?: number;
  /** For records. */
  id?: number;
}

/** What a table can be narrowed and split by, in SQL. */
export const columns: Record<Table, Record<string, string>> = {
  orders: {
    status: "o.status",
    customer: "c.id",
    city: "c.city",
    country: "c.country",
    tier: "c.tier",
    product: "p.id",
    category: "p.category",
    late: "o.delivered_on > o.promised_on",
    date: "o.ordered_on",
    total: "o.total",
  },
  customers: {
    customer: "c.id",
    city: "c.city",
    country: "c.country",
    tier: "c.tier",
    joined: "",
    date: "c.joined_on",
  },
  products: { product: "p.id", category: "p.category", price: "p.price", stock: "p.stock" },
  order_items: { product: "p.id", category: "p.category", order: "o.id" },
  refunds: {
    customer: "c.id",
    city: "c.city",
    country: "c.country",
    tier: "c.tier",
    reason: "r.reason",
    order: "r.order_id",
    date: "r.requested_on",
    amount: "r.amount",
  },
  tickets: { ticketstatus: "t.status", priority: "t.priority", date: "substr(t.created_at, 1, 10)" },
  notifications: { date: "substr(n.sent_at, 1, 10)" },
};

const filterKinds = [
  "status",
  "ticketstatus",
  "tier",
  "category",
  "priority",
  "country",
  "city",
  "customer",
  "product",
  "reason",
  "late",
];
/** What a table is ranked, summed and averaged by, unless another field is named. */
const money: Partial<Record<Table, string>> = { orders: "total", refunds: "amount", products: "price" };
const recordTables: readonly string[] = ["orders", "customers", "products", "refunds", "tickets"];

/** Reads a question about the tables. It marks the tokens it could use; where one is left, the frame must not be answered. */
export function readFrame(all: readonly Token[]): Frame | undefined {
  const open = (...kinds: string[]): Token[] => all.filter(({ kind, used }) => !used && kinds.includes(kind));
  const next = (token: Token): Token | undefined =>
    all.slice(all.indexOf(token) + 1).find(({ kind }) => kind !== "filler");
  const use = <Found extends Token | undefined>(token: Found): Found => {
    if (token) token.used = true;
    return token;
  };
  const useAll = (...kinds: string[]): boolean => open(...kinds).map(use).length > 0;
  const someText = (kind: string, pattern: RegExp): boolean =>
    all.some((token) => token.kind === kind && pattern.test(token.text));

  const record = recordOf(all, next);
  const others = open("noun").filter((token) => !record?.tokens.includes(token));
  const narrows =
    (record?.table === "orders" && others.some(({ value }) => value === "refunds")) ||
    (/^(?:customers|products)$/.test(record?.table ?? "") &&
      others.some(({ value }) => value === "orders" || value === "refunds"));
  if (record && !narrows) {
    for (const token of record.tokens) use(token);
    for (const token of open("noun"))
      if (/^(?:customers|products)$/.test(token.value) && record.table === "orders") use(token);
    useAll("list", "which", "field", "dimension", "duration", "howmuch", "late", "status", "bought", "sold");
    const table = record.table as Table;
    return {
      act: "record",
      subject: table,
      base: table,
      measures: [],
      filters: [],
      periods: [],
      dated: "date",
      id: record.id,
    };
  }

  for (const token of record?.tokens ?? []) use(token);
  const frame: Frame = {
    act: "rows",
    subject: "orders",
    base: "orders",
    measures: [],
    filters: [],
    periods: [],
    dated: "date",
  };
  // 1. What the result is split by.
  let ordered = false;
  for (const by of open("by")) {
    const what = next(by);
    if (what === undefined || what.used) continue;
    const dimension = dimensionOf(what);
    if (dimension !== undefined && frame.dimension === undefined) {
      frame.dimension = dimension;
      use(what);
    } else if (/^(?:field|count|noun|aggregate)$/.test(what.kind)) ordered = true;
    use(by);
  }
  const periodical = open("dimension").find(({ text }) => /ly$/i.test(text));
  if (periodical && frame.dimension === undefined) frame.dimension = use(periodical).value;

  // 2. What it is ranked by, and how many are wanted.
  const sup = use(open("sup")[0]);
  const recency = sup ? undefined : use(open("recency")[0]);
  const asked = sup?.value.split(" ") ?? [];
  const descending = sup ? asked.at(-1) === "max" : recency?.value === "last";
  const comparisons = open("than").flatMap((than) => {
    const number = next(than);
    return number?.kind === "number" && !number.used ? [{ than, number }] : [];
  });
  for (const { than, number } of comparisons) use(than) && use(number);
  const count = open("count")[0];
  const wanted = open("number")[0];
  const content = all.filter(({ kind }) => kind !== "filler");
  const before = wanted && content[content.indexOf(wanted) - 1]?.kind;
  const after = wanted && next(wanted)?.kind;
  // "The last five", "show 5 orders", but not "show orders of 500".
  const limits =
    /^(?:sup|recency|list)$/.test(before ?? "") || /^(?:noun|sup|recency|category|status|late|tier)$/.test(after ?? "");
  if (
    wanted &&
    limits &&
    /^[1-9]\d{0,5}$/.test(wanted.value) &&
    (sup || recency || (open("list").length > 0 && !count))
  )
    frame.limit = Number(use(wanted).value);

  // 3. What is counted: the first noun, unless a kind of goods stands first.
  const head = count && next(count);
  const goods =
    head && ["category", "product", "unknown"].includes(head.kind) && next(head)?.kind !== "noun" ? head : undefined;
  for (const token of open("noun")) {
    // "How many tents did she order", "which customers order tents": a verb.
    const first = open("noun")[0];
    const verb =
      /^order$/i.test(token.text) &&
      (goods !== undefined || (first !== token && /^(?:customers|products)$/.test(first?.value ?? "")));
    if (verb) token.kind = "bought";
  }
  const bought = open("bought").length > 0;
  const sold = open("sold").length > 0;
  const fields = open("field");
  const field = (name: string): boolean => fields.some(({ value }) => value === name);
  const aggregates = open("aggregate").map(({ value }) => value);
  if (field("order mean")) aggregates.push("mean");
  let ranked: Token | undefined;
  // "Compare them by revenue" names only the measure.
  if (open("noun").length === 0) ordered = false;
  if ((sup || ordered) && frame.dimension === undefined) frame.dimension = rankedBy();
  const nouns = open("noun");
  const noun = nouns[0]?.value;
  if (noun === "documents") return undefined;
  const bases = tablesOf();
  if (bases === undefined) return undefined;
  [frame.subject, frame.base] = bases;
  const { base } = frame;

  // 4. Measures.
  const summed = money[base];
  if (aggregates.some((name) => name === "median" || name === "stdev")) {
    const of = open("field").find(
      ({ value }) => value === summed || (value === "total" && summed === "amount") || columns[base][value],
    );
    frame.measures = [...new Set(aggregates)].filter((name) => name !== "sum");
    if (summed === undefined || frame.subject !== base) return undefined;
    frame.act = "statistics";
    frame.rank = { by: of && columns[base][of.value] ? of.value : summed, descending: false };
    use(of);
    for (const token of open("aggregate")) if (token.value !== "sum") use(token);
  } else if ((sup === undefined && !ordered) || frame.dimension !== undefined) {
    frame.measures = measuresOf();
    if (frame.measures.length > 0) frame.act = "report";
  }
  if (frame.act === "report" && (sup || ordered)) {
    frame.rank = { by: frame.measures[0] ?? "count", descending: sup === undefined || descending };
    if (sup) frame.limit ??= isOne(ranked) ? 1 : 5;
  }
  if (frame.act === "rows" && (sup || ordered)) {
    const of =
      asked[0] === "price"
        ? "price"
        : (open("field").find(({ value }) => columns[base][value])?.value ?? (sup ? summed : undefined));
    if (of === undefined || columns[base][of] === undefined || asked[0] === "units") return undefined;
    frame.rank = { by: of, descending: sup === undefined || descending };
    for (const token of open("field"))
      if (token.value === of || (token.value === "total" && base === "refunds")) use(token);
    if (sup) frame.limit ??= isOne(nouns[0] ?? all.find(({ kind }) => kind === "category")) ? 1 : 5;
  }
  if (recency) {
    if (frame.act !== "rows" || columns[base].date === undefined) recency.used = false;
    else {
      frame.rank = { by: "date", descending };
      frame.limit ??= isOne(nouns[0] ?? all.find(({ kind }) => kind === "category")) ? 1 : 5;
    }
  }
  if (frame.act !== "report") {
    useAll("list", "which");
    for (const token of open("howmuch", "field"))
      if (frame.act === "rows" && base === "products" && /^(?:price|stock)$|^$/.test(token.value)) use(token);
    for (const token of open("field")) if (frame.act === "rows" && token.value === summed) use(token);
  } else useAll("list", "which");

  // 5. What narrows it.
  if (record) {
    const kind = { orders: "order", customers: "customer", products: "product" }[record.table] ?? "";
    if (columns[base][kind] === undefined) return undefined;
    frame.filters.push({ kind, values: [String(record.id)], ids: [record.id] });
  }
  for (const kind of filterKinds) {
    const found = open(kind);
    if (found.length === 0 || columns[base][kind] === undefined) continue;
    const ids = found.flatMap((token) => token.ids ?? []);
    // "Delivered in September" is a date of its own.
    if (kind === "status" && found.length === 1 && found[0]?.value === "delivered" && open("period").length > 0)
      frame.dated = "delivered";
    else
      frame.filters.push({
        kind,
        values: [...new Set(found.map(({ value }) => value))],
        ...(ids.length > 0 && { ids }),
      });
    found.map(use);
  }
  for (const { than, number } of comparisons) {
    const following = all[all.indexOf(number) + 1];
    const unit = following?.kind === "unit" || following?.kind === "field" ? following : undefined;
    const of = open("field").find(({ value }) => columns[base][value] || (value === "price" && base === "orders"));
    const pieces = base === "products" && /^(?:units|stock)$/.test(unit?.value ?? "");
    const named =
      (of?.value === "price" ? money[base] : of?.value) ??
      (pieces ? "stock" : base !== "products" || unit?.kind === "unit" ? summed : undefined);
    // "Orders with more than three tents" counts something else.
    const counted =
      following !== undefined && unit === undefined && following.kind !== "filler" && following.kind !== "period";
    if (
      named === undefined ||
      counted ||
      (base === "orders" && noun === "customers") ||
      (unit?.value === "units" && !pieces) ||
      columns[base][named] === undefined ||
      frame.subject !== base
    ) {
      than.used = number.used = false;
      continue;
    }
    use(of);
    if (unit?.kind === "unit" || (base === "products" && unit?.value === "units")) use(unit);
    // "Fewer than 12 units in stock".
    if (named === "stock") for (const token of open("field")) if (/^(?:stock|units)$/.test(token.value)) use(token);
    frame.filters.push({ kind: named, values: [number.value], operator: than.value });
  }
  const joined = base === "customers" && useAll("joined");
  if (columns[base].date !== undefined && (base !== "customers" || joined))
    frame.periods = open("period").map((token) => use(token).period as Period);
  if (base === "customers" && !joined && /^(?:month|year)$/.test(frame.dimension ?? "")) return undefined;
  if (frame.act === "rows" && frame.dimension !== undefined) return undefined;
  if (frame.dimension !== undefined && dimensionSql(base, frame.dimension, frame.dated) === undefined) return undefined;
  // "New customers" without a date says nothing that can be queried.
  if (joined && frame.periods.length === 0 && frame.dimension === undefined) return undefined;
  if (base === "orders") {
    useAll("bought");
    if (frame.act !== "rows" || frame.subject === "products") useAll("sold");
  }
  // Goods and people that were named by a filter: "gold customers", "customer Marta Rossi", "products of the category tents".
  for (const token of nouns) {
    if (token.used) continue;
    const own = token.value === noun && token === nouns[0];
    const person =
      token.value === "customers" && frame.filters.some(({ kind }) => /^(?:tier|city|country|customer)$/.test(kind));
    const thing = token.value === "products" && frame.filters.some(({ kind }) => /^(?:product|category)$/.test(kind));
    const spent = token.value === "customers" && base === "orders" && frame.act === "report" && token === nouns[0];
    if (own || person || thing || spent) use(token);
  }
  // "Status shipped", "the category tents", "city Milan".
  for (const token of open("dimension")) {
    const value = token.value === "status" && base === "tickets" ? "ticketstatus" : token.value;
    if (frame.filters.some(({ kind }) => kind === value)) use(token);
  }
  if (useAll("compare") && !splitWanted(frame)) return undefined;
  if (frame.act === "report" && frame.dimension === undefined && !sup) frame.split = splitWanted(frame);
  useLinks(all, frame);
  return frame;

  /** Whether one thing is asked for: "the best customer", "哪个客户". */
  function isOne(token: Token | undefined): boolean {
    if (someText("which", /^(?:谁|什么|哪)/) && !someText("which", /哪些/)) return true;
    if (token === undefined) return someText("which", /^who/i);
    return /^[a-z]/i.test(token.text) && !/s$/i.test(token.text) ? true : token.value === "status";
  }

  /** The dimension of a ranking: which customers, products, cities, months … */
  function rankedBy(): string | undefined {
    const dimension = open("dimension")[0];
    if (dimension) {
      ranked = use(dimension);
      return dimension.value;
    }
    const found = open("noun");
    const thing = found.find(({ value }) => value === "customers" || value === "products");
    const measured =
      field("revenue") || field("units") || asked[0] === "units" || found.some((token) => token !== thing);
    if (
      thing &&
      !["price", "stock"].some(field) &&
      asked[0] !== "price" &&
      (measured || bought || sold || asked.length === 1)
    ) {
      ranked = use(thing);
      return thing.value === "customers" ? "customer" : "product";
    }
    if (found.length > 0) return undefined;
    if (someText("which", /^(?:who|谁)/i) && (field("revenue") || bought)) return "customer";
    return open("category").length > 0 && (measured || sold || bought) ? "product" : undefined;
  }

  /** What is asked about, and the tables that it takes. */
  function tablesOf(): [subject: Table, base: Table] | undefined {
    const selling = field("revenue") || field("units") || field("total") || field("order mean") || asked[0] === "units";
    if (noun === "customers")
      return selling ? ["orders", "orders"] : bought ? ["customers", "orders"] : ["customers", "customers"];
    if (noun === "products") {
      if (field("revenue") || asked[0] === "units") return ["orders", "orders"];
      return bought || sold ? ["products", "orders"] : ["products", "products"];
    }
    if (noun !== undefined) return [noun as Table, noun as Table];
    if (frame.dimension !== undefined && sup && !["price", "stock"].some(field)) return ["orders", "orders"];
    if (selling || (sold && !goods)) return ["orders", "orders"];
    if (goods) return bought || sold ? ["orders", "orders"] : ["products", "products"];
    if (field("price") || field("stock") || asked[0] === "price") return ["products", "products"];
    if (open("late", "status").length > 0) return ["orders", "orders"];
    if (open("ticketstatus", "priority").length > 0) return ["tickets", "tickets"];
    if (open("category", "product").length > 0 && !bought) return ["products", "products"];
    if (open("category", "product").length > 0 && open("which").length > 0 && someText("which", /^(?:who|谁)/i))
      return ["customers", "orders"];
    if (bought && open("which").length > 0)
      return [someText("which", /^(?:who|谁)/i) ? "customers" : "products", "orders"];
    if (open("tier", "city", "country", "customer", "joined").length > 0) return ["customers", "customers"];
    return open("reason").length > 0 ? ["refunds", "refunds"] : undefined;
  }

  /** What is counted, summed or averaged; nothing for a list of rows. */
  function measuresOf(): string[] {
    const found: string[] = [];
    const add = (name: string, ...tokens: (Token | undefined)[]): void => {
      found.push(name);
      tokens.map(use);
    };
    const sum = open("aggregate").find(({ value }) => value === "sum");
    const mean = open("aggregate").find(({ value }) => value === "mean");
    const howmuch = open("howmuch")[0];
    const named = open("field").find(({ value }) => !/mean/.test(value));
    if (mean || field("order mean")) {
      // A mean of sums or of numbers of things is another question.
      const of = named?.value === "total" ? summed : (named?.value ?? (noun === "products" ? undefined : summed));
      if (of !== undefined && columns[base][of] !== undefined && frame.subject === base && !count)
        add(
          `mean ${of}`,
          mean,
          named,
          fields.find(({ value }) => value === "order mean"),
        );
      return found;
    }
    if (
      named &&
      base === "orders" &&
      /^(?:revenue|units|total)$/.test(named.value) &&
      (frame.subject === "orders" || frame.subject === "products")
    ) {
      const measure = named.value === "units" ? "units" : "revenue";
      // Order totals one by one are a list.
      if (named.value === "total" && !sum && !howmuch && frame.dimension === undefined && !someText("field", /of|总/)) {
        // "How many orders worth over 2000 yuan": the field belongs to the comparison.
        if (count && noun === "orders" && comparisons.length > 0) add("count", count);
        return found;
      }
      frame.subject = "orders";
      const counted = count && next(count) === named ? count : undefined;
      if (count && !counted && noun === "orders") add("count", count);
      // "How many" asks for units only where nothing else is counted.
      add(
        measure,
        named,
        counted,
        sum,
        howmuch,
        measure === "units" && !counted && noun !== "orders" ? count : undefined,
      );
      return found;
    }
    if (asked[0] === "units") add("units");
    else if (goods && base === "orders") add("units", count);
    else if (goods) {
      if (field("stock"))
        add(
          "stock",
          count,
          open("field").find(({ value }) => value === "stock"),
        );
      else for (const name of ["count", "stock"]) add(name, count);
    } else if (
      base === "products" &&
      frame.subject === "products" &&
      named?.value === "stock" &&
      (sum || howmuch || (count && next(count) === named))
    )
      add("stock", named, sum, howmuch, count);
    else if (base === "products" && count && named?.value === "units")
      add(
        "stock",
        count,
        named,
        open("field").find(({ value }) => value === "stock"),
      );
    else if (frame.subject === "products" && base === "orders" && count)
      for (const name of ["count", "units"]) add(name, count, sum);
    else if (
      (sum || howmuch) &&
      (noun === "orders" || noun === "refunds") &&
      (!named || named.value === "total" || named.value === "amount")
    ) {
      // "Total orders" may mean their number or their sum: both are told.
      if (!named || count) add("count", count);
      add(base === "orders" ? "revenue" : "amount", sum, howmuch, named);
    } else if (named?.value === "total" && base === "refunds") add("amount", named);
    else if (count || (sum && noun !== undefined)) add("count", count, sum);
    else if (howmuch && base === "orders" && (sold || bought)) add("revenue", howmuch);
    else if (base === "orders" && sold && noun === undefined && open("list", "which").length === 0)
      for (const name of ["revenue", "units"]) add(name);
    else if (frame.dimension !== undefined) {
      // Rankings are by revenue unless something else is named; everything else is counted.
      const ranked = sup !== undefined && noun === undefined;
      add(
        ranked
          ? frame.dimension === "product" && (bought || sold)
            ? "units"
            : frame.dimension === "customer" && bought
              ? "count"
              : "revenue"
          : "count",
      );
    }
    if (found.includes("stock")) for (const token of open("field")) if (token.value === "stock") use(token);
    return found;
  }
}

/** A table's name and a number behind it: `order 1042`, `工单 3`. */
function recordOf(
  all: readonly Token[],
  next: (token: Token) => Token | undefined,
): { table: string; id: number; tokens: Token[] } | undefined {
  for (const token of all) {
    const number = token.kind === "noun" && recordTables.includes(token.value) ? next(token) : undefined;
    if (number?.kind !== "number" || !/^\d+$/.test(number.text) || !Number.isSafeInteger(Number(number.value)))
      continue;
    // "The last orders 5" is no record.
    if (all.some(({ kind }) => kind === "sup" || kind === "recency" || kind === "than")) continue;
    return { table: token.value, id: Number(number.value), tokens: [token, number] };
  }
  return undefined;
}

function dimensionOf({ kind, value }: Token): string | undefined {
  if (kind === "dimension") return value;
  if (kind !== "noun") return undefined;
  return { customers: "customer", products: "product" }[value];
}

/** Whether a table can be split by a dimension; what it is then, in SQL. */
export function dimensionSql(base: Table, dimension: string, dated: string): string | undefined {
  const date = dated === "delivered" ? "o.delivered_on" : columns[base].date;
  if (dimension === "month") return date && `substr(${date}, 1, 7)`;
  if (dimension === "year") return date && `substr(${date}, 1, 4)`;
  const named = dimension === "status" && base === "tickets" ? "ticketstatus" : dimension;
  const column = columns[base][named];
  if (named === "customer") return column && "c.name";
  if (named === "product") return base === "orders" ? "p.name" : undefined;
  return column;
}

/** The one thing that is named more than once: periods, or values of one kind. */
function splitWanted({ periods, filters }: Frame): string | undefined {
  const several = filters
    // A value that stands for several products can't be told apart.
    .filter(
      ({ values, ids, operator }) =>
        values.length > 1 && operator === undefined && (ids ?? values).length === values.length,
    )
    .map(({ kind }) => kind);
  if (periods.length > 1) several.push("period");
  return several.length === 1 ? several[0] : undefined;
}

/** "And" links what is alike: periods, values of one kind, measures. Elsewhere it begins another request. */
function useLinks(all: readonly Token[], { measures, act }: Frame): void {
  const content = all.filter(({ kind }) => kind !== "filler");
  for (const [index, token] of content.entries()) {
    if (token.kind !== "and" && token.kind !== "or") continue;
    const [before, after] = [content[index - 1], content[index + 1]];
    if (!before?.used || !after?.used) continue;
    const group = ({ kind }: Token): string => (/^(?:aggregate|count|field|howmuch)$/.test(kind) ? "measure" : kind);
    const alike = group(before) === group(after);
    const measured =
      (act === "statistics" || measures.length > 1) &&
      token.kind === "and" &&
      (group(before) === "measure" || group(after) === "measure");
    if ((alike && group(before) !== "noun") || measured) token.used = true;
  }
}
