import type { JsonObject } from "@toolglot/core";
import { joinPath } from "@toolglot/internal";
import type { DialectRow, Marker } from "../table/types.ts";
import type { ToolSet } from "../tools.ts";
import type { WrittenCall } from "../types.ts";
import { typeJson } from "../values/typed.ts";
import { attribute } from "./attribute.ts";
import { beginningsOf, markerText } from "./markers.ts";
import type { TagWriter } from "./tags.ts";
import { ValueWriter } from "./values.ts";

/** Writes the calls of one block. */
export class CallWriter {
  readonly #dialect: DialectRow;
  #index = 0;
  #name = "";
  readonly #values: ValueWriter;
  readonly #tags: TagWriter | undefined;

  readonly #tools: ToolSet;

  /** `tools`: those that the text will be read with. `tags`: of dialects whose arguments are tagged. */
  constructor(dialect: DialectRow, tools: ToolSet, tags?: typeof TagWriter) {
    this.#dialect = dialect;
    this.#tools = tools;
    this.#values = new ValueWriter(dialect, (path, why) => this.#refuse(path, why));
    this.#tags = tags && new tags(this.#values, tools);
  }

  /** Returns a run of calls between its wrappers. */
  run(calls: readonly WrittenCall[]): string {
    const [first] = calls;
    if (first === undefined) return "";
    const { header = "", separator, list, wrapsEach } = this.#dialect;
    const open = markerText(this.#dialect.open.find((marker) => !marker.unwritten));
    const close = markerText(this.#dialect.close?.find((marker) => !marker.unwritten));
    const texts = calls.map((call, index) => {
      this.#index = index;
      this.#name = call.name;
      const text = this.#call(call);
      return wrapsEach ? header.replace("{name}", () => call.name) + open + text + close : text;
    });
    const run = texts.join(separator ?? (list ? ", " : ""));
    return wrapsEach ? run : `${header.replace("{name}", () => first.name)}${open}${list ? `[${run}]` : run}${close}`;
  }

  #refuse(path: string, why: string): never {
    const call = `calls[${this.#index}] (${JSON.stringify(this.#name)})`;
    throw new TypeError(`serialize: ${this.#dialect.id} can't hold ${path} of ${call}: ${why}`);
  }

  #call(call: WrittenCall): string {
    const { call: rule, arguments: args, engine } = this.#dialect;
    if (call.name === "") this.#refuse("name", "it is empty");
    if (call.name.trim() !== call.name) this.#refuse("name", "it has white space at an edge, which would be lost");
    if (!args.open) this.#checkTypes(call);
    const open = markerText(rule.open);
    const close = markerText(rule.close);
    switch (rule.name.at) {
      case "key":
        // Without marks a call is found by its name.
        if (this.#dialect.open.every(({ unwritten }) => unwritten) && !/^[^"'\\\p{Cc}]{1,100}$/u.test(call.name))
          this.#refuse("name", "no call would be found by it");
        return open + this.#object(call, rule.name.keys[0] as string) + close;
      case "only-key":
        return open + this.#values.object({ [call.name]: call.input }, "input", "json") + close;
      case "attribute":
        return `${open}${this.#attributes(call, rule.name.attribute)}${rule.openEnd ?? ">"}${this.#tagged(call)}${close}`;
      default: {
        const head = `${open}${this.#textName(call, rule.name.until[0] as Marker | undefined)}`;
        if (args.open) return head + this.#tagged(call) + close;
        if (engine === "python") return head + this.#keywords(call.input) + close;
        // The braces of the object are markers there.
        if (engine === "keyed") return head + this.#values.object(call.input, "input", "gemma").slice(1, -1) + close;
        return head + this.#json(call) + close;
      }
    }
  }

  #tagged({ name, input }: WrittenCall): string {
    return (this.#tags as TagWriter).write(name, input);
  }

  /** Literals keep their types, but for strings where the schema takes none. */
  #checkTypes({ name, input }: WrittenCall): void {
    for (const [key, value] of Object.entries(input)) {
      const { schema, root } = this.#tools.parameter(name, key);
      if (schema !== undefined && typeJson(value, schema, root).slips.length > 0)
        this.#refuse(joinPath("input", key), "it would be read as another value, by its schema");
    }
  }

  /** `{"name": …, "arguments": {…}}`, with the call's id where the dialect has one. */
  #object(call: WrittenCall, nameKey: string): string {
    const { call: rule, arguments: args, values } = this.#dialect;
    const key = rule.id && "key" in rule.id ? rule.id : undefined;
    const id = key?.counted ? (call.id ?? String(this.#index)) : call.id;
    const own = key && id !== undefined ? { [key.key]: id } : {};
    const body = { [nameKey]: call.name, [args.keys?.[0] ?? "arguments"]: call.input };
    const whole = key?.counted ? { ...own, ...body } : { ...body, ...own };
    return this.#values.object(whole, "input", values === "python" ? "python" : "json");
  }

  #json({ name, input }: WrittenCall): string {
    const { call: rule, arguments: args } = this.#dialect;
    const body: JsonObject = args.keys ? { [args.keys[0] as string]: input } : input;
    return this.#values.object(rule.nameKey ? { [rule.nameKey]: name, ...body } : body, "input", "json");
  }

  /** `city="SF", days=3`. */
  #keywords(input: JsonObject): string {
    const keys = Object.keys(input).filter((key) => input[key] !== undefined);
    return keys
      .map((key) => {
        if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) this.#refuse(`input.${key}`, "a name that Python has no form for");
        return `${key}=${this.#values.literal(input[key], `input.${key}`, "python")}`;
      })
      .join(", ");
  }

  /** What stands in the element that a call begins with. */
  #attributes({ name, id }: WrittenCall, nameAttribute: string): string {
    const { call: rule, entities = false } = this.#dialect;
    const refuse = (path: string) => (why: string) => this.#refuse(path, why);
    const own = rule.id && "attribute" in rule.id ? rule.id : undefined;
    const written = own?.counted ? (id ?? String(this.#index)) : id;
    const ids = own && written !== undefined ? attribute(own.attribute, written, entities, refuse("id")) : "";
    const names = attribute(nameAttribute, name, entities, refuse("name"));
    const { index } = rule;
    const number = index ? attribute(index.attribute, String(this.#index + index.from), false, refuse("name")) : "";
    return (own?.counted ? ids + names : names + ids) + number;
  }

  /** A name as plain text, with what belongs to it, up to where the arguments begin. */
  #textName({ name, id }: WrittenCall, until: Marker | undefined): string {
    const { call: rule, arguments: args, engine } = this.#dialect;
    const ends = [until, args.open, rule.close].flatMap(beginningsOf).filter((text) => text !== "");
    const isHeader = markerText(rule.open).startsWith("<|channel|>");
    const isPlain = isHeader
      ? /^[\w.:-]{1,90}$/
      : engine === "python" || engine === "keyed"
        ? /^[\p{L}_][\w.:-]*$/u
        : /^(?=.*[\p{L}\p{N}_])[^<>{[\n\r]+$/u;
    const isWord = rule.open !== undefined || engine !== "tags" || !/\s/.test(name);
    if (!isPlain.test(name) || !isWord || name.trim() !== name || ends.some((end) => name.includes(end)))
      this.#refuse("name", "it would not be read as one name");
    const behind = rule.id && "behind" in rule.id && id !== undefined ? rule.id.behind + id : "";
    if (/[<>[\]{}\s]/.test(behind.slice(rule.id && "behind" in rule.id ? rule.id.behind.length : 0)))
      this.#refuse("id", "it would not be read as one word");
    return this.#ownName(name, id) + behind + markerText(until);
  }

  #ownName(name: string, id: string | undefined): string {
    const { prefix = "", idPattern } = this.#dialect.call;
    if (idPattern === undefined) return prefix + name;
    if (id === undefined) return `${prefix}${name}:${this.#index}`;
    if (new RegExp(idPattern).exec(id)?.[1] !== name) this.#refuse("id", `it must be ${prefix}${name}:NUMBER`);
    return id;
  }
}
