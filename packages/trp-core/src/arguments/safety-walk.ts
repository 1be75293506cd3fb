import type { JsonSchemaObject, JsonValue } from "@toolglot/core";
import { type MarkedSchema, readMarks } from "./marks.ts";
import type { SafetyFault, TextRule } from "./safety.ts";

/** What `createSafetyRules` made of its options. */
export interface SafetySettings {
  maxCharacters: number;
  maxDepth: number;
  maxValues: number;
  forbidden: ReadonlySet<string>;
  texts: readonly TextRule[];
  marks: ReadonlyMap<string, (text: string) => string | undefined>;
}

const noMarks: ReadonlySet<string> = new Set();
const none: SafetyFault[] = [];

/** One way through the arguments, all rules together. */
export class SafetyWalk {
  readonly #settings: SafetySettings;
  #faults: Map<string, SafetyFault> | undefined;
  /** Keys and indexes from the top to where the walk is. */
  readonly #at: (string | number)[] = [];
  #characters = 0;
  #values = 0;
  /** Too big or too deep: there is no point in going on. */
  #over = false;

  constructor(settings: SafetySettings) {
    this.#settings = settings;
  }

  run(args: JsonValue, schema: JsonSchemaObject): readonly SafetyFault[] {
    this.#visit(args, this.#settings.marks.size === 0 ? undefined : readMarks(schema), 1);
    return this.#faults === undefined ? none : [...this.#faults.values()];
  }

  #visit(value: JsonValue, schema: MarkedSchema | undefined, depth: number): void {
    const { maxValues, maxDepth } = this.#settings;
    if (++this.#values > maxValues) this.#end("size", `has more than ${maxValues} values`, "");
    else if (typeof value === "string") this.#visitText(value, schema?.marks ?? noMarks);
    else if (typeof value === "object" && value !== null) {
      if (depth > maxDepth) this.#end("depth", `is nested more than ${maxDepth} levels deep`);
      else if (Array.isArray(value)) this.#visitItems(value, schema, depth + 1);
      else this.#visitMembers(value, schema, depth + 1);
    }
  }

  #visitItems(items: readonly JsonValue[], schema: MarkedSchema | undefined, depth: number): void {
    for (let index = 0; index < items.length && !this.#over; index++) {
      this.#at.push(index);
      this.#visit(items[index] ?? null, schema?.item(index), depth);
      this.#at.pop();
    }
  }

  #visitMembers(members: Readonly<Record<string, JsonValue>>, schema: MarkedSchema | undefined, depth: number): void {
    for (const key of Object.keys(members)) {
      this.#at.push(key);
      this.#count(key);
      if (this.#settings.forbidden.has(key)) this.#found("forbidden-keys", "has a name that is not allowed");
      if (!this.#over) this.#visit(members[key] ?? null, schema?.property(key), depth);
      this.#at.pop();
      if (this.#over) return;
    }
  }

  #visitText(text: string, marks: ReadonlySet<string>): void {
    this.#count(text);
    if (this.#over) return;
    for (const rule of this.#settings.texts) {
      try {
        const message = rule.check(text, marks);
        if (message !== undefined) this.#found(rule.name, message);
      } catch {
        this.#found(rule.name, "could not be checked");
      }
    }
    for (const mark of marks) {
      const check = this.#settings.marks.get(mark);
      if (check === undefined) continue;
      try {
        const message = check(text);
        if (message !== undefined) this.#found(mark, message);
      } catch {
        this.#found(mark, "could not be checked");
      }
    }
  }

  #count({ length }: string): void {
    const { maxCharacters } = this.#settings;
    this.#characters += length;
    if (this.#characters > maxCharacters) this.#end("size", `has more than ${maxCharacters} characters in all`, "");
  }

  #end(rule: string, message: string, path?: string): void {
    this.#over = true;
    this.#found(rule, message, path);
  }

  /** The first fault of each rule counts. */
  #found(rule: string, message: string, path?: string): void {
    this.#faults ??= new Map();
    if (!this.#faults.has(rule)) this.#faults.set(rule, { path: path ?? pathText(this.#at), rule, message });
  }
}

/** As `items[2].price`, like the schema's faults; only the first 200 characters, since keys come from outside. */
function pathText(steps: readonly (string | number)[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]{0,39}$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step.slice(0, 40))}]`;
    if (text.length > 200) return `${text.slice(0, 199)}…`;
  }
  return text;
}
