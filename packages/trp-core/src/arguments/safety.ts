import type { JsonSchemaObject, JsonValue } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { type MarkedSchema, readMarks } from "./marks.ts";
import { pathProblem } from "./text-path.ts";
import { shellProblem } from "./text-shell.ts";
import { sqlReadProblem } from "./text-sql.ts";
import { urlProblem } from "./text-url.ts";

/** What a safety rule found. */
export interface SafetyFault {
  /** As `items[2].url`; empty for the arguments as a whole. */
  path: string;
  rule: string;
  /** For the model: what is wrong, without the value. */
  message: string;
}

/** A rule on every text in the arguments, keys not included: what is wrong with it, or nothing. */
export interface TextRule {
  /** `[a-z0-9-]`, named in the fault. */
  name: string;
  /** Must be quick, and linear in the text's length. `marks`: the schema's marks of this text. */
  check(text: string, marks: ReadonlySet<string>): string | undefined;
}

/** Options of {@link createSafetyRules}. */
export interface SafetyOptions {
  /** Characters of all texts and keys together. Default 1,000,000. */
  maxCharacters?: number;
  /** Nesting; the arguments themselves are level 1. Default 32. */
  maxDepth?: number;
  /** Values of any type, all levels together. Default 50,000. */
  maxValues?: number;
  /** Keys that no object may have. Default `__proto__`, `constructor`, `prototype`. */
  forbiddenKeys?: readonly string[];
  /**
   * Checks for texts that the schema marks, with `"x-safety": "name"` (or a list of names) or `"format": "name"`. Added to
   * `path`, `url`, `sql-read` and `shell`, or put in their place.
   */
  marked?: Readonly<Record<string, (text: string) => string | undefined>>;
  /** More rules on every text. */
  texts?: readonly TextRule[];
  /** Names of rules that don't apply. Default none. */
  without?: readonly string[];
}

/** Rules on arguments that hold for every capability. */
export interface SafetyRules {
  /** All rules, by name. */
  readonly names: readonly string[];
  /** The first fault of each rule; none for arguments that are safe. Never throws. */
  check(args: JsonValue, schema: JsonSchemaObject): readonly SafetyFault[];
}

const standardMarks: Readonly<Record<string, (text: string) => string | undefined>> = {
  path: pathProblem,
  url: urlProblem,
  "sql-read": sqlReadProblem,
  shell: shellProblem,
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Most texts have none: this is the cheaper question. */
const surrogate = /[\ud800-\udfff]/;
const loneSurrogate = /\p{Surrogate}/u;

const standardTexts: readonly TextRule[] = [
  {
    name: "control-characters",
    check: (text) => (controls.test(text) ? "has a control character (tab and line breaks are allowed)" : undefined),
  },
  {
    name: "lone-surrogates",
    check: (text) =>
      surrogate.test(text) && loneSurrogate.test(text) ? "has half of a character (a lone surrogate)" : undefined,
  },
  createSecretRule(),
];

/**
 * Safety rules as data: `size`, `depth`, `forbidden-keys`, `control-characters`, `lone-surrogates`, `secrets`, and for
 * texts that the schema marks `path`, `url`, `sql-read`, `shell`. They are a net under a capability's own care (a
 * read-only connection, a root directory), not instead of it. `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const safety = createSafetyRules({ maxCharacters: 100_000, forbiddenKeys: ["__proto__", "constructor"] });
 * const router = createRouter({ capabilities, safety });
 * ```
 */
export function createSafetyRules(options: SafetyOptions = {}): SafetyRules {
  checkKeys(
    "createSafetyRules",
    options,
    "maxCharacters:number maxDepth:number maxValues:number forbiddenKeys:string[] marked:object texts:object[] without:string[]",
  );
  const maxCharacters = count("maxCharacters", options.maxCharacters ?? 1_000_000);
  const maxDepth = count("maxDepth", options.maxDepth ?? 32);
  const maxValues = count("maxValues", options.maxValues ?? 50_000);
  const marks = new Map(Object.entries({ ...standardMarks, ...options.marked }));
  const all = [...standardTexts, ...(options.texts ?? [])];
  const names = ["size", "depth", "forbidden-keys", ...all.map(({ name }) => name), ...marks.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`there are two safety rules of the name ${JSON.stringify(twice)}`);
  const unnamed = names.find((name) => !/^[a-z0-9-]{1,40}$/.test(name));
  if (unnamed !== undefined) {
    throw new TypeError(`a safety rule is named with a-z, 0-9 and -, not ${JSON.stringify(unnamed)}`);
  }
  const without = new Set(options.without);
  for (const name of without) {
    if (!names.includes(name)) {
      throw new TypeError(`without: there is no safety rule ${JSON.stringify(name)}; there are ${names.join(", ")}`);
    }
    marks.delete(name);
  }
  const settings: SafetySettings = {
    maxCharacters: without.has("size") ? Number.POSITIVE_INFINITY : maxCharacters,
    maxValues: without.has("size") ? Number.POSITIVE_INFINITY : maxValues,
    // Deeper than any frame: what is deeper goes round in a circle.
    maxDepth: without.has("depth") ? 1_000 : maxDepth,
    forbidden: new Set(
      without.has("forbidden-keys") ? [] : (options.forbiddenKeys ?? ["__proto__", "constructor", "prototype"]),
    ),
    texts: all.filter(({ name }) => !without.has(name)),
    marks,
  };
  return {
    names: names.filter((name) => !without.has(name)),
    check: (args, schema) => new SafetyWalk(settings).run(args, schema),
  };
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new TypeError(`${name} must be a whole number from 1, not ${String(value)}`);
}

/** What has the form of a credential of one kind. Forms with a prefix of their own only: so there is little to mistake. */
const forms: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/],
  ["an AWS access key", /(?<![A-Za-z0-9])(?:AKIA|ASIA)(?![A-Z0-9]{0,12}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])/],
  ["a GitHub token", /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/],
  ["a GitLab token", /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}/],
  ["a Slack token", /(?<![A-Za-z0-9])xox[abeoprs]-[0-9A-Za-z-]{20}/],
  ["a Google API key", /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/],
  ["a Stripe key", /(?<![A-Za-z0-9])[rs]k_live_[0-9A-Za-z]{20}/],
  ["a model provider's key", /(?<![A-Za-z0-9])sk-(?:ant-|proj-|or-)[0-9A-Za-z_-]{24}/],
  ["an npm token", /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/],
  ["a signed token (JWT)", /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{15,2000}\.eyJ[A-Za-z0-9_-]{15,8000}\.[A-Za-z0-9_-]{20}/],
  ["an approval token", /(?<![A-Za-z0-9])appr1\.[A-Za-z0-9_-]{40,4000}\.[A-Za-z0-9_-]{43}/],
];

/** One of them must be there for any form to fit. */
const beginnings =
  /-----BEGIN |A(?:KIA|SIA)[A-Z0-9]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AIza|[rs]k_live_|sk-[apo]|npm_|eyJ|appr1\./;
const shortest = 20;

/**
 * Refuses texts that hold a credential: what gets into arguments gets into logs, approvals and other people's systems.
 * Where one is meant to be passed, the schema marks it: `"x-safety": "secret"` or `"format": "password"`.
 */
function createSecretRule(): TextRule {
  return {
    name: "secrets",
    check(text, marks) {
      if (text.length < shortest || !beginnings.test(text)) return undefined;
      if (marks.has("secret") || marks.has("password")) return undefined;
      const found = forms.find(([, form]) => form.test(text));
      return found === undefined ? undefined : `looks like it holds ${found[0]}: leave credentials out`;
    },
  };
}

/** What `createSafetyRules` made of its options. */
interface SafetySettings {
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
class SafetyWalk {
  readonly #settings: SafetySettings;
  #faults: Map<string, SafetyFault> | undefined;
  /** Keys and indexes from the top to where the walk is. */
  readonly #at: (string | number)[] = [];
  #characters = 0;
  #values = 0;
  /** Too big or too deep: the rest need not be checked. */
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
