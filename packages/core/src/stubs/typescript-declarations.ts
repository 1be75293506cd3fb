import { checkKeys } from "@toolglot/internal";
import { type BoundTool, bindNames } from "../bind-names.ts";
import { toJsonText } from "../json.ts";
import { oneLine } from "../manual.ts";
import type { Locale } from "../protocol.ts";
import type { ToolDefinition, ToolExample } from "../tool-definition.ts";
import { javascriptLiteral, propertyKey } from "./javascript-literal.ts";
import type { RenderStubsOptions } from "./python-stubs.ts";
import { descriptionOf } from "./resolve-schema.ts";
import { clean, textLines } from "./text-lines.ts";
import { createTypeWriter, type Field } from "./typescript-type.ts";

const wording: Record<Locale, { heading: string; default: string }> = {
  zh: { heading: "可用工具列表", default: "默认" },
  en: { heading: "Available tools", default: "default" },
};

/**
 * Renders tools as TypeScript declares the functions that a JavaScript program sees: async, with one object of arguments (none for
 * a tool that takes none), a JSDoc comment above. Names are core's `bindNames(tools, "javascript")`, so that the runtime of the
 * program finds each tool again; a tool whose name had to change has its own name in a comment above. Definitions that
 * hold themselves, or are long and used again, are types with names of their own. Whatever names and descriptions hold,
 * the text is valid TypeScript.
 *
 * Throws `TypeError` when two tools have the same name.
 *
 * @example
 * ```ts
 * const properties = { path: { type: "string" } } as const;
 * const tools = [{ name: "read", description: "Reads a file.", inputSchema: { properties, required: ["path"] } }];
 * const declarations = renderTypeScriptDeclarations(tools, { locale: "en" });
 * ```
 */
export function renderTypeScriptDeclarations(
  tools: readonly ToolDefinition[],
  options: RenderStubsOptions = {},
): string {
  checkKeys("renderTypeScriptDeclarations", options, 'locale:"zh"|"en"');
  const words = wording[options.locale ?? "zh"];
  const bindings = bindNames(tools, "javascript");
  const names = new Set<string>();
  const parts = tools.map((tool) => renderTool(tool, bindings.byName.get(tool.name) as BoundTool, words, names));
  return `${[`// ===== ${words.heading} =====`, ...parts].join("\n\n")}\n`;
}

function renderTool(tool: ToolDefinition, bound: BoundTool, words: { default: string }, names: Set<string>): string {
  const { inputSchema, outputSchema } = tool;
  const nameOf =
    (whole: string) =>
    (reference: string): string =>
      uniqueName(`${bound.identifier}_${lastPart(reference) || whole}`, names);
  const schemas = bound.params.map(({ schema }) => schema);
  if (bound.rest !== undefined) schemas.push(bound.rest);
  const input = createTypeWriter(schemas, inputSchema, words, nameOf("Input"));
  const output = createTypeWriter([outputSchema ?? true], outputSchema ?? true, words, nameOf("Output"));
  const fields = bound.params.map((param): Field => {
    const { identifier, schema, required } = param;
    const fallback = param.default === undefined ? "" : `${words.default} ${oneLine(clean(toJsonText(param.default)))}`;
    return { name: identifier, schema, required, comment: fallback };
  });
  const optional = fields.some(({ required }) => required) ? "" : "?";
  const argument =
    fields.length === 0 && bound.rest === undefined ? "" : `input${optional}: ${input.object(fields, bound.rest)}`;
  const signature = `declare function ${bound.identifier}(${argument}): Promise<${output.type(outputSchema)}>;`;
  const renamed = bound.identifier === tool.name ? [] : [`// ${oneLine(clean(tool.name))}`];
  return [...renamed, ...input.aliases(), ...output.aliases(), ...comment(tool, bound), signature].join("\n");
}

/** Returns the JSDoc comment; nothing when there is nothing to say. */
function comment(tool: ToolDefinition, bound: BoundTool): string[] {
  const { inputSchema, outputSchema, raises = [], examples = [] } = tool;
  const lines = [
    ...textLines(tool.description),
    ...bound.params.flatMap(({ identifier, schema }) =>
      tag(`@param input.${identifier}`, descriptionOf(schema, inputSchema)),
    ),
    ...tag("@returns", outputSchema === undefined ? "" : descriptionOf(outputSchema, outputSchema)),
    ...raises.flatMap(({ type, description }) => tag(`@throws {${oneLine(clean(type))}}`, description, true)),
    ...examples.flatMap((example) => exampleLines(example, bound)),
  ];
  if (lines.length === 0) return [];
  const safe = lines.map((line) => line.replaceAll("*/", "*\\/"));
  return ["/**", ...safe.map((line) => ` * ${line}`.trimEnd()), " */"];
}

/** Writes `@tag first line`, further lines indented; nothing for an empty text, unless `always`: the tag is enough by itself. */
function tag(name: string, text: string, always = false): string[] {
  const [first, ...more] = textLines(text);
  if (first === undefined) return always ? [name] : [];
  return [`${name} ${first}`, ...more.map((line) => (line === "" ? "" : `  ${line}`))];
}

/** Returns the call, or the lines written for JavaScript, then the value as JSON. */
function exampleLines({ input, code, language, output }: ToolExample, bound: BoundTool): string[] {
  const own = code !== undefined && language === "javascript" ? textLines(code) : undefined;
  const lines = own ?? (input && [`await ${renderJavaScriptCall(bound, input)};`]);
  if (lines === undefined || lines.length === 0) return [];
  const value = output === undefined ? [] : [`// → ${oneLine(clean(toJsonText(output)))}`];
  return ["@example", ...lines, ...value];
}

/** Writes a call as code, without `await`: one object with every argument by its name, or nothing. */
export function renderJavaScriptCall(bound: BoundTool, input: Readonly<Record<string, unknown>>): string {
  const identifiers = new Map(bound.params.map(({ name, identifier }) => [name, identifier]));
  const entries = Object.entries(input).map(([key, value]) => {
    const name = identifiers.get(key) ?? key;
    return `${name === "__proto__" ? '["__proto__"]' : propertyKey(name)}: ${javascriptLiteral(value)}`;
  });
  return `${bound.identifier}(${entries.length > 0 ? `{ ${entries.join(", ")} }` : ""})`;
}

function lastPart(reference: string): string {
  return reference.split("/").at(-1)?.replaceAll(/\W+/g, "_").replace(/^_$/, "") ?? "";
}

function uniqueName(wish: string, taken: Set<string>): string {
  let name = wish;
  for (let number = 2; taken.has(name); number++) name = `${wish}_${number}`;
  taken.add(name);
  return name;
}
