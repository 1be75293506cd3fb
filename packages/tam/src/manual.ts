import { type JsonSchema, type JsonSchemaObject, type Locale, type ToolDefinition, toJsonText } from "@toolglot/core";
import { declaredParams } from "./declared.ts";
import { normalizeKey } from "./names.ts";
import { serialize } from "./serialize.ts";
import type { TamStep } from "./types.ts";

/** How the manual is written. */
export interface RenderManualOptions {
  /** Language of headings and notes; descriptions stay as they are. Default `en`. */
  locale?: Locale;
}

const wording = {
  en: {
    noTools: "No tools.",
    params: "Parameters:",
    noParams: "No parameters.",
    example: "Example:",
    required: "required",
    default: "default",
    async: "Asynchronous: returns task_id at once, its task runs in the background.",
    others: "other names",
  },
  zh: {
    noTools: "没有工具。",
    params: "参数：",
    noParams: "没有参数。",
    example: "示例：",
    required: "必需",
    default: "默认",
    async: "异步：立即返回 task_id，任务在后台运行。",
    others: "其他名称",
  },
};

/** Types and samples go this many levels into a schema. */
const maxDepth = 3;

/**
 * The tools as a model that writes TAM reads them: of each its name, description and parameters, whether it is
 * asynchronous, and one call. Parameter names are normalised, as models write them; one that means something else in a
 * block (`command`, `retry`) stands as `common_command`, which gives it all the same. The call is the first example whose
 * input can stand in a block, else made from the schema: required parameters, `…` for texts.
 */
export function renderManual(tools: readonly ToolDefinition[], options: RenderManualOptions = {}): string {
  const words = wording[options.locale ?? "en"];
  const entries = tools.map((tool) => {
    const { names, schemas, required, others } = declaredParams(tool);
    const params = names.map((name) => [fieldKey(name), schemas.get(name) ?? true, required.includes(name)] as const);
    const listed = others === undefined ? params : [...params, [`[${words.others}]`, others, false] as const];
    const shown = example(tool);
    return [
      `### ${oneLine(tool.name)}`,
      ...(tool.description.trim() ? [textOf(tool.description)] : []),
      listed.length > 0 ? words.params : words.noParams,
      ...listed.map(([key, schema, isRequired]) => {
        const { default: preset, description = "" } = resolve(schema, tool.inputSchema);
        const facts = [typeText(schema, tool.inputSchema)];
        if (isRequired) facts.push(words.required);
        if (preset !== undefined) facts.push(`${words.default} ${toJsonText(preset)}`);
        const about = description.trim() && `: ${textOf(description).replaceAll("\n", "\n  ")}`;
        return `- ${key}:»»»…««« (${facts.join(", ")})${about}`;
      }),
      ...(tool.annotations?.async ? [words.async] : []),
      ...(shown ? [words.example, shown] : []),
    ].join("\n");
  });
  return entries.join("\n\n") || words.noTools;
}

/** What a name can't be in a block of one step without meaning something else. */
const reserved = /^(?:(?:command|on_error|retry)(?:_?\d+)?|comment|request_id|(?:common|uri|type_hint)_.+)$/;

/** A parameter's name as a field has it. */
function fieldKey(name: string): string {
  const key = normalizeKey(name) || oneLine(name);
  return reserved.test(key) ? `common_${key}` : key;
}

function example(tool: ToolDefinition): string {
  const { names, required, schemas } = declaredParams(tool);
  const inputs: Record<string, unknown>[] = (tool.examples ?? []).flatMap(({ input }) => (input ? [input] : []));
  const needed = required.length > 0 ? required : names.slice(0, 1);
  inputs.push(Object.fromEntries(needed.map((name) => [name, sample(schemas.get(name) ?? true, tool.inputSchema)])));
  for (const input of inputs) {
    const params: Record<string, string> = {};
    const common: Record<string, string> = {};
    for (const [name, value] of Object.entries(input)) {
      const key = normalizeKey(name);
      (reserved.test(key) ? common : params)[key] = typeof value === "string" ? value : toJsonText(value);
    }
    const step: TamStep = {
      index: 1,
      tool: oneLine(tool.name),
      params,
      raw: {},
      uris: {},
      typeHints: {},
      onError: "stop",
      retry: 0,
      errors: [],
      span: { start: 0, end: 0 },
    };
    try {
      return serialize({ common, steps: [step] }).trimEnd();
    } catch {
      // No block can hold this one: the next may fit.
    }
  }
  return "";
}

/** `string`, `integer[]`, `"asc" | "desc"`, `{ x: number, y?: number }`; `any` where the schema doesn't say. */
function typeText(schema: JsonSchema, root: JsonSchemaObject, depth = 0): string {
  const found = resolve(schema, root);
  const { enum: literals = "const" in found ? [found.const] : undefined, properties } = found;
  const branches = found.anyOf ?? found.oneOf ?? found.allOf?.slice(0, 1);
  const inner = (part: JsonSchema): string => typeText(part, root, depth + 1);
  if (depth > maxDepth) return "any";
  const types = [found.type ?? (properties ? "object" : "any")].flat().map((type) => {
    if (type === "array" && found.items)
      return inner(found.items)
        .replace(/^[^{]* \| .*/, "($&)")
        .concat("[]");
    if (type !== "object" || !properties) return type;
    const fields = Object.entries(properties).map(([name, field]) => {
      const about = resolve(field, root).description;
      const mark = found.required?.includes(name) ? "" : "?";
      return `${oneLine(name)}${mark}: ${inner(field)}${about ? ` /* ${oneLine(about)} */` : ""}`;
    });
    return `{ ${fields.join(", ")} }`;
  });
  const names =
    literals?.map((literal) => toJsonText(literal)) ?? (found.type ? types : (branches?.map(inner) ?? types));
  return [...new Set(found.nullable ? [...names, "null"] : names)].join(" | ");
}

/** A value of the schema's type. */
function sample(schema: JsonSchema, root: JsonSchemaObject, depth = 0): unknown {
  const found = resolve(schema, root);
  const { type, properties, required = [], anyOf, oneOf, allOf } = found;
  const given = [found.default, found.const, found.enum?.[0]].find((value) => value !== undefined);
  const branch = (anyOf ?? oneOf ?? allOf)?.[0];
  const inner = (part: JsonSchema = true): unknown => sample(part, root, depth + 1);
  if (given !== undefined || depth > maxDepth) return given ?? "…";
  if (type === undefined && branch) return inner(branch);
  switch ([type ?? (properties ? "object" : "string")].flat()[0]) {
    case "array":
      return [inner(found.items)];
    case "object":
      return Object.fromEntries(required.map((name) => [name, inner(properties?.[name])]));
    case "integer":
    case "number":
      return found.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "…";
  }
}

/** A schema with its local reference followed; what is beside the reference wins. */
function resolve(schema: JsonSchema, root: JsonSchemaObject, hops = 0): JsonSchemaObject {
  if (typeof schema !== "object") return {};
  const { $ref, ...own } = schema;
  const [, group, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref ?? "") ?? [];
  const target = group && name && (root[group] as Record<string, JsonSchema> | undefined)?.[name];
  return target && hops < maxDepth ? { ...resolve(target, root, hops + 1), ...own } : own;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** A text of several lines, without outer blank lines and the indentation that the lines after the first share. */
function textOf(text: string): string {
  const lines = text.trim().replace(/[^\S\n]*\r?\n/g, "\n");
  const margin = Math.min(...Array.from(lines.matchAll(/\n( *)\S/g), ([, blanks = ""]) => blanks.length));
  return margin > 0 && margin < 1e3 ? lines.replaceAll(`\n${" ".repeat(margin)}`, "\n") : lines;
}
