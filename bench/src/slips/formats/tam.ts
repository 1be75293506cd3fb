import type { JsonSchema, ToolDefinition } from "@toolglot/core";
import type { SlipBody } from "../bodies.ts";
import type { Format, Value, Written } from "../slip.ts";
import { layoutSlips } from "./tam-layouts.ts";
import { tamSlips } from "./tam-slips.ts";

/** One step: its tool, and its parameters in the order they are written. */
export interface TamCall {
  tool: string;
  params: [string, string][];
}

/** How fields are written. */
export interface Style {
  start: string;
  end: string;
  open: string;
  close: string;
  colon: string;
  /** Spells a key; the last key of the block may be spelled apart. */
  key: (key: string) => string;
  /** Opener and closer of the field that carries the body. */
  bodyOpen?: string;
  bodyClose?: string;
}

const template: Style = {
  start: "<|[REQUEST_TOOL]|>\n",
  end: "<|[END_TOOL]|>\n",
  open: "»»»",
  close: "«««",
  colon: ":",
  key: (key) => key,
};

const text: JsonSchema = { type: "string" };

function tool(name: string, ...names: string[]): ToolDefinition {
  const properties = Object.fromEntries(names.map((param) => [param, text]));
  return { name, description: "", inputSchema: { type: "object", properties, required: names } };
}

const tools: ToolDefinition[] = [
  tool("File.Write", "file_path", "content"),
  tool("File.Insert", "file_path", "content", "line"),
  tool("Shell.Run", "script"),
  tool("Search.Web", "query"),
];

const namesOf = (one: ToolDefinition | undefined): string[] =>
  Object.keys((one?.inputSchema as { properties?: object } | undefined)?.properties ?? {});

const declared = new Set(tools.flatMap(namesOf));

/** The parameter that carries the body. */
export const carriers = new Set(["content", "script", "query"]);

export const value = ({ tool: name, params }: TamCall): Value => ({
  tool: name,
  params: Object.fromEntries(params.map(([key, param]) => [key, param.trim()])),
});

/** Bodies of many lines begin on a line of their own. */
const laidOut = (param: string): string => (param.includes("\n") ? `\n${param}\n` : param);

/** Steps in one block, whatever their values do to it. */
export function raw(calls: readonly TamCall[], changed: Partial<Style> = {}): Written {
  const style = { ...template, ...changed };
  let written = style.start;
  const seams: number[] = [];
  const values: [number, number][] = [];
  let valueEnd = 0;
  let complete = 0;
  for (const [index, call] of calls.entries()) {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    for (const [key, param] of [["command", call.tool] as const, ...call.params]) {
      const carries = carriers.has(key);
      seams.push(written.length);
      written += style.key(key + number) + style.colon;
      written += (carries ? style.bodyOpen : undefined) ?? style.open;
      const laid = laidOut(param);
      valueEnd = written.length + laid.trimEnd().length;
      values.push([written.length, valueEnd]);
      written += laid + ((carries ? style.bodyClose : undefined) ?? style.close);
      complete = written.length;
      written += "\n";
    }
  }
  return { text: written + style.end, begun: style.start.length, valueEnd, complete, values, seams };
}

function calls({ kind, path, text: body }: SlipBody): TamCall[] {
  const write: TamCall = {
    tool: "File.Write",
    params: [
      ["file_path", path],
      ["content", body],
    ],
  };
  if (kind === "shell") return [{ tool: "Shell.Run", params: [["script", body]] }, write];
  const insert: TamCall = { tool: "File.Insert", params: [...write.params, ["line", "12"]] };
  return [write, insert];
}

const field = /([^\n:]+):»»»([\s\S]*?)«««\n(?=[^\n:]+:»»»|<\|\[END_TOOL\]\|>\n|#)/y;

/** Every value up to the first closer that a field, a comment or the end follows: a right output if that takes up all. */
function meanings(whole: string): Value[][] {
  const inner = /^<\|\[REQUEST_TOOL\]\|>\n([\s\S]*)$/.exec(whole)?.[1];
  if (inner === undefined) return [];
  const steps = new Map<string, TamCall>();
  let at = 0;
  while (!inner.startsWith("<|[END_TOOL]|>\n", at)) {
    const comment = /#[^\n]*\n/y;
    comment.lastIndex = at;
    if (comment.test(inner)) {
      at = comment.lastIndex;
      continue;
    }
    field.lastIndex = at;
    const [found, key = "", param = ""] = field.exec(inner) ?? [];
    const [, name = "", number = ""] = /^([a-z_]+?)((?:_\d+)?)$/.exec(key) ?? [];
    if (found === undefined || !(name === "command" || declared.has(name))) return [];
    const step = steps.get(number) ?? { tool: "", params: [] };
    if (name === "command") step.tool = param;
    else step.params.push([name, param]);
    steps.set(number, step);
    at = field.lastIndex;
  }
  const takesAll = at + "<|[END_TOOL]|>\n".length === inner.length;
  return takesAll && [...steps.values()].every(isRight) ? [[...steps.values()].map(value)] : [];
}

/** A right step calls a tool that exists, with each of its parameters once. */
function isRight({ tool: name, params }: TamCall): boolean {
  const names = namesOf(tools.find((one) => one.name === name.trim()));
  return (
    names.length > 0 && names.length === params.length && names.every((param) => params.some(([key]) => key === param))
  );
}

/** TAM: fields between delimiters. */
export const tamFormat: Format<TamCall> = {
  id: "tam",
  tools,
  calls,
  write: (list) => raw(list),
  value,
  manyCalls: true,
  mentions: [
    "I call tools with a `<|[REQUEST_TOOL]|>` block.",
    "A block begins with <|[REQUEST_TOOL]|> and ends with <|[END_TOOL]|>, each on its own line.",
    "Fields look like `command:»»»Shell.Run«««`.",
    "A field is written key:»»»value«««, as in command:»»»Shell.Run«««.",
  ],
  madeUpResult: "<|[TOOL_RESULT]|>\nstatus_1:»»»ok«««\nresult_1:»»»3 rows«««\n<|[END_RESULT]|>\n",
  other: { tool: "Search.Web", params: [["query", "toml"]] },
  slips: { ...tamSlips, ...layoutSlips },
  meanings,
  isOwn: ({ kind }) => kind === "tam",
};
