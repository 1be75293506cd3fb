import table from "../words/requests.json" with { type: "json" };

/** How requests are worded: sources of patterns by name, the one for English first where each language has its own. */
export type Wording = keyof typeof table;

const patterns = Object.fromEntries(
  Object.entries(table).map(([name, sources]) => [name, sources.map((source) => new RegExp(source, "isu"))]),
);

/** What a wording finds in a text: all of it as `whole`, and its parts by name; undefined where it does not stand there. */
export function readWording(name: Wording, text: string): Partial<Record<string, string>> | undefined {
  const found = patterns[name]?.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  return found && { ...found.groups, whole: found[0] };
}

export const says = (name: Wording, text: string): boolean => readWording(name, text) !== undefined;

/** Wordings as the source of one pattern. */
export const sourceOf = (...names: Wording[]): string => names.flatMap((name) => table[name]).join("|");
