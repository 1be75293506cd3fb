import { type JsonObject, type Locale, type ToolDefinition, toJsonText } from "@toolglot/core";
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
import { rawProperty } from "./calls/schema.ts";
import { customText } from "./write-custom.ts";

/** A parameter that is the element's body. */
const rawBody: Record<Locale, string> = { en: "raw body", zh: "原样正文" };

/**
 * Returns the tools as a model that writes ToolsXML reads them: of each its name, description and parameters, whether it is
 * asynchronous, and one call. A string property marked `"x-raw-body": true` is shown as the element's body. Tools named
 * like a built-in tag (`command`, `edit`, `read`, `get_value`, `input`, `ctrl`, `mcp`) are described as the tag is, whatever
 * their schema. The call is the first example's input, else made from the schema: required parameters, `…` for texts.
 *
 * Throws `TypeError` for a tool name that can't be a tag.
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

/** Writes a block that calls a declared tool, in the form that {@link serialize} writes. */
function callBlock(tool: ToolDefinition): string {
  const { name, inputSchema: root } = tool;
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = resolveSchema(root, root);
  const example = tool.examples?.find((example) => example.input)?.input;
  const input = example ?? Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? true, root)]));
  const tools = new Map([[name, tool]]);
  return `<tools>\n${customText(name, JSON.parse(toJsonText(input)) as JsonObject, tools, !example)}\n</tools>`;
}
