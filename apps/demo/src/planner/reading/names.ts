import type { Token } from "./tokens.ts";

/** A name of the data that holds a word of the request. */
export interface KnownName {
  kind: "customer" | "product" | "city" | "country" | "reason";
  id: number | null;
  value: string;
}

/** More unknown words than this are no names. */
const maxWords = 8;

/** The unknown words of a request that may be names in the data; nothing when there are none, or too many. */
export function possibleNames(tokens: readonly Token[]): string[] {
  const words = [
    ...new Set(
      tokens.filter(({ kind, text }) => kind === "unknown" && /[\p{L}\p{N}]/u.test(text)).map(({ text }) => text),
    ),
  ];
  return words.length > maxWords ? [] : words;
}

/** Looks words up in everything that has a name. */
export function namesSql(words: readonly string[]): string {
  const like = words.map(
    (word) =>
      `value LIKE '%${singular(word)
        .replaceAll("'", "''")
        .replaceAll(/[%_\\]/g, "")}%'`,
  );
  return `SELECT kind, id, value FROM (
  SELECT 'customer' AS kind, id, name AS value FROM customers
  UNION ALL SELECT 'product', id, name FROM products
  UNION ALL SELECT 'product', id, name_zh FROM products
  UNION ALL SELECT 'product', id, sku FROM products
  UNION SELECT 'city', NULL, city FROM customers
  UNION SELECT 'country', NULL, country FROM customers
  UNION SELECT 'reason', NULL, reason FROM refunds
) WHERE ${like.join(" OR ")}`;
}

/** The tokens with the names found among them; words that fit several people are told. */
export function withNames(
  question: string,
  tokens: readonly Token[],
  known: readonly KnownName[],
): { tokens: Token[]; doubtful: string[] } {
  let made = tokens.map((token) => ({ ...token, used: token.kind === "filler" }));
  const longest = [...known].sort((a, b) => b.value.length - a.value.length);
  for (const name of longest) {
    const place = placeOf(question, name.value);
    const inside = made.filter(({ start, end }) => place && start < place.end && end > place.start);
    if (!place || !inside.some(({ kind }) => kind === "unknown")) continue;
    made = joined(question, made, inside, {
      kind: name.kind,
      value: name.value,
      ...(name.id !== null && { ids: [name.id] }),
    });
  }
  const doubtful: string[] = [];
  for (let index = 0; index < made.length; index += 1) {
    const run = [];
    for (let at = index; made[at]?.kind === "unknown"; at += 1) run.push(made[at] as Token);
    if (run.length === 0) continue;
    const words = question.slice(run[0]?.start, run.at(-1)?.end);
    const fitting = known.filter((name) => fits(name, words));
    const ids = [...new Set(fitting.map(({ id }) => id))].filter((id) => id !== null);
    const kind = fitting[0]?.kind;
    if (kind === undefined || fitting.some((one) => one.kind !== kind)) index += run.length - 1;
    else if (kind === "customer" && ids.length > 1) {
      doubtful.push(`${words}: ${fitting.map(({ value }) => value).join(", ")}`);
      index += run.length - 1;
    } else {
      const value = ids.map((id) => fitting.find((one) => one.id === id)?.value).join(", ");
      made = joined(question, made, run, { kind, value, ids });
    }
  }
  return { tokens: made, doubtful };
}

function joined(
  question: string,
  tokens: readonly Token[],
  inside: readonly Token[],
  name: Pick<Token, "kind" | "value" | "ids">,
): Token[] {
  const [first, last] = [inside[0] as Token, inside.at(-1) as Token];
  const token: Token = {
    ...name,
    text: question.slice(first.start, last.end),
    start: first.start,
    end: last.end,
    used: false,
  };
  return tokens.flatMap((one) => (one === first ? [token] : inside.includes(one) ? [] : [one]));
}

/** Where a name stands as whole words, in the plural too. */
function placeOf(text: string, name: string): { start: number; end: number } | undefined {
  const latin = /^[\p{Script=Latin}\p{N}]/u.test(name);
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+");
  const match = new RegExp(
    latin ? `(?<![\\p{Script=Latin}\\p{N}])${pattern}(?:s|es)?(?![\\p{Script=Latin}\\p{N}])` : pattern,
    "iu",
  ).exec(text);
  return match ? { start: match.index, end: match.index + match[0].length } : undefined;
}

/** A part of a person's name; of a product's, a part with the noun at its end: "winter" is no bag. */
function fits({ kind, value }: KnownName, words: string): boolean {
  const place = placeOf(value, words) ?? placeOf(value, singular(words));
  return place !== undefined && (kind === "customer" || (kind === "product" && place.end === value.length));
}

function singular(word: string): string {
  return /^[a-z]{3,}s$/i.test(word) ? word.slice(0, -1) : word;
}
