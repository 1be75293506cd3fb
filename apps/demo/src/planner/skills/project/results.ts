import type { Outcome } from "../../outcome.ts";

/** One part of what `read` gave: a file, a directory or a search. */
export interface ReadPart {
  /** What stands in its head: for a file the path first. */
  head: string;
  /** The text below, as it stands. */
  text: string;
}

/** A line of a file, with its number. */
export interface Line {
  number: number;
  text: string;
}

/** A file as it was read. */
export interface Source {
  path: string;
  lines: Line[];
}

/** A line that a search found. */
export interface Match extends Line {
  path: string;
}

/** The parts of a read, in the order asked for. */
export function readParts({ text = "" }: Outcome): ReadPart[] {
  const heads = [...text.matchAll(/^==> (.*) <==$/gm)];
  return heads.map((head, index) => ({
    head: head[1] ?? "",
    text: text.slice(head.index + head[0].length + 1, heads[index + 1]?.index).replace(/\n+$/, ""),
  }));
}

/** A part as a file; undefined when it is none, or could not be read. */
export function sourceOf(part: ReadPart | undefined): Source | undefined {
  const [, path = "", start] = /^(.+): (?:[\d,]+ lines?|lines? ([\d,]+)(?:–[\d,]+)? of )/.exec(part?.head ?? "") ?? [];
  if (part === undefined || path === "") return undefined;
  const first = Number((start ?? "1").replaceAll(",", ""));
  return { path, lines: part.text.split("\n").map((text, index) => ({ number: first + index, text })) };
}

/** The lines that a search found. */
export function searchMatches({ text }: ReadPart): Match[] {
  return text.split("\n").flatMap((line) => {
    const [, path, number, found = ""] = /^(\S[^:\n]*):(\d+): ?(.*)$/.exec(line) ?? [];
    return path === undefined ? [] : [{ path, number: Number(number), text: found }];
  });
}

/** The lines of the passage that came nearest, as the error of an edit shows them between two lines of its own. */
export function nearestLines({ message = "" }: Outcome): string[] {
  const passage = /^The nearest (?:is|are) lines? .*:\n-{5}.*-{5}\n([\s\S]*?)\n-{5}.*-{5}$/m.exec(message)?.[1];
  return passage?.split("\n").filter((line) => !/^… [\d,]+ more lines?$/.test(line)) ?? [];
}
