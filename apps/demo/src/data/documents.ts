import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One document of the folder: Markdown with a short head of `key: value` lines. */
export interface DemoDocument {
  /** From the head, else the file name without `.md`. */
  id: string;
  title: string;
  /** `en`, `zh`, or whatever the head says; empty when it says nothing. */
  language: string;
  /** ISO date; empty when unknown. */
  updated: string;
  /** The text below the head. */
  text: string;
}

/** Reads every `.md` file of a folder, in the order of their names. */
export function readDocuments(folder: string): DemoDocument[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => parseDocument(readFileSync(join(folder, name), "utf8"), name.slice(0, -3)));
}

/** Reads one document; files without a head take their name and first heading. */
export function parseDocument(source: string, name: string): DemoDocument {
  const head = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(source);
  const text = source.slice(head?.[0].length ?? 0).trim();
  const fields = new Map(
    (head?.[1] ?? "").split(/\r?\n/).map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
  return {
    id: fields.get("id") || name,
    title: fields.get("title") || /^#\s+(.+)$/m.exec(text)?.[1] || name,
    language: fields.get("language") ?? "",
    updated: fields.get("updated") ?? "",
    text,
  };
}
