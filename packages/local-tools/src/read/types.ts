/** A file (or a directory), or a part of it. Lines from 1, both ends included. */
export interface FileRead {
  src: string;
  from?: number;
  to?: number;
  /** Its encoding, such as `gbk`. Default: found out. */
  encoding?: string;
}

/** A search for text in files. */
export interface TextSearch {
  /** A regular expression; what is none is searched for as it stands, and said so. */
  pattern: string;
  /** A file or directory. Default: the first root. */
  src?: string;
  /** Which files, in the way of .gitignore patterns: `*.ts`, `src/**`, `!*.test.ts`. */
  glob?: string;
}

/**
 * What a search did not look at, or does not show. `size`: files in folders that are too large; `binary`; `encoding`: files of no known encoding, or a guessed
 * one, in which the pattern may stand all the same; `protected`; `ignored`: entries that ignore files name, a folder counts as one; `unreadable`: files and folders;
 * `time`: files that there was no time for; `matches`: lines that fit and are not shown.
 */
export interface LeftOut {
  reason: "size" | "binary" | "encoding" | "protected" | "ignored" | "unreadable" | "time" | "matches";
  /** At least so many. */
  count: number;
}

/** What one read or search gave. */
export interface ReadPart {
  kind: "file" | "directory" | "search";
  /** As the model wrote it: path or pattern. */
  of: string;
  /** One line for the model: which file, which lines of how many, how many matches, what was left out. */
  head: string;
  text: string;
  /** Something was left out. */
  cut: boolean;
  /** Of a file: its encoding; undefined for UTF-8. */
  encoding?: string;
  /** Of a search: every file in question was looked at to its end. */
  complete?: boolean;
  /** Of a search: how many files were looked at to their end. */
  looked?: number;
  /** Of a search: what was left out, each reason once. */
  left?: readonly LeftOut[];
}
