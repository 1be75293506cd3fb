import { createRecord, type JsonObject, toJsonText } from "../json.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import type { BridgeEvent } from "./types.ts";

const streamable = new WeakMap<ToolDefinition, ReadonlySet<string>>();

/** Returns the parameters of a tool whose text goes out while it comes: those that can't be anything else than text. */
export function textParams(tool: ToolDefinition): ReadonlySet<string> {
  const known = streamable.get(tool);
  if (known) return known;
  const { properties = {}, additionalProperties, patternProperties } = tool.inputSchema;
  const names = Object.keys(properties);
  // Objects have numbers first, wherever they were written.
  const ordered = !additionalProperties && !patternProperties && !names.some((name) => /^(?:0|[1-9]\d*)$/.test(name));
  const texts = names.filter((name) => {
    const schema = properties[name];
    return typeof schema === "object" && schema.type === "string";
  });
  const found = new Set(ordered ? texts : []);
  streamable.set(tool, found);
  return found;
}

/** The input of one call on its way: JSON of texts while they come, and of everything else when it is known. */
export class InputStream {
  readonly id: string;
  readonly tool: string;
  readonly #emit: (event: BridgeEvent) => void;
  readonly #texts: ReadonlySet<string>;
  readonly #begun: string[] = [];
  #sent = "";
  /** The first half of a character. */
  #half = "";
  #ended = false;

  constructor(id: string, tool: ToolDefinition, texts: ReadonlySet<string>, emit: (event: BridgeEvent) => void) {
    this.id = id;
    this.tool = tool.name;
    this.#texts = texts;
    this.#emit = emit;
    emit({ type: "input-start", id, tool: tool.name });
  }

  /** Adds a piece of an argument. */
  piece(param: string, text: string): void {
    if (!this.#texts.has(param) || text === "") return;
    const open = this.#begun.at(-1);
    let json = "";
    if (param !== open) {
      // Once more: which of the two counts shows at the end.
      if (this.#begun.includes(param)) return;
      json = `${open === undefined ? "{" : `${this.#flush()}",`}${JSON.stringify(param)}:"`;
      this.#begun.push(param);
    }
    let piece = this.#half + text;
    this.#half = /[\ud800-\udbff]$/.exec(piece)?.[0] ?? "";
    if (this.#half) piece = piece.slice(0, -1);
    this.#send(json + escaped(piece));
  }

  /** Returns the whole input as JSON, what was sent of it first; undefined when that is no beginning of it. */
  complete(input: Readonly<Record<string, unknown>>): string | undefined {
    const record = createRecord<unknown>();
    for (const key of this.#begun) if (Object.hasOwn(input, key)) record[key] = input[key];
    for (const key of Object.keys(input)) record[key] = input[key];
    let json = toJsonText(record);
    if (this.#sent === "") json = JSON.stringify(JSON.parse(json));
    return json.startsWith(this.#sent) ? json : undefined;
  }

  /** Ends the input: with the rest of it, if it is a call. */
  end(json?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (json !== undefined) this.#send(json.slice(this.#sent.length));
    this.#emit({ type: "input-end", id: this.id });
  }

  #flush(): string {
    const half = escaped(this.#half);
    this.#half = "";
    return half;
  }

  #send(text: string): void {
    if (text === "") return;
    this.#sent += text;
    this.#emit({ type: "input-delta", id: this.id, text });
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the input that a text of JSON is. */
export const parseInput = (json: string): JsonObject => JSON.parse(json) as JsonObject;
