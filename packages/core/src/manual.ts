/** How a model is shown what a schema takes, for those who write a protocol. */
import { type JsonSchema, type JsonSchemaObject, toJsonText } from "./json.ts";
import type { Locale } from "./protocol.ts";
import { neutralize } from "./text/neutralize.ts";

/** Types and samples go this many levels into a schema. */
const maxDepth = 3;

/** Words of every manual, by language. */
export const manualWording: Record<Locale, ManualWording> = {
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

/** How a manual is written. */
export interface RenderManualOptions {
  /** Language of headings and notes; descriptions stay as they are. Default `en`. */
  locale?: Locale;
}

/** Words of a manual. */
export interface ManualWording {
  noTools: string;
  params: string;
  noParams: string;
  example: string;
  required: string;
  default: string;
  async: string;
  others: string;
}

/** Returns `string`, `integer[]`, `"asc" | "desc"`, `{ x: number, y?: number }`; `any` where the schema doesn't say. */
export function typeText(schema: JsonSchema, root: JsonSchemaObject, depth = 0): string {
  const found = resolveSchema(schema, root);
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
      const about = resolveSchema(field, root).description;
      const mark = found.required?.includes(name) ? "" : "?";
      return `${oneLine(name)}${mark}: ${inner(field)}${about ? ` /* ${oneLine(neutralize(about))} */` : ""}`;
    });
    return `{ ${fields.join(", ")} }`;
  });
  const names =
    literals?.map((literal) => toJsonText(literal)) ?? (found.type ? types : (branches?.map(inner) ?? types));
  return [...new Set(found.nullable ? [...names, "null"] : names)].join(" | ");
}

/** Writes a parameter in a list: `- limit (integer, default 10): How many at most.`; `marks` are further facts, where there are any. */
export function paramLine(
  name: string,
  schema: JsonSchema,
  root: JsonSchemaObject,
  words: ManualWording,
  marks: readonly (string | false)[],
): string {
  const { default: preset, description = "" } = resolveSchema(schema, root);
  const value = preset !== undefined && `${words.default} ${toJsonText(preset)}`;
  const facts = [typeText(schema, root), ...marks, value].filter(Boolean);
  const about = textOf(description).replaceAll("\n", "\n  ");
  return `- ${name} (${facts.join(", ")})${about && `: ${about}`}`;
}

/** Returns a value of the schema's type. */
export function sample(schema: JsonSchema, root: JsonSchemaObject, depth = 0): unknown {
  const found = resolveSchema(schema, root);
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

/** Returns a schema with its local reference followed; what is beside the reference wins. */
export function resolveSchema(schema: JsonSchema, root: JsonSchemaObject, hops = 0): JsonSchemaObject {
  if (typeof schema !== "object") return {};
  const { $ref, ...own } = schema;
  const [, group, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref ?? "") ?? [];
  const target = group && name && (root[group] as Record<string, JsonSchema> | undefined)?.[name];
  return target && hops < maxDepth ? { ...resolveSchema(target, root, hops + 1), ...own } : own;
}

/** Returns a text on one line. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Returns a text of several lines, without outer blank lines and the indentation that the lines after the first share. No mark of a
 * protocol has power in it: descriptions may come from a server that is not the host's own.
 */
export function textOf(text: string): string {
  const lines = neutralize(text)
    .trim()
    .replace(/[^\S\n]*\n/g, "\n");
  // What all lines that hold something begin with: the shortest sorts first.
  const [shared = "\n"] = (lines.match(/\n *(?=\S)/g) ?? []).sort();
  return lines.replaceAll(shared, "\n");
}
