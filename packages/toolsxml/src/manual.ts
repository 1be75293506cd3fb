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
 * Throws `TypeError` for a tool name that can't be a tag.
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
      `<tools>\n${tag?.example ?? call(tool)}\n</tools>`,
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

/** A call of a declared tool: short values as attributes, others as elements or the raw body. */
function call(tool: ToolDefinition): string {
  const root = tool.inputSchema;
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = resolve(root, root);
  const input =
    tool.examples?.find((example) => example.input)?.input ??
    Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? true, root)]));
  const { name } = tool;
  if (!tagName.test(name))
    throw new TypeError(`The tool name ${JSON.stringify(name)} can't be a tag: give the tool a name without it.`);
  const values = Object.entries(input);
  const raw = rawProperty(tool);
  if (raw === undefined && !values.every(([key]) => tagName.test(key)))
    return `  <${name}>${toJsonText(input)}</${name}>`;
  const body = values.find(([key, value]) => key === raw && typeof value === "string");
  const inAttributes = createRecord<string>();
  const elements: string[] = [];
  for (const [key, value] of values) {
    if (key === body?.[0] || !tagName.test(key)) continue;
    const list = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== "object");
    const texts = (list ? value : [value]).map((item) => (typeof item === "string" ? item : toJsonText(item)));
    const [text = ""] = texts;
    if (raw !== undefined || (typeof value !== "object" && text.length <= 60 && !text.includes("\n"))) {
      inAttributes[key] = list ? toJsonText(value) : text;
    } else {
      elements.push(...texts.map((item) => `    <${key}>${/[&<]/.test(item) ? cdata(item) : item}</${key}>\n`));
    }
  }
  const head = `  <${name}${attributes(inAttributes)}`;
  if (body) return `${head}>${body[1]}</${name}>`;
  return elements.length > 0 ? `${head}>\n${elements.join("")}  </${name}>` : `${head}/>`;
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
