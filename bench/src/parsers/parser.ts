/** A program to run and what it is for: what every format has to carry. */
export interface Call {
  target: string;
  code: string;
}

/** A parser in the benchmark, with the format it reads. */
export interface Subject {
  /** As in tables: package, version, format. */
  name: string;
  /** What its format does to a body: what models write as it stands, or escaped by the peer's own formatter. */
  form: string;
  /** The text a model would write for these calls, prose between where the format allows it. */
  encode(calls: readonly Call[]): string;
  /** The bodies found in a whole text. */
  parse(text: string): string[] | Promise<string[]>;
  /**
   * Feeds chunks with deltas on, and gives the bodies found. Stops early and gives undefined once `expired()`.
   * Absent: the parser reads whole texts only, and is asked again for every longer prefix.
   */
  stream?(chunks: readonly string[], expired: () => boolean): string[] | undefined | Promise<string[] | undefined>;
  /** Reads a text that is not whole yet; may throw. For parsers without `stream`. */
  parsePrefix?(text: string): unknown;
}

/** Prose that stands before a call. */
export const prose = "I will look at the files first and then change what has to be changed, step by step.\n\n";
