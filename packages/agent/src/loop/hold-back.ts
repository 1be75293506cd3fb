import { type Action, bindNames, type Diagnostic, type Span, type ToolDefinition } from "@toolglot/core";

/** Why a block must not run as it was read. */
export interface HeldBack {
  /** Tools that may change things, and that it calls. */
  tools: string[];
  findings: string[];
}

/**
 * A repair that affects a value, in a call to a tool that isn't known to be read-only: then nothing of the block runs.
 * For code it is enough that the source names such a tool. A tool that is not declared counts as one with effects.
 */
export function holdBack(
  tools: readonly ToolDefinition[],
  diagnostics: readonly Diagnostic[],
  block: Span,
  actions: readonly Action[],
): HeldBack | undefined {
  const repairs = diagnostics.filter(({ affects, span }) => affects === "value" && overlap(span, block));
  if (repairs.length === 0) return undefined;
  const risky = [...new Set(actions.flatMap((action) => riskyTools(action, tools, repairs)))];
  if (risky.length === 0) return undefined;
  return { tools: risky, findings: repairs.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)) };
}

/** Tools that may change things and that an action calls; with repairs, only those of calls that a repair lies in. */
export function riskyTools(
  action: Action,
  tools: readonly ToolDefinition[],
  repairs: readonly Diagnostic[] = [],
): string[] {
  const readOnly = new Set(tools.filter((tool) => tool.annotations?.readOnlyHint === true).map((tool) => tool.name));
  return calledTools(action, tools, repairs).filter((name) => !readOnly.has(name));
}

function calledTools(action: Action, tools: readonly ToolDefinition[], repairs: readonly Diagnostic[]): string[] {
  switch (action.kind) {
    case "calls":
      return touched(action.calls, repairs).map((call) => call.name);
    case "plan":
      return touched(action.plan.steps, repairs).map((step) => step.tool);
    case "code":
      return namedTools(action.source, action.language, tools);
    default:
      return [];
  }
}

/** The calls that a repair lies in; all of them when one lies between calls or when places aren't known. */
function touched<Call extends { span?: Span }>(
  calls: readonly Call[],
  repairs: readonly Diagnostic[],
): readonly Call[] {
  const hits = repairs.map((repair) => calls.filter(({ span }) => !span || overlap(repair.span, span)));
  return hits.length === 0 || hits.some((hit) => hit.length === 0) ? calls : [...new Set(hits.flat())];
}

/** Tools whose identifier stands anywhere in the source, strings and comments included: too many rather than too few. */
function namedTools(source: string, language: "python" | "javascript", tools: readonly ToolDefinition[]): string[] {
  // Python compares identifiers in NFKC, so `ｄelete` is `delete`.
  const text = language === "python" ? source.normalize("NFKC") : source;
  const words = new Set(text.match(/[\p{ID_Continue}$]+/gu));
  return bindNames(tools, language)
    .tools.filter(({ identifier }) => words.has(identifier))
    .map(({ name }) => name);
}

function overlap(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}
