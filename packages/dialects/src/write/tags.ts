import type { JsonObject, JsonSchema, JsonSchemaObject, JsonSchemaType, JsonValue } from "@toolglot/core";
import { isObject, joinPath, typeOf } from "@toolglot/internal";
import { attribute } from "./attribute.ts";
import { beginningsOf, markerText } from "./markers.ts";
import { maySayMore, takes, typesOf } from "./reads-as.ts";
import type { ValueWriter } from "./values.ts";

/** Writes tagged arguments: each value between texts of its own, strings as they are and all else as JSON. */
export class TagWriter {
  readonly #values: ValueWriter;
  /** What the closer of a value is followed by, so that it counts. */
  readonly #structure: readonly string[];
  readonly #closers: readonly string[];

  constructor(values: ValueWriter) {
    this.#values = values;
    const { arguments: args, call, open, close = [] } = values.dialect;
    this.#structure = [args.open, call.close, call.open, ...close, ...open].flatMap(beginningsOf);
    this.#closers = (values.dialect.values === "tree" ? [args.open, args.close] : [args.close]).flatMap(beginningsOf);
  }

  /** Returns the arguments of a call. `schema`: of its input, when the tool is known. */
  write(input: JsonObject, schema: JsonSchemaObject | undefined): string {
    const { values } = this.#values.dialect;
    const keys = Object.keys(input).filter((key) => input[key] !== undefined);
    return keys
      .map((key) => {
        const value = input[key] as JsonValue;
        const own = schema?.properties;
        const inner = own && Object.hasOwn(own, key) ? own[key] : undefined;
        const path = joinPath("input", key);
        if (values === "tree") return this.#element(key, value, path, inner, schema);
        return this.#argument(key, value, path, inner, schema);
      })
      .join("");
  }

  #argument(
    key: string,
    value: JsonValue,
    path: string,
    schema: JsonSchema | undefined,
    root: JsonSchemaObject | undefined,
  ): string {
    const { arguments: args, entities } = this.#values.dialect;
    const { openEnd = ">", typeMark } = args;
    const refuse = (why: string): never => this.#values.refuse(path, why);
    // An element is written for checkpoints of another setting; readers take both.
    const marker = typeMark && "attribute" in typeMark ? typeMark : undefined;
    const mark = marker && this.#mark(value, marker.raw);
    const text = this.#pad(this.#text(value, path, mark === undefined ? schema : undefined, root, mark), path);
    const closer = markerText(args.close);
    if (typeof args.key === "object" && "attribute" in args.key) {
      const marks = marker ? attribute(marker.attribute, mark as string, false, refuse) : "";
      const name = attribute(args.key.attribute, key, entities === true, refuse);
      return `${markerText(args.open)}${name}${marks}${openEnd}${text}${closer}`;
    }
    const between = typeof args.key === "object" ? args.key : undefined;
    if (key.trim() !== key || key === "" || /[<>\n]/.test(key)) refuse("a name that can't stand in a tag");
    return `${markerText(args.open)}${key}${markerText(args.keyClose)}${markerText(between)}${text}${closer}`;
  }

  /** Returns what the type mark says of a value. */
  #mark(value: JsonValue, raw: readonly string[]): string {
    const { otherMark = "false" } = this.#values.dialect.arguments;
    if (typeof value === "string") return raw[0] as string;
    return typeof otherMark === "string" ? otherMark : otherMark[plainType(value)];
  }

  /** Returns the text of a value, which reads as that value and nothing else. */
  #text(
    value: JsonValue,
    path: string,
    schema: JsonSchema | undefined,
    root: JsonSchemaObject | undefined,
    mark?: string,
  ): string {
    const refuse = (why: string): never => this.#values.refuse(path, why);
    const types = mark === undefined ? typesOf(schema, root ?? true) : undefined;
    if (typeof value !== "string") {
      const type = typeOf(value) as JsonSchemaType;
      const isNone = value === null && !types?.has("string");
      if (types && !takes(types, type) && !isNone)
        refuse(`${type}, where the tool's schema has ${[...types].join(" or ")}`);
      return this.#escapeClosers(this.#values.literal(value, path, "json"));
    }
    if (mark === undefined && maySayMore(value, types)) {
      if (types)
        refuse(`a text that would be read as another type of its schema: ${JSON.stringify(value.slice(0, 40))}`);
      return this.#escapeClosers(JSON.stringify(value));
    }
    if (this.#values.dialect.arguments.cdata && /[<&]/.test(value)) {
      if (value.includes("]]>")) refuse('a text with "]]>" in it, which would end it');
      return `<![CDATA[${value}]]>`;
    }
    if (this.#endsEarly(value)) refuse("a text with the dialect's own closer in it, which would end it");
    return value;
  }

  /** Whether a reader would take a part of a text for what closes it. */
  #endsEarly(text: string): boolean {
    const isSpecial = this.#values.dialect.arguments.close?.special === true;
    return this.#closers.some((closer) => {
      for (let at = text.indexOf(closer); at >= 0; at = text.indexOf(closer, at + 1)) {
        if (isSpecial) return true;
        const next = /\S/g;
        next.lastIndex = at + closer.length;
        const follows = next.exec(text)?.index;
        if (follows !== undefined && this.#structure.some((mark) => text.startsWith(mark, follows))) return true;
      }
      return false;
    });
  }

  /** JSON says the same without the character that closers begin with. */
  #escapeClosers(json: string): string {
    return this.#endsEarly(json) ? json.replaceAll("<", "\\u003c") : json;
  }

  #pad(text: string, path: string): string {
    const { pad } = this.#values.dialect.arguments;
    if (pad === "one-lf") {
      if (text.endsWith("\r")) this.#values.refuse(path, "a text that ends in a carriage return, which would be lost");
      return `\n${text}\n`;
    }
    if (pad !== "read-one-lf") return text;
    return `${/^\r?\n/.test(text) ? "\n" : ""}${text}${text.endsWith("\n") ? "\n" : ""}`;
  }

  /** Writes nested values as elements: members by their names, items as `item`. What elements can't say is JSON. */
  #element(
    key: string,
    value: JsonValue,
    path: string,
    schema: JsonSchema | undefined,
    root: JsonSchemaObject | undefined,
  ): string {
    const { arguments: args } = this.#values.dialect;
    if (!isTag(key)) this.#values.refuse(path, "a name that can't be a tag");
    const body = this.#tree(value, path, schema, root);
    return `${markerText(args.open)}${key}>${body}${markerText(args.close)}${key}>`;
  }

  #tree(value: JsonValue, path: string, schema: JsonSchema | undefined, root: JsonSchemaObject | undefined): string {
    const parts = typeof schema === "object" ? schema : undefined;
    if (Array.isArray(value) && value.length > 0)
      return value
        .map((item, index) => this.#element("item", item, joinPath(path, index), parts?.items as JsonSchema, root))
        .join("");
    if (isObject(value)) {
      const keys = Object.keys(value).filter((key) => value[key] !== undefined);
      if (keys.length > 0 && keys.every(isTag) && !keys.includes("item"))
        return keys
          .map((key) =>
            this.#element(
              key,
              value[key] as JsonValue,
              joinPath(path, key),
              parts?.properties?.[key] as JsonSchema,
              root,
            ),
          )
          .join("");
    }
    return this.#text(value, path, schema, root);
  }
}

const isTag = (key: string): boolean => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key);

function plainType(value: JsonValue): "number" | "boolean" | "null" | "array" | "object" {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as "number" | "boolean" | "object");
}
