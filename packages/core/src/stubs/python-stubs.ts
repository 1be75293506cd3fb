import { checkKeys } from "@toolglot/internal";
import { type BoundTool, bindNames } from "../bind-names.ts";
import type { JsonSchema, JsonSchemaObject } from "../json.ts";
import type { Locale } from "../protocol.ts";
import type { ToolDefinition, ToolExample } from "../tool-definition.ts";
import { pythonLiteral } from "./python-literal.ts";
import { descriptionOf, resolveSchema } from "./resolve-schema.ts";
import { clean, indent, textLines } from "./text-lines.ts";

/** How stubs are written. */
export interface RenderStubsOptions {
  /** Language of headings and boilerplate; descriptions stay as they are. Default `zh`, the specification's own. */
  locale?: Locale;
}

const wording = {
  zh: { heading: "可用工具列表", fields: "包含以下字段：", each: "每项包含以下字段：", join: "，", optional: "可选" },
  en: {
    heading: "Available tools",
    fields: "with these fields:",
    each: "each with these fields:",
    join: ", ",
    optional: "optional",
  },
} as const;

type Wording = (typeof wording)[Locale];

/** Nested fields are listed this many levels deep. */
const maxFieldDepth = 3;

/**
 * Renders tools as the Python functions that a program sees: signature, docstring, `pass`. Names are core's
 * `bindNames(tools, "python")`, so that the runtime of the program finds each tool again; a tool whose name had to change has
 * its own name in a comment above. Whatever names and descriptions hold, the text is valid Python.
 *
 * Throws `TypeError` when two tools have the same name.
 *
 * @example
 * ```ts
 * const properties = { path: { type: "string" } } as const;
 * const tools = [{ name: "read", description: "Reads a file.", inputSchema: { properties, required: ["path"] } }];
 * const stubs = renderPythonStubs(tools, { locale: "en" }); // def read(path: str) -> Any: …
 * ```
 */
export function renderPythonStubs(tools: readonly ToolDefinition[], options: RenderStubsOptions = {}): string {
  checkKeys("renderPythonStubs", options, 'locale:"zh"|"en"');
  const words = wording[options.locale ?? "zh"];
  const bindings = bindNames(tools, "python");
  const stubs = tools.map((tool) => renderStub(tool, bindings.byName.get(tool.name) as BoundTool, words));
  return `${[`# ===== ${words.heading} =====\n`, stubs.join("\n\n\n")].join("\n").trimEnd()}\n`;
}

function renderStub(tool: ToolDefinition, bound: BoundTool, words: Wording): string {
  const lines = [`def ${bound.identifier}(${signature(tool, bound)}) -> ${typeHint(tool.outputSchema)}:`];
  if (bound.identifier !== tool.name) lines.unshift(`# ${clean(tool.name).replaceAll("\n", " ")}`);
  const sections = [
    textLines(tool.description),
    section("Args", argumentLines(tool, bound, words)),
    section("Returns", returnLines(tool.outputSchema, words)),
    section(
      "Raises",
      (tool.raises ?? []).flatMap(({ type, description }) => entry(clean(type), textLines(description))),
    ),
    section("Example", exampleLines(tool.examples ?? [], bound)),
  ].filter((list) => list.length > 0);
  if (sections.length > 0) {
    const body = sections.flatMap((list, index) => (index === 0 ? list : ["", ...list]));
    lines.push(...indent(['"""', ...body.map(escapeDocstring), '"""'], 4));
  }
  return [...lines, "    pass"].join("\n");
}

function signature(tool: ToolDefinition, bound: BoundTool): string {
  const params = bound.params.map((param) => {
    const start = `${param.identifier}: ${typeHint(param.schema, tool.inputSchema)}`;
    return param.required ? start : `${start} = ${pythonLiteral(param.default)}`;
  });
  if (bound.rest !== undefined) {
    const taken = new Set(bound.params.map((param) => param.identifier));
    let name = "kwargs";
    while (taken.has(name)) name += "_";
    params.push(`**${name}: ${typeHint(bound.rest, tool.inputSchema)}`);
  }
  return params.join(", ");
}

function argumentLines(tool: ToolDefinition, bound: BoundTool, words: Wording): string[] {
  return bound.params.flatMap((param) => {
    const description = descriptionOf(param.schema, tool.inputSchema);
    const fields = fieldLines(param.schema, tool.inputSchema, words, 1, true);
    const text = textLines(withFieldsPhrase(description, param.schema, tool.inputSchema, fields, words));
    return [
      ...entry(param.identifier, text.length > 0 ? text : [typeHint(param.schema, tool.inputSchema)]),
      ...indent(fields, 4),
    ];
  });
}

function returnLines(schema: JsonSchema | undefined, words: Wording): string[] {
  if (schema === undefined) return [];
  const fields = fieldLines(schema, schema, words, 1, false);
  const text = textLines(withFieldsPhrase(descriptionOf(schema, schema), schema, schema, fields, words));
  return text.length === 0 ? [] : [...entry(typeHint(schema), text), ...indent(fields, 4)];
}

/** Leads over to the list of fields, unless the description does so itself with a colon at its end. */
function withFieldsPhrase(
  description: string,
  schema: JsonSchema,
  root: JsonSchema,
  fields: readonly string[],
  words: Wording,
): string {
  if (fields.length === 0 || /[:：]\s*$/.test(description)) return description;
  const found = resolveSchema(schema, root);
  const phrase = typeof found === "object" && itemsOf(found) !== undefined ? words.each : words.fields;
  return description === "" ? phrase : `${description.replace(/[\s.。]+$/, "")}${words.join}${phrase}`;
}

/** Writes `- title: str - what it is`, for the properties of an object or of a list's items. */
function fieldLines(schema: JsonSchema, root: JsonSchema, words: Wording, depth: number, input: boolean): string[] {
  let found = resolveSchema(schema, root);
  if (typeof found === "object") found = resolveSchema(itemsOf(found) ?? found, root);
  if (typeof found !== "object" || !found.properties) return [];
  const { required } = found;
  return Object.entries(found.properties).flatMap(([name, field]) => {
    const [first, ...more] = textLines(descriptionOf(field, root));
    const optional = input && required && !required.includes(name) ? `${words.join}${words.optional}` : "";
    const head = `- ${clean(name).replaceAll("\n", " ")}: ${typeHint(field, root)}${optional}${first === undefined ? "" : ` - ${first}`}`;
    const nested = depth < maxFieldDepth ? fieldLines(field, root, words, depth + 1, input) : [];
    return [head, ...indent(more, 2), ...indent(nested, 4)];
  });
}

function itemsOf(schema: JsonSchemaObject): JsonSchema | undefined {
  return typeof schema.items === "object" ? schema.items : undefined;
}

/** Examples in doctest form: code after `>>>`, then the value as Python prints it. */
function exampleLines(examples: readonly ToolExample[], bound: BoundTool): string[] {
  return examples.flatMap((example, index) => {
    const own = example.language === "javascript" ? undefined : example.code;
    const code = own ?? (example.input && renderPythonCall(bound, example.input));
    if (code === undefined) return [];
    const lines = textLines(code).map((line) => {
      if (/^(?:>>>|\.\.\.)(?: |$)/.test(line)) return line;
      return /^(?:[\s)\]}]|(?:else|elif|except|finally)\b|$)/.test(line) ? `... ${line}`.trimEnd() : `>>> ${line}`;
    });
    if (example.output !== undefined) lines.push(pythonLiteral(example.output, "'"));
    return index === 0 ? lines : ["", ...lines];
  });
}

/** Writes a call as code: required arguments by position, the others by name. */
export function renderPythonCall(bound: BoundTool, input: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  const rest = new Map(Object.entries(input));
  let positional = true;
  for (const param of bound.params) {
    if (!rest.has(param.name)) {
      positional = false;
      continue;
    }
    positional &&= param.required;
    const value = pythonLiteral(rest.get(param.name));
    parts.push(positional ? value : `${param.identifier}=${value}`);
    rest.delete(param.name);
  }
  if (rest.size > 0) parts.push(`**${pythonLiteral(Object.fromEntries(rest))}`);
  return `${bound.identifier}(${parts.join(", ")})`;
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [`${name}:`, ...indent(lines, 4)] : [];
}

/** Writes `name: first line`, further lines indented. */
function entry(name: string, [first, ...more]: readonly string[]): string[] {
  return [first === undefined ? name : `${name}: ${first}`, ...indent(more, 4)];
}

function escapeDocstring(line: string): string {
  return line.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
}

const maxDepth = 8;

/**
 * Returns a JSON Schema as a Python type hint: `str`, `list[int]`, `dict[str, float]`, `Literal["a", "b"]`, `str | None`; `Any`
 * where the schema has nothing that a hint can express. `root` is what local references point into.
 */
export function typeHint(schema: JsonSchema | undefined, root: JsonSchema | undefined = schema): string {
  return [...hints(schema, root, 0)].join(" | ");
}

/** Returns the members of the union, without repetition; `Any` swallows the others. */
function hints(schema: JsonSchema | undefined, root: JsonSchema | undefined, depth: number): Set<string> {
  const found = resolveSchema(schema, root);
  if (typeof found !== "object" || depth > maxDepth) return new Set(["Any"]);
  const union = new Set(members(found, root, depth));
  if (union.has("Any")) return new Set(["Any"]);
  if (found.nullable === true) union.add("None");
  return union;
}

function members(schema: JsonSchemaObject, root: JsonSchema | undefined, depth: number): string[] {
  const literals = "const" in schema ? [schema.const] : schema.enum;
  if (literals) return literals.length > 0 ? literalHints(literals) : ["Any"];
  const branches = schema.anyOf ?? schema.oneOf;
  if (schema.type !== undefined) {
    return [schema.type].flat().map((type) => typeName(type, schema, root, depth));
  }
  if (branches) return branches.flatMap((branch) => [...hints(branch, root, depth + 1)]);
  for (const part of schema.allOf ?? []) {
    const hint = hints(part, root, depth + 1);
    if (!hint.has("Any")) return [...hint];
  }
  if (schema.properties || schema.additionalProperties !== undefined) return [typeName("object", schema, root, depth)];
  return [schema.items === undefined ? "Any" : typeName("array", schema, root, depth)];
}

function typeName(type: string, schema: JsonSchemaObject, root: JsonSchema | undefined, depth: number): string {
  switch (type) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "array":
      return schema.items === undefined ? "list" : `list[${inner(schema.items, root, depth)}]`;
    case "object":
      return typeof schema.additionalProperties === "object" && !schema.properties
        ? `dict[str, ${inner(schema.additionalProperties, root, depth)}]`
        : "dict";
    default:
      return "Any";
  }
}

function inner(schema: JsonSchema, root: JsonSchema | undefined, depth: number): string {
  return [...hints(schema, root, depth + 1)].join(" | ");
}

/** Returns `Literal[…]` of what Python allows in it; floats, lists and objects by their type. */
function literalHints(literals: readonly unknown[]): string[] {
  const named: string[] = [];
  const others: string[] = [];
  for (const value of literals) {
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)) {
      named.push(pythonLiteral(value));
    } else if (typeof value === "number") others.push("float");
    else others.push(Array.isArray(value) ? "list" : "dict");
  }
  return named.length > 0 ? [`Literal[${[...new Set(named)].join(", ")}]`, ...others] : others;
}
