import type { JsonObject, JsonSchema, JsonSchemaObject, JsonSchemaType, JsonValue } from "@toolglot/core";
import { isObject, joinPath, typeOf } from "@toolglot/internal";
import { attribute } from "./attribute.ts";
import { beginningsOf, markerText } from "./markers.ts";
import { maySayMore, takes, typesOf } from "./reads-as.ts";
import type { ValueWriter } from "./values.ts";

/** A value to write, and where it stands. */
interface Place {
  value: JsonValue;
  path: string;
  schema: JsonSchema | undefined;
  /** Of the whole input, for references. */
  root: JsonSchema;
}

/** Writes tagged arguments: each value between texts of its own, strings as they are and all else as JSON or as a tree of tags. */
export class TagWriter {
  readonly #values: ValueWriter;
  readonly #isTree: boolean;
  /** What ends a value, and what follows that, so that it counts. */
  readonly #closers: readonly string[];
  readonly #structure: readonly string[];

  constructor(values: ValueWriter) {
    this.#values = values;
    const { arguments: args, call, open, close = [] } = values.dialect;
    this.#isTree = values.dialect.values === "tree";
    // A value with an opener in it would be a tree.
    this.#closers = (this.#isTree ? [args.close, args.open] : [args.close]).flatMap(beginningsOf);
    const inner = this.#isTree ? [args.close] : [];
    this.#structure = [args.open, call.close, call.open, ...close, ...open, ...inner].flatMap(beginningsOf);
  }

  /** Returns the arguments of a call. `schema`: of its input, when the tool is known. */
  write(input: JsonObject, schema: JsonSchemaObject | undefined): string {
    return this.#members({ value: input, path: "input", schema, root: schema ?? true });
  }

  #members({ value, path, schema, root }: Place): string {
    const properties = typeof schema === "object" ? schema.properties : undefined;
    return Object.entries(value as JsonObject)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => {
        const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
        return this.#argument(key, { value: member, path: joinPath(path, key), schema: own, root });
      })
      .join("");
  }

  /** Returns one argument; items of lists have no key. */
  #argument(key: string | undefined, place: Place): string {
    const { arguments: args, entities } = this.#values.dialect;
    const refuse = (why: string): never => this.#values.refuse(place.path, why);
    const open = markerText(args.open);
    const close = markerText(args.close);
    if (args.key === "tag") {
      const tag = key ?? "item";
      if (!isTag(tag)) refuse("a name that can't be a tag");
      return `${open}${tag}>${this.#body(place)}${close}${tag}>`;
    }
    if (args.key && "attribute" in args.key) {
      const { typeMark, openEnd = ">" } = args;
      const name = key === undefined ? "" : attribute(args.key.attribute, key, entities === true, refuse);
      if (!typeMark || !("attribute" in typeMark)) return `${open}${name}${openEnd}${this.#body(place)}${close}`;
      const type = this.#mark(place.value, typeMark.raw[0] as string);
      return `${open}${name}${attribute(typeMark.attribute, type, false, refuse)}${openEnd}${this.#body(place, true)}${close}`;
    }
    const name = key ?? "";
    if (name.trim() !== name || name === "" || /[<>\n]/.test(name)) refuse("a name that can't stand in a tag");
    return `${open}${name}${markerText(args.keyClose)}${markerText(args.key)}${this.#body(place)}${close}`;
  }

  /** Returns what the type mark says of a value. */
  #mark(value: JsonValue, raw: string): string {
    const { otherMark = "false" } = this.#values.dialect.arguments;
    if (typeof value === "string") return raw;
    if (typeof otherMark === "string") return otherMark;
    const type = typeOf(value);
    return otherMark[type === "integer" ? "number" : (type as keyof typeof otherMark)];
  }

  #body(place: Place, isMarked = false): string {
    if (!this.#isTree) return this.#pad(this.#text(place, isMarked), place.path);
    const { value, path, schema, root } = place;
    const items = typeof schema === "object" ? schema.items : undefined;
    if (Array.isArray(value) && (isMarked || value.length > 0))
      return value
        .map((item, index) =>
          this.#argument(undefined, { value: item, path: joinPath(path, index), schema: items, root }),
        )
        .join("");
    // What tags can't say is JSON: nothing, a name that is no tag, a name that is an item's.
    const isObjectOfTags = isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isTag);
    if (isObject(value) && (isMarked || (isObjectOfTags && !Object.hasOwn(value, "item")))) return this.#members(place);
    return this.#text(place, isMarked);
  }

  /** Returns the text of a value, which reads as that value and nothing else. `isMarked`: a mark says whether it is a string. */
  #text({ value, path, schema, root }: Place, isMarked: boolean): string {
    const refuse = (why: string): never => this.#values.refuse(path, why);
    const types = isMarked ? undefined : typesOf(schema, root);
    if (typeof value !== "string") {
      const type = typeOf(value) as JsonSchemaType;
      const isNothing = value === null && !types?.has("string");
      if (types && !takes(types, type) && !isNothing)
        refuse(`of type ${type}, where the tool's schema has ${[...types].join(" or ") || "none"}`);
      return this.#escapeClosers(this.#values.literal(value, path, "json"));
    }
    if (!isMarked && maySayMore(value, types)) {
      if (types) refuse(`a text that reads as another type of its schema: ${JSON.stringify(value.slice(0, 40))}`);
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
    const atSight = this.#isTree || this.#values.dialect.arguments.close?.special === true;
    return this.#closers.some((closer) => {
      for (let at = text.indexOf(closer); at >= 0; at = text.indexOf(closer, at + 1)) {
        if (atSight) return true;
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
}

const isTag = (key: string): boolean => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key);
