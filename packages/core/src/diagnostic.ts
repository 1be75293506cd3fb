import type { Span } from "./span.ts";

/** `error`: something was lost or must not run. `warning`: read as meant, but not as written. `info`: worth knowing. */
export type Severity = "error" | "warning" | "info";

/**
 * What reading the text as meant has changed. `value`: the content of a parameter or of code, so a call with an effect
 * must not run unasked. `structure`: only where values begin and end. `none`: nothing.
 */
export type Affects = "none" | "structure" | "value";

/** One finding about a model's text. Bad model output is data: parsers return these and never throw on text. */
export interface Diagnostic<Code extends string = string> {
  /** Stable, prefixed by the package that found it: `attp/inner-quotes`, `core/reasoning-unclosed`. */
  code: Code;
  severity: Severity;
  affects: Affects;
  /** One sentence, made for people. */
  message: string;
  span: Span;
  /** What to write instead, when that is known. */
  hint?: string;
  /** The package that found it: `attp`, `core`. */
  source: string;
}
