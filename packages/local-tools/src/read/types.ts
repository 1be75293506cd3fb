/** A file (or a directory), or a part of it. Lines from 1, both ends included. */
export interface FileRead {
  src: string;
  from?: number;
  to?: number;
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
}
