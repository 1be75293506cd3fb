import type { JsonSchema, ToolDefinition } from "@toolglot/core";
import type { SlipBody } from "../bodies.ts";
import type { Format, Value } from "../slip.ts";
import { raw, tamClosers, tamSlips } from "./tam-slips.ts";
import { carriers, type Style, type TamCall, value, written } from "./tam-write.ts";

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

function calls({ kind, path, text: body }: SlipBody): TamCall[] {
  const write: TamCall = { tool: "File.Write", params: Object.entries({ file_path: path, content: body }) };
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
    else step.params.push([name, param.replace(/^\n([\s\S]*)\n$/, "$1")]);
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
export const tamFormat: Format<TamCall, Style> = {
  id: "tam",
  tools,
  calls,
  write: (list) => written(list),
  raw,
  value,
  withBody: (call, change) => ({
    ...call,
    params: call.params.map(([key, param]) => [key, carriers.has(key) ? change(param) : param]),
  }),
  manyCalls: true,
  mentions: [
    "I call tools with a `<|[REQUEST_TOOL]|>` block.",
    "A block begins with <|[REQUEST_TOOL]|> and ends with <|[END_TOOL]|>, each on its own line.",
    "Fields look like `command:»»»Shell.Run«««`.",
    "A field is written key:»»»value«««, as in command:»»»Shell.Run«««.",
  ],
  madeUpResult: "<|[TOOL_RESULT]|>\nstatus_1:»»»ok«««\nresult_1:»»»3 rows«««\n<|[END_RESULT]|>\n",
  other: { tool: "Search.Web", params: [["query", "toml"]] },
  closers: () => tamClosers,
  slips: tamSlips,
  meanings,
  isOwn: ({ kind }) => kind === "tam",
};
