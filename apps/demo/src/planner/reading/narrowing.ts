import type { Frame, Question } from "./frame.ts";
import { schema } from "./schema.ts";
import type { Token } from "./tokens.ts";
import type { Words } from "./words.ts";

const filterKinds = "status ticketstatus tier category priority country city customer product reason late".split(" ");

/** The values that narrow the rows. */
export function readFilters({ words, frame }: Question): void {
  for (const kind of filterKinds) {
    const found = words.open(kind);
    if (found.length === 0 || schema[frame.base].columns[kind] === undefined) continue;
    const ids = found.flatMap((token) => token.ids ?? []);
    // "Delivered in September" is a date of its own.
    if (kind === "status" && found.length === 1 && found[0]?.value === "delivered" && words.has("period"))
      frame.dated = "delivered";
    else {
      const values = [...new Set(found.map(({ value }) => value))];
      frame.filters.push({ kind, values, ...(ids.length > 0 && { ids }) });
    }
    words.use(kind);
  }
}

export function readComparison({ words, frame, noun }: Question, than: Token, number: Token): void {
  const { base, subject } = frame;
  const { columns, money } = schema[base];
  const following = words.following(number);
  const unit = following && /^(?:unit|field)$/.test(following.kind) ? following : undefined;
  const field = words.open("field").find(({ value }) => columns[value] || (value === "price" && base === "orders"));
  const pieces = base === "products" && /^(?:units|stock)$/.test(unit?.value ?? "");
  const usual = pieces ? "stock" : base !== "products" || unit?.kind === "unit" ? money : undefined;
  const named = field?.value === "price" ? money : (field?.value ?? usual);
  // "Orders with more than three tents" counts something else.
  const counted = following !== undefined && unit === undefined && !/^(?:filler|period)$/.test(following.kind);
  const others =
    (base === "orders" && noun === "customers") || (unit?.value === "units" && !pieces) || subject !== base;
  if (named === undefined || columns[named] === undefined || counted || others) {
    than.used = number.used = false;
    return;
  }
  for (const token of [field, unit?.kind === "unit" || pieces ? unit : undefined]) if (token) token.used = true;
  // "Fewer than 12 units in stock".
  if (named === "stock") words.use("field", ({ value }) => value === "stock" || value === "units");
  frame.filters.push({ kind: named, values: [number.value], operator: than.value });
}

/** Words that say once more what is known already; false where the frame can't be what was meant. */
export function readRest({ words, frame, sup }: Question): boolean {
  const { base, subject, filters } = frame;
  if (base === "orders") words.use("bought");
  if (base === "orders" && (frame.measures.length > 0 || subject === "products")) words.use("sold");
  const narrowed = (pattern: RegExp): boolean => filters.some(({ kind }) => pattern.test(kind));
  const first = words.open("noun")[0];
  // Goods and people that a filter names: "gold customers", "customer Marta Rossi", "products of the category tents".
  words.use("noun", (token) => {
    const person = token.value === "customers" && narrowed(/^(?:tier|city|country|customer)$/);
    return token === first || person || (token.value === "products" && narrowed(/^(?:product|category)$/));
  });
  // "Status shipped", "the category tents", "city Milan".
  words.use("dimension", ({ value }) => {
    const kind = value === "status" && base === "tickets" ? "ticketstatus" : value;
    return filters.some((filter) => filter.kind === kind);
  });
  const split = splitOf(frame);
  if (words.use("compare") && split === undefined) return false;
  if (frame.measures.length > 0 && frame.dimension === undefined && !sup) frame.split = split;
  useLinks(words, frame);
  return true;
}

/** The one thing that is named more than once: periods, or values of one kind. */
function splitOf({ periods, filters }: Frame): string | undefined {
  // A value that stands for several products can't be told apart.
  const several = filters.filter(
    ({ values, ids = values, operator }) => values.length > 1 && operator === undefined && ids.length === values.length,
  );
  const kinds = [...several.map(({ kind }) => kind), ...(periods.length > 1 ? ["period"] : [])];
  return kinds.length === 1 ? kinds[0] : undefined;
}

/** "And" links what is alike: periods, values of one kind, measures. Elsewhere it begins another request. */
function useLinks(words: Words, { measures }: Frame): void {
  const group = ({ kind }: Token): string => (/^(?:aggregate|count|field|howmuch)$/.test(kind) ? "measure" : kind);
  for (const token of words.open("and", "or")) {
    const [before, after] = [words.before(token), words.next(token)];
    if (!before?.used || !after?.used) continue;
    const groups = [group(before), group(after)];
    const alike = groups[0] === groups[1] && groups[0] !== "noun";
    token.used = alike || (measures.length > 1 && token.kind === "and" && groups.includes("measure"));
  }
}
