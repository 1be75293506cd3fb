import {
  coerceText,
  createRecord,
  type JsonObject,
  type JsonSchema,
  type JsonSchemaObject,
  type JsonValue,
  type ToolDefinition,
} from "@toolglot/core";
import { defined, isDressed } from "@toolglot/internal";
import { cdataStart, fieldText } from "../scan/body-text.ts";
import { LooseTags } from "../scan/loose-tags.ts";
import type { Tag } from "../scan/tag.ts";
import type { CustomCall } from "../types.ts";
import { readJson } from "./built-in.ts";
import { type Child, elements } from "./elements.ts";
import {
  jsonAttribute,
  kindOf,
  propertiesOf,
  propertyNamed,
  rawProperty,
  resolve,
  schemaOf,
  siblings,
} from "./schema.ts";
import type { CallContext, Element } from "./types.ts";

/** A longer text is prose, in which quotes and white space at the ends are its own. */
const maxNameLength = 200;

/** Elements in elements deeper than this are text. */
const deepest = 32;

/** Reads the call of a declared tool: attributes, then child elements, a JSON object, or a raw body. */
export function readCustom(tool: ToolDefinition, element: Element, to: CallContext): CustomCall {
  const { tag, end } = element;
  const reader = new InputReader(tool, to);
  for (const { name, rawName, value, start, end: after, doubtful } of tag.attributes) {
    if (name === jsonAttribute) {
      reader.json(value, tag, start, after);
      continue;
    }
    const key = reader.key(rawName, tool.inputSchema, start, after);
    if (doubtful && !propertiesOf(tool.inputSchema).includes(key)) {
      if (tag.fault === undefined) to.report("toolsxml/malformed-tag", tag.start, tag.end);
      break;
    }
    if (Object.hasOwn(reader.input, key)) to.repair("toolsxml/duplicate-attribute", start, after);
    else reader.set(key, reader.text(value, schemaOf(tool.inputSchema, key)), start, after);
  }
  const raw = rawProperty(tool);
  if (raw !== undefined) reader.raw(raw, element);
  else reader.body(element);
  return { tool: "custom", name: tool.name, input: reader.input, span: { start: tag.start, end } };
}

type Reading = { value: JsonValue } | { fault: string };

class InputReader {
  readonly input: JsonObject = createRecord<JsonValue>();
  readonly #root: JsonSchemaObject;
  readonly #around: readonly string[];
  readonly #to: CallContext;
  readonly #loose = new Map<string, LooseTags>();

  constructor(tool: ToolDefinition, to: CallContext) {
    this.#root = tool.inputSchema;
    this.#around = [tool.name.toLowerCase(), "tools"];
    this.#to = to;
  }

  /** Finds tags of elements in a text that is a value: it may be two values, or half of one. */
  #tags(names: readonly string[]): LooseTags {
    const key = names.join(" ");
    const tags = this.#loose.get(key) ?? new LooseTags(names, this.#around);
    this.#loose.set(key, tags);
    return tags;
  }

  /** Returns the declared property that a name means; the name as written when there is none. */
  key(written: string, schema: JsonSchema | undefined, start: number, end: number): string {
    const key = propertyNamed(schema, written);
    if (key !== undefined) return key;
    const declared = propertiesOf(schema);
    if (declared.length > 0)
      this.#to.report("toolsxml/unknown-property", start, end, defined({ hint: this.#to.hint(written, declared) }));
    return written;
  }

  /** Reads the parameters of a JSON object; those that have a value keep it. */
  json(text: string, tag: Tag, start: number, end: number): void {
    const reading = coerceText(text, { type: "object" });
    if (reading.success) this.#merge(reading.value as JsonObject, tag.start, tag.end);
    else
      this.#to.report("toolsxml/invalid-attribute", start, end, {
        message: `${jsonAttribute} has to be a JSON object.`,
      });
  }

  #merge(input: JsonObject, start: number, end: number): void {
    for (const [key, value] of Object.entries(input)) {
      if (Object.hasOwn(this.input, key)) this.#to.repair("toolsxml/duplicate-attribute", start, end);
      else this.input[key] = value;
    }
  }

  set(key: string, reading: Reading, start: number, end: number): void {
    if ("value" in reading) this.input[key] = reading.value;
    else this.#to.report("toolsxml/invalid-value", start, end, { message: `${key}: ${reading.fault}.` });
  }

  raw(key: string, element: Element): void {
    const { tag } = element;
    const given = Object.hasOwn(this.input, key);
    if (tag.selfClosing || (given && element.raw.trim() === "")) return;
    if (given) this.#to.repair("toolsxml/duplicate-attribute", tag.start, tag.end);
    const text = this.#to.bodyText(fieldText(element.raw), element);
    this.#to.delta(`input.${key}`, text);
    this.set(key, { value: text }, tag.start, element.end);
  }

  /** Reads a body of child elements or JSON. */
  body(element: Element): void {
    const { raw, tag, bodyStart, end } = element;
    const text = raw.trim();
    if (text === "") return;
    const schema = this.#root;
    let wrapped = false;
    if (text.startsWith("<") && !text.startsWith(cdataStart)) {
      const inside = elements(raw, bodyStart, siblings(schema), this.#to);
      const known = inside.children.some(({ tag }) => propertyNamed(schema, tag.rawName) !== undefined);
      if (inside.children.length > 0 && (known || this.#only() === undefined)) {
        if (inside.stray)
          this.#to.repair("toolsxml/stray-text", inside.stray.start, inside.stray.end, { affects: "value" });
        this.#merge(this.#collect(inside.children, schema, 0, "input"), tag.start, tag.end);
        return;
      }
      wrapped = inside.children.length > 0;
      if (!wrapped && inside.stray === undefined) return;
    }
    const only = this.#only();
    if (only !== undefined && !/^(?:\{|&quot;|&#123;|<!\[CDATA\[\s*\{)/.test(text)) {
      // An element may have been meant as a parameter with another name.
      const tags = this.#tags(propertiesOf(schema).map((name) => name.toLowerCase()));
      const change = wrapped || tags.isIn(raw) || tags.find(raw) ? { affects: "value" as const } : undefined;
      this.#to.repair("toolsxml/bare-body", bodyStart, bodyStart + raw.length, change);
      const body = this.#to.bodyText(fieldText(raw), element);
      this.#to.delta(`input.${only}`, body);
      this.set(only, this.text(body, schemaOf(schema, only)), bodyStart, bodyStart + raw.length);
      return;
    }
    this.#merge(readJson(element, "input", this.#to) ?? {}, tag.start, end);
  }

  /** Returns the one parameter that a body without marks can mean. */
  #only(): string | undefined {
    const all = propertiesOf(this.#root).filter((key) => !Object.hasOwn(this.input, key));
    const needed = all.filter((key) => this.#root.required?.includes(key));
    const [first, second] = needed.length > 0 ? needed : all;
    return second === undefined ? first : undefined;
  }

  #collect(children: readonly Child[], schema: JsonSchema | undefined, depth: number, field: string): JsonObject {
    const groups = new Map<string, Child[]>();
    for (const child of children) {
      const { start, end, fault } = child.tag;
      if (!child.closed && fault === undefined)
        this.#to.report("toolsxml/unclosed-tag", start, end, { severity: "error", affects: "value" });
      const key = this.key(child.tag.rawName, schema, start, end);
      const group = groups.get(key);
      if (group) group.push(child);
      else groups.set(key, [child]);
    }
    const input: [string, JsonValue][] = [];
    for (const [key, group] of groups) {
      const inner = resolve(schemaOf(schema, key), this.#root);
      const many = group.length > 1;
      const item = many && kindOf(inner) === "array" ? resolve((inner as JsonSchemaObject).items, this.#root) : inner;
      const values = group.map((child, index) => {
        const at = many ? `${field}.${key}[${index}]` : `${field}.${key}`;
        const reading = this.#child(child, item, depth + 1, at);
        if ("value" in reading) return reading.value;
        this.#to.report("toolsxml/invalid-value", child.tag.start, child.end, { message: `${key}: ${reading.fault}.` });
        return null;
      });
      input.push([key, many ? values : (values[0] as JsonValue)]);
    }
    return Object.fromEntries(input);
  }

  #child(child: Child, schema: JsonSchema | undefined, depth: number, field: string): Reading {
    const kind = kindOf(schema);
    const text = child.raw.trim();
    if (child.doubtful) this.#to.repair("toolsxml/doubtful-close", child.bodyStart + child.raw.length, child.end);
    if (kind !== "text" && text.startsWith("<") && !text.startsWith(cdataStart) && depth < deepest) {
      const item = kind === "array" ? resolve((schema as JsonSchemaObject).items, this.#root) : undefined;
      const inner = kind === "array" && kindOf(item) === "object" ? item : schema;
      const inside = elements(child.raw, child.bodyStart, siblings(inner), this.#to);
      const whole = inside.stray === undefined && inside.children.every(({ closed }) => closed);
      if (whole && inside.children.length > 0) {
        if (kind !== "array") return { value: this.#collect(inside.children, schema, depth, field) };
        if (inside.children.every(({ tag }) => propertyNamed(inner, tag.rawName) !== undefined))
          return { value: [this.#collect(inside.children, item, depth, `${field}[0]`)] };
        const items = inside.children.map((one, index) => this.#child(one, item, depth + 1, `${field}[${index}]`));
        const fault = items.find((reading) => "fault" in reading);
        return fault ?? { value: items.map((reading) => (reading as { value: JsonValue }).value) };
      }
    }
    const loose = child.doubtful ? undefined : this.#tags([child.tag.name]).find(child.raw);
    if (loose) this.#to.repair("toolsxml/doubtful-close", child.bodyStart + loose.start, child.bodyStart + loose.end);
    else this.#to.doubts(child, (name) => name === child.tag.name || propertyNamed(this.#root, name) !== undefined);
    const body = fieldText(child.raw);
    this.#to.delta(field, this.#to.bodyText(body, child));
    const reading = this.text(body.text, schema);
    const { value } = reading as { value?: JsonValue };
    const isName = typeof value === "string" && value.length <= maxNameLength && !value.includes("\n");
    if (isName && !child.raw.includes(cdataStart) && isDressed(value))
      this.#to.report("toolsxml/dressed-value", child.bodyStart, child.bodyStart + child.raw.length);
    return reading;
  }

  /** Returns a value from text; a single one where an array is declared is its one item. */
  text(text: string, schema: JsonSchema | undefined): Reading {
    const reading = coerceText(text, schema, { root: this.#root });
    if (reading.success) return { value: reading.value as JsonValue };
    const resolved = resolve(schema, this.#root);
    if (kindOf(resolved) === "array" && !text.trimStart().startsWith("[")) {
      const item = coerceText(text, (resolved as JsonSchemaObject).items, { root: this.#root });
      if (item.success) return { value: [item.value as JsonValue] };
    }
    return { fault: reading.issue.message };
  }
}
