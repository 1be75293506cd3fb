import {
  createRecord,
  type JsonSchema,
  type JsonSchemaObject,
  type Locale,
  type ToolDefinition,
  toJsonText,
} from "@toolglot/core";
import { builtInTags } from "./built-in-tags.ts";
import { rawProperty } from "./calls/custom.ts";
import { serialize } from "./serialize.ts";
import { attributes, cdata } from "./xml-text.ts";

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
    raw: "raw body",
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
    raw: "原样正文",
    async: "异步：立即返回 task_id，任务在后台运行。",
    others: "其他名称",
  },
};

/** Types and samples go this many levels into a schema. */
const maxDepth = 3;

/**
 * The tools as a model that writes ToolsXML reads them: of each its name, description and parameters, whether it is
 * asynchronous, and one call. A string property marked `"x-raw-body": true` is shown as the element's body. Tools named
 * like a built-in tag (`command`, `edit`, `read`, `get_value`, `input`, `ctrl`, `mcp`) are described as the tag is, whatever
 * their schema. The call is the first example's input, else made from the schema: required parameters, `…` for texts.
 *
 * Throws `TypeError` for a tool name that can't be a tag, and beside a raw body for a parameter that can't be an attribute.
 */
export function renderManual(tools: readonly ToolDefinition[], options: RenderManualOptions = {}): string {
  const locale = options.locale ?? "en";
  const words = wording[locale];
  const entries = tools.map((tool) => {
    const tag = builtInTags.get(tool.name.toLowerCase());
    return [
      `### ${oneLine(tool.name)}`,
      ...(tool.description.trim() ? [textOf(tool.description)] : []),
      ...(tag ? [tag[locale]] : paramLines(tool, words)),
      ...(tool.annotations?.async ? [words.async] : []),
      words.example,
      tag ? `<tools>\n${tag.example}\n</tools>` : callBlock(tool),
    ].join("\n");
  });
  return entries.join("\n\n") || words.noTools;
}

function paramLines(tool: ToolDefinition, words: (typeof wording)[Locale]): string[] {
  const root = tool.inputSchema;
  const raw = rawProperty(tool);
  const { properties = {}, required = [], additionalProperties: others } = resolve(root, root);
  const params = Object.entries(properties).map(([name, schema]) => [name, schema, required.includes(name)] as const);
  if (others) params.push([`[${words.others}]`, others, false]);
  if (params.length === 0) return [words.noParams];
  const lines = params.map(([name, schema, isRequired]) => {
    const { default: preset, description = "" } = resolve(schema, root);
    const facts = [typeText(schema, root)];
    if (isRequired) facts.push(words.required);
    if (name === raw) facts.push(words.raw);
    if (preset !== undefined) facts.push(`${words.default} ${toJsonText(preset)}`);
    const about = description.trim() && `: ${textOf(description).replaceAll("\n", "\n  ")}`;
    return `- ${oneLine(name)} (${facts.join(", ")})${about}`;
  });
  return [words.params, ...lines];
}

/** What can be a tag's name; names of attributes are held to it too. */
const tagName = /^[^\s<>/="'!?&;(){}[\],|`$]+$/;

const toText = (value: unknown): string => (typeof value === "string" ? value : toJsonText(value));

/** A block that calls a declared tool: short values as attributes, others as elements or the raw body. */
function callBlock(tool: ToolDefinition): string {
  const { name, inputSchema: root } = tool;
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = resolve(root, root);
  const input =
    tool.examples?.find((example) => example.input)?.input ??
    Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? true, root)]));
  const values = Object.entries(input);
  if (rawProperty(tool) !== undefined || ![name, ...Object.keys(input)].every((key) => tagName.test(key))) {
    const call = { tool: "custom" as const, name, input: JSON.parse(toJsonText(input)), span: { start: 0, end: 0 } };
    return serialize({ calls: [call], comments: [] }, { tools: [tool] }).trimEnd();
  }
  const inAttributes = createRecord<string>();
  const elements: string[] = [];
  for (const [key, value] of values) {
    // One item that looks like a list would be read as one.
    const list = Array.isArray(value) && value.length > 0 && value.every((item) => !/^(?:\s*\[|\{)/.test(toText(item)));
    const texts = (list ? value : [value]).map(toText);
    const [text = ""] = texts;
    if (typeof value !== "object" && text.length <= 60 && !text.includes("\n")) inAttributes[key] = text;
    else
      elements.push(...texts.map((item) => `    <${key}>${/[&<]|^\s|\s$/.test(item) ? cdata(item) : item}</${key}>\n`));
  }
  const head = `  <${name}${attributes(inAttributes)}`;
  const element = elements.length > 0 ? `${head}>\n${elements.join("")}  </${name}>` : `${head}/>`;
  return `<tools>\n${element}\n</tools>`;
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
