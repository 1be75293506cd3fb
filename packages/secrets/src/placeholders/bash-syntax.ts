/** A part of a script, by its UTF-16 offsets; `end` is behind it. */
export interface Range {
  start: number;
  end: number;
}

/** What a placeholder stands in, which decides how a reference to a variable is written there. */
export type Quoting = "bare" | "double" | "single" | "ansi" | "heredoc" | "comment";

/** A placeholder of a script. `name`: of its value. */
export interface Site extends Range {
  name: string;
  quoting: Quoting;
}

/**
 * What a value must be in a part of a script:
 *
 * - `number`: an integer, since bash would evaluate anything else (`a[$(cmd)]` in an operand runs `cmd`);
 * - `plain`: without characters that mean something, since another language reads it as its text;
 * - `none`: no value can stand there.
 */
export interface Limit extends Range {
  allows: "number" | "plain" | "none";
  /** What the part is, for the refusal: `an arithmetic expression`. */
  what: string;
}

/** A word of a command. */
export interface Word extends Range {
  /** As it stands in the script. */
  written: string;
  /** What it is once its quotes are removed; undefined when that is known only as the script runs. */
  text: string | undefined;
  /** Of `name=value` and `name[…]=value`. */
  assigns?: { name: string; valueStart: number };
}

/** A command with its words. */
export interface SimpleCommand extends Range {
  assignments: Word[];
  words: Word[];
  /** What it, or a compound around it, reads as standard input as far as that stands in the script. */
  inputs: readonly (readonly Range[])[];
}

/** A heredoc whose delimiter is quoted: nothing in its body is expanded. */
export interface QuotedHeredoc {
  /** The delimiter as it stands behind `<<`. */
  delimiter: Range;
  body: Range;
  /** The line that ends it, without its line end. */
  last: Range | undefined;
}

/** What is known of a script. */
export interface ScriptFacts {
  sites: readonly Site[];
  limits: readonly Limit[];
  commands: readonly SimpleCommand[];
  quotedHeredocs: readonly QuotedHeredoc[];
  /** Variables that a value is assigned to by `for`, `select` and `${name:=…}`, besides the assignments of commands. */
  assigned: readonly (Range & { name: string })[];
}
