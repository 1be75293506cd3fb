import { createRecord, type Locale, type ToolDefinition, toJsonText } from "@toolglot/core";
import {
  manualWording,
  oneLine,
  paramLine,
  type RenderManualOptions,
  resolveSchema,
  sample,
  textOf,
} from "@toolglot/core/manual";
import { checkKeys } from "@toolglot/internal";
import { builtInTags } from "./built-in-tags.ts";
import { rawProperty } from "./calls/custom.ts";
import { serialize } from "./serialize.ts";
import { attributes, cdata } from "./xml-text.ts";

/** A parameter that is the element's body. */
const rawBody: Record<Locale, string> = { en: "raw body", zh: "原样正文" };

/**
 * The tools as a model that writes ToolsXML reads them: of each its name, description and parameters, whether it is
 * asynchronous, and one call. A string property marked `"x-raw-body": true` is shown as the element's body. Tools named
 * like a built-in tag (`command`, `edit`, `read`, `get_value`, `input`, `ctrl`, `mcp`) are described as the tag is, whatever
 * their schema. The call is the first example's input, else made from the schema: required parameters, `…` for texts.
 *
 * Throws `TypeError` for a tool name that can't be a tag, and beside a raw body for a parameter that can't be an attribute.
 */
export function renderManual(tools: readonly ToolDefinition[], options: RenderManualOptions = {}): string {
  checkKeys("renderManual", options, 'locale:"zh"|"en"');
  const locale = options.locale ?? "en";
  const words = manualWording[locale];
  const entries = tools.map((tool) => {
    const tag = builtInTags.get(tool.name.toLowerCase());
    return [
      `### ${oneLine(tool.name)}`,
      ...(tool.description.trim() ? [textOf(tool.description)] : []),
      ...(tag ? [tag[locale]] : paramLines(tool, locale)),
      ...(tool.annotations?.async ? [words.async] : []),
      words.example,
      tag ? `<tools>\n${tag.example}\n</tools>` : callBlock(tool),
    ].join("\n");
  });
  return entries.join("\n\n") || words.noTools;
}

function paramLines(tool: ToolDefinition, locale: Locale): string[] {
  const words = manualWording[locale];
  const root = tool.inputSchema;
  const raw = rawProperty(tool);
  const { properties = {}, required = [], additionalProperties: others } = resolveSchema(root, root);
  const params = Object.entries(properties).map(([name, schema]) => [name, schema, required.includes(name)] as const);
  if (others) params.push([`[${words.others}]`, others, false]);
  if (params.length === 0) return [words.noParams];
  const lines = params.map(([name, schema, isRequired]) =>
    paramLine(oneLine(name), schema, root, words, [isRequired && words.required, name === raw && rawBody[locale]]),
  );
  return [words.params, ...lines];
}

/** What can be a tag's name; names of attributes are held to it too. */
const tagName = /^[^\s<>/="'!?&;(){}[\],|`$]+$/;

const toText = (value: unknown): string => (typeof value === "string" ? value : toJsonText(value));

/** A block that calls a declared tool: short values as attributes, others as elements or the raw body. */
function callBlock(tool: ToolDefinition): string {
  const { name, inputSchema: root } = tool;
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = resolveSchema(root, root);
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
