import {
  coerceText,
  createRecord,
  type InputIssue,
  type Plan,
  type PlanStep,
  type ToolDefinition,
  type ToolErrorInfo,
  toJsonText,
} from "@toolglot/core";
import { textHash } from "@toolglot/core/text";
import { exactValue } from "./fields/value.ts";
import { readHinted, readJsonString } from "./hints.ts";
import {
  type DeclaredParams,
  declaredParams,
  findParam,
  findTool,
  hintsAtMost,
  keepsWhiteSpace,
  matchName,
} from "./names.ts";
import type { TamBlock, TamStep, TamTypeHint } from "./types.ts";

/**
 * Returns the plan of a block, ready to run. With the tools, names are bound to declared ones, texts are converted as the
 * schema declares (a type hint wins; `"x-preserve-whitespace": true` takes the untrimmed text less one line break at either
 * end), and what does not fit is an error of its step: unknown and ambiguous names, missing parameters, a value given
 * twice, wrong values. A step gets the common parameters that its tool takes, unless it has its own; `plan.common` keeps
 * those that every step takes. Without `tools` texts stay text, but for hints, and `common` is left for the executor.
 *
 * Errors of the parser stand first. The same block has the same call ids every time.
 *
 * @example
 * ```ts
 * const [block] = parse(answer).blocks;
 * const plan = block && bindPlan(block, tools);
 * const errors = plan?.steps.flatMap((step) => step.errors);
 * ```
 */
export function bindPlan(block: TamBlock, tools?: readonly ToolDefinition[]): Plan {
  const taken = new Map<ToolDefinition, string[]>();
  const commonOf = (tool: ToolDefinition, { names, others }: DeclaredParams): string[] => {
    const found =
      taken.get(tool) ??
      Object.keys(block.common).filter((name) => others !== undefined || matchName(name, names) !== undefined);
    taken.set(tool, found);
    return found;
  };
  const steps = block.steps.map((step) => new StepBinding(step, tools).bind(block, commonOf));
  const common = createRecord<unknown>();
  for (const [name, text] of Object.entries(block.common)) {
    if (!tools) common[name] = text;
    else if (steps[0] && steps.every(({ params }) => name in params)) common[name] = steps[0].params[name];
  }
  return block.requestId === undefined ? { common, steps } : { requestId: block.requestId, common, steps };
}

/** One step being bound to its tool, as far as that is known. */
class StepBinding {
  readonly #step: TamStep;
  readonly #tool: ToolDefinition | undefined;
  readonly #declared: DeclaredParams | undefined;
  readonly #errors: ToolErrorInfo[] = [];
  readonly #reported = new Set<string>();
  readonly #params = createRecord<unknown>();
  readonly #uris = createRecord<string>();
  /** Hints by the names that parameters are bound to. */
  readonly #hints = new Map<string, TamTypeHint>();
  /** Parameters that have a value or a reference, be it a wrong one. */
  readonly #given = new Set<string>();

  constructor(step: TamStep, tools: readonly ToolDefinition[] | undefined) {
    this.#step = step;
    for (const error of step.errors) this.#fail(error);
    const found =
      tools &&
      findTool(
        step.tool,
        tools,
        step.errors.some(({ type }) => type === "UnknownTool"),
      );
    if (!found) return;
    if ("error" in found) this.#fail(found.error);
    else {
      this.#tool = found.tool;
      this.#declared = declaredParams(found.tool);
    }
  }

  /** Binds one step. `commonOf` returns the common parameters that a tool takes. */
  bind(block: TamBlock, commonOf: (tool: ToolDefinition, declared: DeclaredParams) => string[]): PlanStep {
    const step = this.#step;
    for (const [name, hint] of Object.entries(step.typeHints)) {
      const bound = this.#tool ? findParam(name, this.#tool, true) : { name };
      if ("name" in bound) this.#hints.set(bound.name, hint);
    }
    for (const [name, text] of Object.entries(step.params)) {
      const bound = this.#take(name);
      if (bound !== undefined) this.#convert(bound, text, step.raw[name]);
    }
    this.#bindUris(new Set(this.#given));
    if (this.#tool && this.#declared) this.#bindCommon(commonOf(this.#tool, this.#declared), block);
    for (const name of this.#declared?.required ?? [])
      if (!this.#given.has(name)) this.#invalid(`${this.#name} needs the parameter ${JSON.stringify(name)}.`);
    const { index, onError, retry, span } = step;
    const callId = `tam-${block.span.start}-${index}-${textHash(toJsonText([step.tool, step.params, step.uris]))}`;
    const [params, uris, errors] = [this.#params, this.#uris, this.#errors];
    return { index, callId, tool: this.#name, params, uris, onError, retry, errors, span };
  }

  #bindUris(byValue: ReadonlySet<string>): void {
    for (const [name, uri] of Object.entries(this.#step.uris)) {
      const bound = this.#take(name, byValue);
      if (bound === undefined) continue;
      this.#uris[bound] = uri;
      if (byValue.has(bound)) this.#invalid(`${this.#name} is given both ${bound} and uri_${bound}: give one of them.`);
    }
  }

  /** Adds the common parameters that the tool takes and the step lacks. */
  #bindCommon(names: readonly string[], { common, commonRaw }: TamBlock): void {
    const own = new Set(this.#given);
    for (const name of names) {
      const found = matchName(name, this.#declared?.names ?? []) ?? { match: name };
      if ("match" in found && own.has(found.match)) continue;
      const bound = this.#take(name);
      if (bound !== undefined) this.#convert(bound, common[name] ?? "", commonRaw[name]);
    }
  }

  get #name(): string {
    return this.#tool?.name ?? this.#step.tool;
  }

  /** Returns the parameter that a name means, from now on given; undefined, with an error, when there is none. */
  #take(name: string, knownAsGiven?: ReadonlySet<string>): string | undefined {
    const bound = this.#tool ? findParam(name, this.#tool, this.#errors.length >= hintsAtMost) : { name };
    if ("error" in bound) {
      this.#fail(bound.error);
      return undefined;
    }
    if (this.#given.has(bound.name) && !knownAsGiven?.has(bound.name))
      this.#invalid(`${this.#name} is given ${JSON.stringify(bound.name)} twice, under different names.`);
    this.#given.add(bound.name);
    return bound.name;
  }

  #convert(name: string, text: string, raw: string | undefined): void {
    const schema = this.#declared?.schemas.get(name) ?? this.#declared?.others;
    const hint = this.#hints.get(name);
    const exact = keepsWhiteSpace(schema);
    // A JSON string holds its text exactly, whatever the schema.
    if (!hint && raw !== undefined && raw !== text && readJsonString(raw) === text) {
      this.#params[name] = text;
      return;
    }
    const source = exact && raw !== undefined ? exactValue(raw) : text;
    if (hint) {
      const read = readHinted(source, hint);
      if ("value" in read) this.#params[name] = read.value;
      // The parser reports it of every hinted parameter, under the names that it knows.
      else if (!this.#step.errors.some(({ message }) => message.endsWith(`: ${read.problem}`)))
        this.#invalid(`${this.#name}, ${name}: ${read.problem}`);
      return;
    }
    const read = coerceText(source, schema, this.#tool ? { root: this.#tool.inputSchema } : {});
    if (read.success) this.#params[name] = read.value;
    else this.#invalid(`${this.#name}, ${name}: ${read.issue.message}`, [{ ...read.issue, path: name }]);
  }

  #invalid(message: string, issues?: InputIssue[]): void {
    this.#fail(issues ? { type: "InvalidInput", message, issues } : { type: "InvalidInput", message });
  }

  /** Adds an error, unless it was reported already, by the parser too, with a hint or without. */
  #fail(error: ToolErrorInfo): void {
    const key = `${error.type}: ${error.message.replace(/((?: has no parameter|There is no tool) "(?:[^"\\]|\\.)*"\.) .*$/s, "$1")}`;
    if (!this.#reported.has(key)) this.#errors.push(error);
    this.#reported.add(key);
  }
}
