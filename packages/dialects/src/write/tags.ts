import type { JsonObject, JsonSchema, JsonValue } from "@toolglot/core";
import { kindsOf, memberSchema } from "@toolglot/core/text";
import { isObject, joinPath, typeOf } from "@toolglot/internal";
import type { ToolSet } from "../tools.ts";
import { typeText } from "../values/typed.ts";
import { attribute } from "./attribute.ts";
import { beginningsOf, markerText } from "./markers.ts";
import type { ValueWriter } from "./values.ts";

/** A value to write, and where it stands. */
interface Place {
  value: JsonValue;
  path: string;
  schema: JsonSchema | undefined;
  /** Of the whole input, for references. */
  root: JsonSchema | undefined;
}

/** Writes tagged arguments: each value between texts of its own, strings as they are and all else as JSON or as a tree of tags. */
export class TagWriter {
  readonly #values: ValueWriter;
  readonly #tools: ToolSet;
  readonly #isTree: boolean;
  /** What ends a value, and what follows that, so that it counts. */
  readonly #closers: readonly string[];
  readonly #structure: readonly string[];

  /** `tools`: those that the text will be read with. */
  constructor(values: ValueWriter, tools: ToolSet) {
    this.#values = values;
    this.#tools = tools;
    const { arguments: args, call, open, close = [], stops } = values.dialect;
    this.#isTree = values.dialect.values === "tree";
    // A value with an opener in it would be a tree.
    this.#closers = (this.#isTree ? [args.close, args.open] : [args.close]).flatMap(beginningsOf);
    const inner = this.#isTree ? [args.close] : [];
    this.#structure = [
      ...[args.open, call.close, call.open, ...close, ...open, ...inner].flatMap(beginningsOf),
      ...stops,
    ];
  }

  /** Returns the arguments of a call. */
  write(tool: string, input: JsonObject): string {
    return this.#members(input, "input", (key) => this.#tools.parameter(tool, key));
  }

  #members(
    members: JsonObject,
    path: string,
    typeOfMember: (key: string) => { schema: JsonSchema | undefined; root: JsonSchema | undefined },
  ): string {
    return Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => this.#argument(key, { value, path: joinPath(path, key), ...typeOfMember(key) }))
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
    if (name.trim() !== name || name === "" || /[<>\n=]|^(["']).*\1$/.test(name))
      refuse("a name that can't stand in a tag");
    return `${open}${name}${markerText(args.keyClose)}${markerText(args.key)}${this.#body(place)}${close}`;
  }

  /** Returns the type mark of a value. */
  #mark(value: JsonValue, raw: string): string {
    const { otherMark = "false" } = this.#values.dialect.arguments;
    if (typeof value === "string") return raw;
    if (typeof otherMark === "string") return otherMark;
    const type = typeOf(value);
    return otherMark[type === "integer" ? "number" : (type as keyof typeof otherMark)];
  }

  #body(place: Place, isMarked = false): string {
    if (!this.#isTree) return this.#pad(this.#text(place, isMarked), place.path);
    const { value, path, schema = true, root } = place;
    const takes = isMarked || kindsOf(schema, root).has(Array.isArray(value) ? "array" : "object");
    if (Array.isArray(value) && (isMarked || (value.length > 0 && takes)))
      return value
        .map((item, at) =>
          this.#argument(undefined, {
            value: item,
            path: joinPath(path, at),
            schema: memberSchema(schema, at, root),
            root,
          }),
        )
        .join("");
    // What tags can't say is JSON: nothing, a name that is no tag, a name that is an item's.
    const isOfTags = isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isTag);
    if (isObject(value) && (isMarked || (isOfTags && takes && !Object.hasOwn(value, "item"))))
      return this.#members(value as JsonObject, path, (key) => ({ schema: memberSchema(schema, key, root), root }));
    return this.#text(place, isMarked);
  }

  /** Returns the text of a value, which reads as that value and nothing else. `isMarked`: a mark shows whether it is a string. */
  #text({ value, path, schema, root }: Place, isMarked: boolean): string {
    const refuse = (why: string): never => this.#values.refuse(path, why);
    const isText = typeof value === "string";
    const json = this.#values.literal(value, path, "json");
    const reads = (text: string): boolean => {
      if (isMarked) return true;
      const read = typeText(text, schema, root);
      return read.slips.length === 0 && JSON.stringify(read.value) === JSON.stringify(value);
    };
    if (!isText || !reads(value)) {
      if (!reads(json)) refuse("it would be read as another value, by its schema");
      return this.#endsEarly(json) ? json.replaceAll("<", "\\u003c") : json;
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
