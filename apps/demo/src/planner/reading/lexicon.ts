import table from "../words/lexicon.json" with { type: "json" };

/**
 * Words by kind: value = English = Chinese, as sources of regular expressions; the first alternative is also what an answer
 * in Chinese calls the value. The longest phrase that stands at one place of a text is taken; of equal ones the first.
 */
const entries = Object.entries<string[][]>(table).flatMap(([kind, rows]) =>
  rows.map(([value = "", en = "", zh = ""]) => ({ kind, value, en, zh })),
);

/** The alternatives of a source, but for those in brackets: each may be the longest that stands at a place. */
const alternatives = (source: string): string[] => (source === "" ? [] : source.split(/\|(?![^()]*\))/));

/** Names of columns are for answers alone. */
export const lexicon: readonly { pattern: RegExp; kind: string; value: string }[] = entries
  .filter(({ kind }) => kind !== "column")
  .flatMap(({ kind, value, en, zh }) => {
    const sources = [...(en ? [`(?:${en})(?![\\p{Script=Latin}\\p{N}_])`] : []), ...alternatives(zh)];
    return sources.map((source) => ({ pattern: new RegExp(source, "iuy"), kind, value }));
  });

/** What an answer calls a value of one of some kinds; itself where it is a name. */
export function wordFor(value: string, kinds: readonly string[], zh: boolean): string {
  const entry = entries.find((one) => one.value === value && kinds.includes(one.kind));
  const said = zh ? entry?.zh : /^(?:than|aggregate)$/.test(entry?.kind ?? "") && entry?.en;
  return said ? (alternatives(said)[0] ?? value) : value;
}
