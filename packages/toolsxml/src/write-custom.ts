import {
  createRecord,
  type JsonObject,
  type JsonSchema,
  type JsonSchemaObject,
  type JsonValue,
  type ToolDefinition,
  toJsonText,
} from "@toolglot/core";
import { exactJsonText } from "@toolglot/core/text";
import { jsonAttribute, kindOf, propertiesOf, rawProperty, resolve, schemaOf } from "./calls/schema.ts";
import { parse } from "./parse.ts";
import { builtIns } from "./scan/grammar.ts";
import { cdata, exactAttributes, json, type Tools } from "./write-body.ts";

/** Where a parameter stands in its call; `cdata`: in an element whose texts are in CDATA, whatever they hold. */
type Form = "attribute" | "element" | "cdata" | "json";

/** What can be a tag's name; names of attributes are held to it too. */
const tagName = /^[^\s<>/="'!?&;(){}[\],|`$]+$/;

/**
 * Writes a call of a declared tool: what the manual shows, what histories hold, and what a model is to write. Short values are attributes,
 * every other text stands as it is in a child element, lists and objects in theirs. What none of them can hold exactly is JSON: as the
 * body, or in an attribute of the protocol's own where the body is taken.
 *
 * @param onLines Texts stand on lines of their own, also short ones.
 */
export function customText(
  name: string,
  input: Readonly<Record<string, JsonValue>>,
  tools: Tools,
  onLines = false,
): string {
  if (!tagName.test(name))
    throw new TypeError(`The tool name ${JSON.stringify(name)} can't be a tag: give the tool a name without it.`);
  if ((builtIns as readonly string[]).includes(name.toLowerCase()))
    throw new TypeError(`<${name}> is a built-in tag: give the tool another name.`);
  const writer = new CallWriter(tools.get(name) ?? { name, description: "", inputSchema: {} }, onLines);
  return writer.write(input);
}

class CallWriter {
  readonly #tool: ToolDefinition;
  readonly #root: JsonSchemaObject;
  readonly #raw: string | undefined;
  readonly #onLines: boolean;

  constructor(tool: ToolDefinition, onLines: boolean) {
    this.#tool = tool;
    this.#root = tool.inputSchema;
    this.#raw = rawProperty(tool);
    this.#onLines = onLines;
  }

  /** Forms are chosen by what values look like; only where that does not read back each parameter is tried. */
  write(input: Readonly<Record<string, JsonValue>>): string {
    const entries = Object.entries(input).filter(([, value]) => value !== undefined);
    const choice = new Map(entries.map(([key, value]) => [key, this.#forms(key, value)[0] as Form]));
    const written = this.#call(entries, choice);
    if (this.#reads(written, input)) return written;
    for (const [key, value] of entries) {
      const one = { [key]: value };
      const form = this.#forms(key, value).find((form) =>
        this.#reads(this.#call([[key, value]], new Map([[key, form]])), one),
      );
      choice.set(key, form ?? "json");
    }
    const checked = this.#call(entries, choice);
    if (this.#reads(checked, input)) return checked;
    return this.#call(entries, new Map(entries.map(([key]) => [key, key === this.#raw ? "element" : "json"])));
  }

  #forms(key: string, value: JsonValue): Form[] {
    if (key === this.#raw) return typeof value === "string" ? ["element", "cdata"] : ["json"];
    if (!tagName.test(key)) return ["json"];
    if (this.#raw !== undefined) return ["attribute", "json"];
    const schema = schemaOf(this.#root, key);
    // Nothing shows in which form a parameter is written that is not declared.
    if (schema === undefined && !hasLines(value)) return ["json"];
    const short = typeof value !== "object" && isShort(resolve(schema, this.#root)) && !/\n/.test(String(value));
    return [...(short ? ["attribute" as const] : []), "element", "cdata", "json"];
  }

  #call(entries: readonly [string, JsonValue][], forms: ReadonlyMap<string, Form>): string {
    const { name } = this.#tool;
    const given = createRecord<string>();
    const rest = createRecord<JsonValue>();
    let inside = "";
    let body: string | undefined;
    for (const [key, value] of entries) {
      const form = forms.get(key);
      if (form === "attribute") given[key] = typeof value === "string" ? value : toJsonText(value);
      else if (form === "json") rest[key] = value;
      else if (key === this.#raw) body = this.#text(String(value), name, form);
      else
        inside += this.#element(key, value, schemaOf(this.#root, key), {
          indent: "    ",
          lined: hasLines(value),
          form,
        });
    }
    if (inside !== "") body = `\n${inside}  `;
    const left = Object.keys(rest).length > 0;
    let open = `  <${name}${exactAttributes(given)}`;
    if (left && body === undefined && this.#raw === undefined) body = json(rest);
    else if (left) open += ` ${jsonAttribute}='${exactJsonText(rest, /[<&']/g)}'`;
    return body === undefined ? `${open}/>` : `${open}>${body}</${name}>`;
  }

  /** Writes a child element for a value; a list has one for each of its items. */
  #element(key: string, value: JsonValue, written: JsonSchema | undefined, how: Layout): string {
    const { indent, lined, form } = how;
    const schema = resolve(written, this.#root);
    const kind = kindOf(schema);
    if (Array.isArray(value) && kind === "array" && value.length > 0 && !value.some(Array.isArray)) {
      const { items } = schema as JsonSchemaObject;
      // One text that looks like a list would be read as one.
      if (value.length > 1 || typeof value[0] !== "string" || !/^\s*\[/.test(value[0]))
        return value.map((item) => this.#element(key, item, items, how)).join("");
    }
    const put = (body: string): string => `${indent}<${key}>${body}</${key}>\n`;
    if (typeof value === "string") return put(this.#text(value, key, form));
    const nested = kind === "object" && isObject(value) && Object.keys(value).every((name) => tagName.test(name));
    if (nested && lined && propertiesOf(schema).length > 0) {
      const parts = Object.entries(value).map(([name, part]) =>
        this.#element(name, part, schemaOf(schema, name), { ...how, indent: `${indent}  ` }),
      );
      return put(`\n${parts.join("")}${indent}`);
    }
    return put(json(value));
  }

  /** Writes a text as it stands, in CDATA where it holds marks; on lines of its own when it has several. */
  #text(text: string, name: string, form: Form | undefined): string {
    const lined = text.includes("\n") || this.#onLines;
    const whole = lined ? `\n${text}${text.endsWith("\r") ? "\r\n" : "\n"}` : text;
    const isRaw = name === this.#tool.name && this.#raw !== undefined;
    return form === "cdata" || (!isRaw && /[&<]/.test(text)) ? cdata(whole, name) : whole;
  }

  #reads(written: string, input: Readonly<Record<string, JsonValue>>): boolean {
    const { blocks, diagnostics } = parse(`<tools>\n${written}\n</tools>`, { tools: [this.#tool] });
    const [call, ...more] = blocks.flatMap(({ calls }) => calls);
    if (diagnostics.length > 0 || call?.tool !== "custom" || more.length > 0) return false;
    const found = call.input;
    return (
      Object.keys(found).length === Object.keys(input).filter((key) => input[key] !== undefined).length &&
      Object.entries(found).every(([key, value]) => toJsonText(value) === toJsonText(input[key]))
    );
  }
}

/** How the elements of a parameter are written. `lined`: a text in it has several lines, so that it is no JSON. */
interface Layout {
  indent: string;
  lined: boolean;
  form: Form | undefined;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasLines = (value: JsonValue): boolean =>
  typeof value === "string"
    ? value.includes("\n")
    : typeof value === "object" && value !== null && Object.values(value).some(hasLines);

/** Whether all values of a schema are short: numbers, choices, and texts with a format or a limit below a hundred characters. */
function isShort(schema: JsonSchema | undefined): boolean {
  if (typeof schema !== "object") return false;
  const { enum: choices, type, format, maxLength, anyOf, oneOf, allOf } = schema;
  if (choices || "const" in schema || typeof format === "string") return true;
  if (typeof maxLength === "number" && maxLength < 100) return true;
  const branches = anyOf ?? oneOf;
  if (branches) return branches.every(isShort);
  if (allOf) return allOf.some(isShort);
  return type !== undefined && ![type].flat().some((one) => /^(?:string|object|array)$/.test(one));
}
