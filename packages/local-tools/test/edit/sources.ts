import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A text file that somebody else wrote. */
export interface Source {
  path: string;
  language: string;
  text: string;
}

/** Numbers from 0 to 1 that are the same in each run. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Where other people's files are: the packages that are installed here, and those of the system where it has them. */
const roots = [
  join(import.meta.dirname, "../../../../node_modules/.pnpm"),
  "/usr/lib/python3/dist-packages",
  "/usr/share",
  "/usr/include",
];
const languages: Readonly<Record<string, string>> = {
  ...{ ts: "TypeScript", mts: "TypeScript", js: "JavaScript", cjs: "JavaScript", mjs: "JavaScript", py: "Python" },
  ...{ h: "C", c: "C", hpp: "C++", pl: "Perl", pm: "Perl", sh: "Shell", vim: "Vim", tcl: "Tcl", m4: "M4", el: "Lisp" },
  ...{ md: "Markdown", mdx: "Markdown", json: "JSON", yml: "YAML", yaml: "YAML", xml: "XML", html: "HTML", css: "CSS" },
  ...{ conf: "settings", awk: "Awk" },
};

/** Up to so many files of each language, chosen by chance. */
export function sourcesOf(perLanguage: number, random: () => number): Source[] {
  const sources = new Map<string, Source[]>();
  const listed = new Map<string, readonly (readonly [name: string, isFolder: boolean])[]>();
  for (let tries = 0; tries < 400 * perLanguage; tries++) {
    const path = wander(oneOf(roots, random), listed, random);
    const language = languages[/\.(\w+)$/.exec(path ?? "")?.[1] ?? ""];
    if (path === undefined || language === undefined) continue;
    const own = sources.get(language) ?? [];
    if (own.length >= perLanguage || own.some((source) => source.path === path)) continue;
    const text = textOf(path);
    if (text !== undefined) sources.set(language, [...own, { path, language, text }]);
  }
  return [...sources.values()].flat();
}

/** Goes down from a folder, by chance, until there is a file. Links are not followed. */
function wander(
  root: string,
  listed: Map<string, readonly (readonly [name: string, isFolder: boolean])[]>,
  random: () => number,
): string | undefined {
  for (let path = root; ; ) {
    const entries = listed.get(path) ?? entriesOf(path);
    listed.set(path, entries);
    if (entries.length === 0) return undefined;
    const [name, isFolder] = oneOf(entries, random);
    path = join(path, name);
    if (!isFolder) return path;
  }
}

function entriesOf(path: string): (readonly [name: string, isFolder: boolean])[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isFile())
      .map((entry) => [entry.name, entry.isDirectory()] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  } catch {
    return [];
  }
}

/** Undefined for what nobody edits: no text, too short, too long, or written for machines. */
function textOf(path: string): string | undefined {
  const { size } = statSync(path);
  if (size < 300 || size > 60_000) return undefined;
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes) && !/[\0\f]/.test(text) && !text.startsWith("\ufeff");
  const lines = text.split("\n");
  return isText && lines.length > 12 && lines.every((line) => line.length < 400) ? text : undefined;
}
