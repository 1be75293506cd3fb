import { neutralize, type ToolDefinition, type ToolResult } from "@toolglot/core";
import type { CallOutcome } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import { canonicalJson, plainJson } from "../plain-json.ts";

/** Return value of the source of the tools. */
export interface GivenTools {
  tools?: unknown;
  instructions?: unknown;
}

/** A call of a tool that the loop has itself. */
export interface OwnCall {
  callId: string;
  name: string;
  input: unknown;
}

/** A tool that the loop has, and runs, itself. */
export interface OwnTool {
  definition: ToolDefinition;
  /** A tool of the host's of the same name replaces it. */
  yields: boolean;
  /** `earlier`: the results of all other calls of the same answer. */
  run(call: OwnCall, earlier: readonly ToolResult[]): Promise<CallOutcome> | CallOutcome;
}

/** Names of tools that were added, removed, or are described otherwise than before. */
export interface ToolsChange {
  added: string[];
  removed: string[];
  changed: string[];
}

/** The fields of a definition; a tool has more, which no model is shown. */
const fields = [
  "name",
  "description",
  "inputSchema",
  "outputSchema",
  "examples",
  "raises",
  "annotations",
  "untrusted",
] as const;

/** Copies a definition as data. Throws `TypeError` for what is none. */
function definitionOf(given: unknown): ToolDefinition {
  const tool = given as ToolDefinition | null | undefined;
  if (typeof tool !== "object" || tool === null || typeof tool.name !== "string" || tool.name === "") {
    throw new TypeError("tools must hold tool definitions: { name, description, inputSchema }.");
  }
  if (typeof tool.inputSchema !== "object" || tool.inputSchema === null) {
    throw new TypeError(`The tool ${JSON.stringify(tool.name)} needs an inputSchema: a JSON Schema of an object.`);
  }
  return plainJson(Object.fromEntries(fields.map((field) => [field, tool[field]])) as unknown as ToolDefinition);
}

/** Checks and copies a list of tools. Throws `TypeError` when it is none, or has two tools of one name. */
export function toDefinitions(given: unknown): ToolDefinition[] {
  if (!Array.isArray(given)) throw new TypeError("tools must be an array of tool definitions; it may be empty.");
  const tools = given.map(definitionOf);
  const twice = firstTwice(tools);
  if (twice !== undefined) {
    throw new TypeError(`Two tools are named ${JSON.stringify(twice)}: rename one or leave it out.`);
  }
  return tools;
}

function firstTwice(tools: readonly ToolDefinition[]): string | undefined {
  const names = new Set<string>();
  return tools.find(({ name }) => names.size === names.add(name).size)?.name;
}

/** The tools of a run: those of the host's source, and those that parts bring. */
export class RunTools {
  readonly #read: () => GivenTools;
  readonly #own: OwnTool[] = [];
  #offered: readonly OwnTool[] = [];
  #copied: readonly ToolDefinition[] = [];
  /** By the schema's object: a toolkit makes a new list each time, with the same definitions in it. */
  readonly #copies = new WeakMap<object, { given: ToolDefinition; copy: ToolDefinition }>();
  #known = false;
  /** The tools of the moment, as whole definitions. */
  current: readonly ToolDefinition[] = [];
  /** The same as they are declared to a provider. */
  declared: readonly ToolDefinition[] = [];
  /** Those that the last request declared. */
  asked: readonly ToolDefinition[] | undefined;
  /** The source's text about its tools as a whole, neutralised; may be empty. */
  instructions = "";
  /** A tool was added, and is not among the current ones. */
  isStale = false;

  constructor(read: () => GivenTools) {
    this.#read = read;
  }

  /** Adds a tool that the loop runs itself; it is current from the next {@link RunTools.refresh} or {@link RunTools.compose} on. */
  addOwn(tool: OwnTool): void {
    this.#own.push(tool);
    this.isStale = true;
  }

  /** Returns the loop's own tool of that name, if the model sees it. */
  ownTool(name: string): OwnTool | undefined {
    return this.#offered.find(({ definition }) => definition.name === name);
  }

  /** Whether the model sees tools of the loop's own. */
  get hasOwn(): boolean {
    return this.#offered.length > 0;
  }

  /** The loop's own tools that the model sees. */
  get offered(): ToolDefinition[] {
    return this.#offered.map(({ definition }) => definition);
  }

  /**
   * Reads the source. Returns what is new for the model (`isNewText`: the instructions), and a name that two tools have: only the first
   * of them counts. Throws what the source throws; then nothing has changed.
   */
  refresh(): { change?: ToolsChange; twice?: string; isNewText: boolean } {
    const { tools: given, instructions = "" } = this.#read();
    if (!Array.isArray(given)) throw new TypeError("tools must give an array of tool definitions.");
    if (typeof instructions !== "string") throw new TypeError("instructions() must give a text, or undefined.");
    this.#copied = given.map((tool) => this.#copyOf(tool));
    const before = this.instructions;
    const text = instructions.trim();
    this.instructions = text && neutralize(text);
    return { ...this.compose(), isNewText: this.instructions !== before };
  }

  /** Composes the tools of what the source returned the last time: the loop's own ones may be others. */
  compose(): { change?: ToolsChange; twice?: string } {
    this.isStale = false;
    const copies = this.#copied;
    const isGiven = (name: string): boolean => copies.some((tool) => tool.name === name);
    this.#offered = this.#own.filter(({ yields, definition }) => !(yields && isGiven(definition.name)));
    const isOther = ({ name }: ToolDefinition): boolean => this.ownTool(name) === undefined;
    const all = [...copies.filter(isOther), ...this.#offered.map(({ definition }) => definition)];
    const twice = firstTwice([...this.#offered.map(({ definition }) => definition), ...copies]);
    const names = new Set<string>();
    const tools = all.filter(({ name }) => names.size < names.add(name).size);
    const change = this.#known ? changeOf(this.current, tools) : undefined;
    this.current = tools;
    if (change || !this.#known) {
      this.declared = tools.map(({ name, description, inputSchema }) => plainJson({ name, description, inputSchema }));
    }
    this.#known = true;
    return defined({ change, twice });
  }

  /** Returns the copy of a definition; most are known from the request before. */
  #copyOf(given: unknown): ToolDefinition {
    const tool = given as ToolDefinition | null | undefined;
    const known = typeof tool?.inputSchema === "object" ? this.#copies.get(tool.inputSchema) : undefined;
    if (known && tool && fields.every((field) => known.given[field] === tool[field])) return known.copy;
    const copy = definitionOf(given);
    this.#copies.set((given as ToolDefinition).inputSchema, { given: { ...(given as ToolDefinition) }, copy });
    return copy;
  }
}

function changeOf(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): ToolsChange | undefined {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const names = new Set(now.map(({ name }) => name));
  const added = now.filter(({ name }) => !old.has(name)).map(({ name }) => name);
  const removed = before.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const changed = now
    .filter((tool) => old.has(tool.name) && !isSame(old.get(tool.name) as ToolDefinition, tool))
    .map(({ name }) => name);
  return added.length + removed.length + changed.length > 0 ? { added, removed, changed } : undefined;
}

/** Whether both look the same to a model. */
function isSame(one: ToolDefinition, other: ToolDefinition): boolean {
  return one === other || shown(one) === shown(other);
}

function shown({ description, inputSchema, outputSchema, examples, raises }: ToolDefinition): string {
  return canonicalJson({ description, inputSchema, outputSchema, examples, raises });
}
