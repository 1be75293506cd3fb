import type { JsonValue } from "@toolglot/core";

/** A slip in a value that was read as meant. Offsets are those of the whole text. */
export interface ValueSlip {
  code:
    | "json-repaired"
    | "python-literal"
    | "coerced"
    | "unquoted-value"
    | "inexact-number"
    | "duplicate-key"
    | "type-mismatch";
  affects: "none" | "structure" | "value";
  start: number;
  end: number;
}

/** What a literal reader tells while it reads. A depth is the number of containers around a value. */
export interface LiteralListener {
  /** A value begins, behind its key if it is one of an object. */
  begin?(depth: number, key: string | undefined, start: number): void;
  /** The next piece of a string at a depth of `stringsTo` at most, decoded. No later text changes it. */
  piece?(depth: number, key: string | undefined, text: string): void;
  /** A value is whole. */
  value?(depth: number, key: string | undefined, value: JsonValue, start: number, end: number): void;
}

/** What strings stand between. */
export interface Quote {
  open: string;
  close: string;
  /** The units that stand for themselves; a backslash is none. Without it nothing is escaped. */
  run?: RegExp;
  /** Whether what closes the string counts at an index; undefined: more text decides. Default: it does everywhere. */
  counts?(text: string, at: number, ended: boolean): boolean | undefined;
  /** Strings that may have lost or doubled one of their quotes. */
  isDoubtful?: RegExp;
}

/** How literals are written. */
export interface LiteralSyntax {
  /** `json`: RFC 8259, all else is a slip; `python`; `gemma`: keys without quotes, strings between delimiters of their own. */
  language: "json" | "python" | "gemma";
  /** Those that begin with another one come before it. */
  quotes: readonly Quote[];
  /** Of `gemma`: the units of keys and values without quotes in a container. */
  bare?: readonly [key: RegExp, value: RegExp];
}

/** What a literal reader needs beside the syntax. */
export interface LiteralOptions {
  listener?: LiteralListener;
  /** Strings in up to this many containers are emitted in pieces. Default 0. */
  stringsTo?: number;
}

/** A container that is open. */
export interface Frame {
  value: JsonValue[] | Record<string, JsonValue>;
  closer: string;
  start: number;
  /** The key whose value comes next, or was read last. */
  key?: string;
  /** Python's `(1,)` is a list, `(1)` is none. */
  comma?: true;
}
