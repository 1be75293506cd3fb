import { between, withYear } from "../../reading/dates.ts";
import { type Token, writtenAs } from "../../reading/tokens.ts";
import table from "../../words/meanings.json" with { type: "json" };
import { type Frame, needsLines, oneOf, schema, type Table } from "./schema.ts";

/**
 * What is asked for by which words: subject (and table), measures, and what is ranked, a column or what the result is split by. Then
 * the sets of words: one with `?` may be missing, one with `~` stands only where a number is compared; `mean` is every statistic,
 * `GOODS` and `PERSON` are their names and kinds.
 */
const meanings = (table as string[][]).flatMap(([tables = "", measures = "", ranked = "", sets = ""]) => {
  const [subject, table = subject] = tables.split("/") as [Table, Table?];
  const meaning = { subject, table, measures: measures.split(" ").filter(Boolean), ranked };
  return sets.split(", ").map((set) => ({ ...meaning, words: set.split(" ") }));
});

const goods = /^(?:category|product)$/;
const people = /^(?:tier|city|country|customer)$/;
/** Whose rows are meant where only a filter is named. */
const owners = { orders: /^(?:status|late)$/, tickets: /^(?:ticketstatus|priority)$/, customers: people };
const dimensions: Readonly<Record<string, string>> = { customers: "customer", products: "product" };
const ranks = (word?: Token): boolean => /^(?:sup|recency)$/.test(word?.kind ?? "");

/** The words of a question. What is taken has its place in the frame; what is left must not be passed over. */
class Words {
  readonly left: Set<Token>;
  constructor(readonly all: readonly Token[]) {
    this.left = new Set(all);
  }

  has = (kinds: RegExp): boolean => this.all.some(({ kind }) => kinds.test(kind));
  of = (kind: string): string[] => this.all.flatMap((word) => (word.kind === kind ? word.value : []));
  take = (kinds: RegExp, fits: (word: Token, before?: Token, after?: Token) => unknown = () => true): Token[] =>
    this.all.filter(
      (word, at) => kinds.test(word.kind) && fits(word, this.all[at - 1], this.all[at + 1]) && this.left.delete(word),
    );
}

/** Reads a question about the tables, or says what of it no frame has a place for. */
export function readFrame(question: string, tokens: readonly Token[], now: Date): Frame | { unread: string[] } {
  const copies = tokens.map((token) => ({ ...token }));
  const all = copies.filter(({ kind }) => kind !== "filler");
  for (const index of all.keys()) relabel(index, all, copies, now);
  const words = new Words(all);
  const frame = frameOf(words);
  if (frame && words.left.size === 0) return frame;
  const unclear = all.filter((word) => (frame ? words.left.has(word) : /^(?:unknown|not)$/.test(word.kind)));
  return { unread: writtenAs(question, copies, unclear.length > 0 ? unclear : all) };
}

/** Tells words apart by what stands beside them. */
function relabel(index: number, all: readonly Token[], tokens: readonly Token[], now: Date): void {
  const [before, word, after, last] = [all[index - 1], all[index] as Token, all[index + 1], all[index + 2]];
  const sided = [before, after].find((one) => one?.kind === "side");
  const [begin = "", end = ""] = [word, last].map((one) => (one?.period?.length === 1 && one.period[0]?.[1]) || "");
  if (before?.kind === "between" && begin && end >= begin && /^(?:to|and)$/.test(after?.kind ?? "")) {
    word.period = between(begin, end);
    for (const one of [before, after, last]) if (one) one.kind = "filler";
  } else if (sided && word.period) {
    const bound = /^(?:>=|<)$/.test(sided.value) ? word.period[0] : word.period.at(-1);
    word.period = [[sided.value, withYear(bound?.[1] ?? "", now)]];
    sided.kind = "filler";
  }
  // "What did she order": a verb.
  const hasBuyer = before?.kind === "customer" || before?.value === "customers";
  if (hasBuyer && /^order$/i.test(word.text)) word.kind = "bought";
  if (word.kind !== "number") return;
  const counted = tokens[tokens.indexOf(word) + 1]?.kind ?? "";
  const isRecord = before?.kind === "noun" && before.value in schema && /^\d{1,15}$/.test(word.text);
  // "With more than three tents" counts something else.
  if (before?.kind === "than" && !/^(?:category|product|noun)$/.test(counted)) word.kind = "bound";
  else if (isRecord && !all.some(ranks)) [before.kind, word.kind] = ["record", "id"];
  else if ((ranks(before) || ranks(after) || before?.kind === "list") && /^[1-9]\d{0,5}$/.test(word.value))
    word.kind = "limit";
}

function frameOf(words: Words): Frame | undefined {
  const { all, of, has, take } = words;
  take(/^(?:filler|list|which)$/);
  // Of two records, numbers or orders one would be passed over.
  const orders = [of("sup").map((order) => order.slice(-3)), of("recency")].map((found) => [...new Set(found)]);
  if ([of("id"), of("limit"), ...orders].some(({ length }) => length > 1)) return undefined;
  const [record] = of("record") as Table[];
  const [id = ""] = of("id");
  if (record && !has(/^noun$/)) {
    take(/^(?:record|id|field|dimension|duration|howmuch|late|status|bought|sold)$/);
    return { subject: record, table: record, measures: [], filters: [], periods: [], dated: "", id: Number(id) };
  }
  const isSplit = ({ kind, value }: Token): boolean => kind === "dimension" || (kind === "noun" && value in dimensions);
  const by = all.find((_, index) => all[index - 1]?.kind === "by");
  const named = by && isSplit(by) ? by : all.find(({ kind }) => kind === "dimension" && has(/^sup$/));
  const [split] = take(/./, (word) => word === named);
  const sup = take(/^sup$/, ({ value }) => !split || /^m\w+$/.test(value))[0]?.value;
  const core = take(/^(?:count|howmuch|aggregate|noun|field|joined|bought|sold)$/);
  const said = core.map(({ kind, value }) => (/^(?:noun|field|aggregate)$/.test(kind) ? value : kind));
  // "What did she buy" asks for goods, "who bought it" for people.
  if (said.includes("bought")) said.push(...of("which").filter((word) => word !== "which"));
  const meaning = meaningOf(words, new Set(said), split ? undefined : sup);
  if (meaning === undefined) return undefined;
  const { subject, table, ranked } = meaning;
  const { date = "", ...columns } = schema[table].columns;
  const statistics = [...new Set(of("aggregate"))].filter((name) => name !== "sum");
  const measures = meaning.measures.flatMap((name) =>
    name.startsWith("mean") ? statistics.map((statistic) => name.replace("mean", statistic)) : name,
  );
  if (statistics.length > 1) measures.unshift("count");
  const isList = measures.length === 0;
  const dimension = dimensions[split?.value ?? ""] ?? split?.value ?? (isList ? "" : ranked);
  const frame: Frame = { subject, table, measures, dimension, filters: [], periods: [], dated: date };
  const { filters } = frame;
  // Rows that are split are counted.
  if (isList && dimension) measures.push("count");
  if (isList && dimension && !core.every(({ kind }) => /^(?:noun|joined)$/.test(kind))) return undefined;
  // "Delivered in September" is a date of its own.
  const isDelivery = table === "orders" && has(/^period$/) && of("status").join() === "delivered";
  if (isDelivery && take(/^status$/)) frame.dated = "o.delivered_on";
  for (const kind of Object.keys(columns)) {
    const found = take(new RegExp(`^${kind}$`));
    const values = [...new Set(found.map(({ value }) => value))];
    if (values.length > 0) filters.push({ kind, values, ids: found.flatMap((word) => word.id ?? []) });
  }
  const numbered = record && oneOf(record);
  if (numbered && columns[numbered] && take(/^(?:record|id)$/))
    filters.push({ kind: numbered, values: [String(Number(id))], ids: [Number(id)] });
  const { compared } = schema[table];
  const column = compared[of("field")[0] ?? ""] ?? (has(/^unit$/) ? compared.unit : undefined) ?? "";
  const compares = subject === table && measures.every((name) => /^(?:count|m\w+)$/.test(name)) && columns[column];
  if (compares && of("bound").length === 1 && take(/^(?:than|bound|unit)$/))
    filters.push({ kind: column, values: of("bound"), ids: [], operator: of("than")[0] });
  const isDated = date && (table !== "customers" || said.includes("joined"));
  const periods = all.flatMap(({ kind, period }) => (kind === "period" && period ? [period] : []));
  const simple = periods.every((period) => period.length === 1 && period[0]?.[0] === "=");
  if (isDated && (simple || periods.length === 1) && take(/^period$/)) frame.periods = periods;
  if (!isDated && /^(?:month|year)$/.test(dimension)) return undefined;
  const [recency] = of("recency");
  if (sup) frame.rank = { by: measures[0] ?? ranked, descending: !sup.endsWith("min") };
  else if (recency && measures.length === 0 && date && subject === table && take(/^recency$/))
    frame.rank = { by: "date", descending: recency === "last" };
  const [limit] = frame.rank || measures.length === 0 ? take(/^limit$/) : [];
  if (limit || frame.rank) frame.limit = Number(limit?.value ?? (isOne(all) ? 1 : 5));
  frame.dimension ||= splitOf(frame);
  takeJoints(frame, words, split);
  // Lines of orders have no totals, and of each customer there is one.
  const isEmpty = (statistics.length > 0 && needsLines(frame)) || dimension === dimensions[subject];
  return isEmpty ? undefined : frame;
}

/** The first meaning whose words these are. */
function meaningOf({ has, all }: Words, said: Set<string>, sup: string | undefined) {
  if (sup) said.add({ "price max": "dear", "price min": "dear", "units max": "best" }[sup] ?? "sup");
  const [owner] = has(/^sup$/) ? [] : (Object.entries(owners).find(([, kinds]) => has(kinds)) ?? []);
  if (owner && [...said].every((word) => word === "count") && !has(goods)) said.add(owner);
  // "Gold customers": the noun says what the name says.
  const kinds = [...(has(people) ? ["PERSON"] : []), ...(has(goods) ? ["GOODS"] : [])];
  const also = kinds.flatMap((kind) => [kind, kind === "GOODS" ? "products" : "customers"]);
  const words = [...said].map((word) => (/^(?:median|stdev)$/.test(word) ? "mean" : word));
  if (all.length === 0) return undefined;
  return meanings.find(({ words: set }) => {
    const needed = set.filter((word) => !/[?~]$/.test(word));
    const allowed = [...set.map((word) => word.replace(has(/^bound$/) ? /[?~]/ : "?", "")), ...also];
    return needed.every((word) => [...words, ...kinds].includes(word)) && words.every((word) => allowed.includes(word));
  });
}

/** Whether one thing is asked for: "the best customer", "哪个客户". */
function isOne(all: readonly Token[]): boolean {
  const head = all.find(({ kind }) => /^(?:noun|dimension|category)$/.test(kind))?.text ?? "s";
  const asksOne = all.some(({ kind, text }) => kind === "which" && /^(?:who|谁|哪(?!些))/i.test(text));
  return asksOne || /^[a-z].*[^s]$/i.test(head);
}

/** Several values of one kind, or several months, are shown side by side. */
function splitOf({ measures, periods, filters, rank }: Frame): string | undefined {
  if (measures.length === 0 || rank) return undefined;
  const parts = periods.length > 1 ? periods.flatMap(([bound]) => bound?.[1] ?? []) : [];
  const part = [/^(?:\d{4})?-\d\d$/, /^\d{4}$/].findIndex((pattern) => parts.every((one) => pattern.test(one)));
  const found = filters.flatMap(({ kind, values }) => (values.length > 1 ? [kind] : []));
  const all = parts.length > 0 ? [...found, ["month", "year"][part]] : found;
  return all.length === 1 ? all[0] : undefined;
}

/** Words that join others are taken with them. */
function takeJoints({ dimension, measures, filters, periods }: Frame, { has, take }: Words, split?: Token): void {
  const narrows = measures.length + filters.length + periods.length > 0;
  const group = (word?: Token): string => word?.kind.replace(/^(?:count|field)$/, "aggregate") ?? "";
  const joins = dimension ? /^(?:customer|count|field)$/ : /^customer$/;
  take(/^by$/, (_, __, after) => after === split || joins.test(after?.kind ?? ""));
  take(/^dimension$/, ({ value }) => filters.some(({ kind }) => kind.replace("ticket", "") === value));
  if (dimension) take(/^compare$/);
  if (narrows) take(/^(?:to|between)$/, ({ kind }) => kind === "to" || !has(/^to$/));
  take(/^and$/, (_, before, after) => group(before) === group(after) && group(before) !== "noun" && narrows);
}
