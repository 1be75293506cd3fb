import {
  coerceText,
  createRecord,
  type Plan,
  type PlanStep,
  type ToolDefinition,
  type ToolErrorInfo,
  toJsonText,
} from "@toolglot/core";
import { declaredParams, findParam, findTool } from "./declared.ts";
import { readHinted } from "./hints.ts";
import { matchName } from "./names.ts";
import type { TamBlock, TamStep, TamTypeHint } from "./types.ts";

/**
 * The plan of a block, ready to run. With the tools at hand, names are bound to declared ones, texts are converted as the
 * schema says (a type hint wins; `"x-preserve-whitespace": true` takes the untrimmed text less one line break at either
 * end), and what does not fit is an error of its step: unknown and ambiguous names, missing parameters, a value given
 * twice, wrong values. A step gets the common parameters that its tool takes, unless it has its own; `plan.common` keeps
 * those that every step takes. Without `tools` texts stay text, but for hints, and `common` is left for the executor.
 *
 * Errors of the parser stand first. The same block has the same call ids every time.
 */
export function bindPlan(block: TamBlock, tools?: readonly ToolDefinition[]): Plan {
  const steps = block.steps.map((step) => bindStep(step, block, tools));
  const common = createRecord<unknown>();
  for (const [name, text] of Object.entries(block.common)) {
    if (!tools) common[name] = text;
    else if (steps[0] && steps.every(({ params }) => name in params)) common[name] = steps[0].params[name];
  }
  return block.requestId === undefined ? { common, steps } : { requestId: block.requestId, common, steps };
}

/** Everything that is needed to bind one step. */
function bindStep(step: TamStep, block: TamBlock, tools: readonly ToolDefinition[] | undefined): PlanStep {
  const errors = [...step.errors];
  const fail = (error: ToolErrorInfo): void => {
    if (!errors.some(({ type, message }) => type === error.type && message === error.message)) errors.push(error);
  };
  const found = tools && findTool(step.tool, tools);
  if (found && "error" in found) fail(found.error);
  const tool = found && "tool" in found ? found.tool : undefined;
  const declared = tool && declaredParams(tool);
  const name = tool?.name ?? step.tool;
  const invalid = (message: string): void => fail({ type: "InvalidInput", message });
  const bind = (param: string): string | undefined => {
    const bound = tool ? findParam(param, tool) : { name: param };
    if ("name" in bound) return bound.name;
    fail(bound.error);
    return undefined;
  };

  const hints = new Map<string, TamTypeHint>();
  for (const [param, hint] of Object.entries(step.typeHints)) {
    const bound = tool ? findParam(param, tool) : { name: param };
    if ("name" in bound) hints.set(bound.name, hint);
  }
  const params = createRecord<unknown>();
  const uris = createRecord<string>();
  const given = new Set<string>();
  const take = (param: string): string | undefined => {
    const bound = bind(param);
    if (bound === undefined) return undefined;
    if (given.has(bound)) invalid(`${name} is given ${JSON.stringify(bound)} twice, under different names.`);
    given.add(bound);
    return bound;
  };
  const convert = (bound: string, text: string, raw: string | undefined): void => {
    const schema = declared?.schemas.get(bound) ?? declared?.others;
    const hint = hints.get(bound);
    const exact = typeof schema === "object" && schema["x-preserve-whitespace"] === true;
    const source = exact && raw !== undefined ? raw.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : text;
    if (hint) {
      const read = readHinted(source, hint);
      if ("value" in read) params[bound] = read.value;
      else invalid(`${name}, ${bound}: ${read.problem}`);
      return;
    }
    const read = coerceText(source, schema, tool ? { root: tool.inputSchema } : {});
    if (read.success) params[bound] = read.value;
    else
      fail({
        type: "InvalidInput",
        message: `${name}, ${bound}: ${read.issue.message}`,
        issues: [{ ...read.issue, path: bound }],
      });
  };

  for (const [param, text] of Object.entries(step.params)) {
    const bound = take(param);
    if (bound !== undefined) convert(bound, text, step.raw[param]);
  }
  const byValue = new Set(given);
  for (const [param, uri] of Object.entries(step.uris)) {
    const bound = bind(param);
    if (bound === undefined) continue;
    if (byValue.has(bound)) invalid(`${name} is given both ${bound} and uri_${bound}: give one of them.`);
    else take(param);
    uris[bound] = uri;
  }
  if (tool && declared) {
    const own = new Set(given);
    for (const [param, text] of Object.entries(block.common)) {
      if (!declared.others && !matchName(param, declared.names)) continue;
      const bound = bind(param);
      if (bound === undefined || own.has(bound)) continue;
      take(param);
      convert(bound, text, block.commonRaw[param]);
    }
    for (const param of declared.required) {
      if (!given.has(param)) invalid(`${name} needs the parameter ${JSON.stringify(param)}.`);
    }
  }
  const { index, onError, retry, span } = step;
  const callId = `tam-${block.span.start}-${index}-${hash(toJsonText([step.tool, step.params, step.uris]))}`;
  return { index, callId, tool: name, params, uris, onError, retry, errors, span };
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(36);
}
