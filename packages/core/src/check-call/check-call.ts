import { atPointer, checkKeys, isObject, parseJson } from "@toolglot/internal";
import type { ToolCall } from "../call.ts";
import { type JsonSchema, type JsonSchemaObject, toJsonText } from "../json.ts";
import type { Locale } from "../protocol.ts";
import { textHash } from "../text/source.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { checkText } from "./check-text.ts";
import { type FindingWords, findingText } from "./finding-text.ts";
import { isSame, readRaw } from "./raw-json.ts";
import type { CallFinding, FaultName, Found } from "./types.ts";

/** Options of {@link checkCall}. */
export interface CheckCallOptions {
  /** Marks that close calls, beside those of the known formats. */
  marks?: readonly string[];
}

/**
 * Looks for damage in a call, whoever read it: a call that succeeds with it writes wrong data. Give it the arguments as they came,
 * before their schema is checked. A finding is no proof: the text may be about such marks. Takes any value, and time in proportion to it.
 *
 * @param call `input`: the arguments, or their JSON as text.
 * @param tool Without it, what a call lacks is not known, and so no swallowed argument.
 * @returns The findings, in the order of the arguments; mostly none.
 *
 * @example
 * ```ts
 * const input = { content: 'hello</parameter>\n<parameter name="path">a.txt' };
 * const inputSchema = { type: "object" as const, properties: { path: {}, content: {} } };
 * const tool = { name: "write", description: "Writes a file.", inputSchema };
 * const [finding] = checkCall({ name: "write", input }, tool); // core/swallowed-argument, with "path" as "a.txt"
 * ```
 */
export function checkCall(
  call: { name: string; input: unknown },
  tool?: Pick<ToolDefinition, "name" | "inputSchema">,
  { marks = [] }: CheckCallOptions = {},
): CallFinding[] {
  const { name, input } = call;
  const findings: CallFinding[] = [];
  const isNamed = name?.trim() && (name === tool?.name || !markInName.test(name));
  if (isNamed && marks.length === 0 && isObject(input) && !mayBeDamaged(input, 0)) return findings;
  const add = (found: Found | undefined, path: string, text: unknown): void => {
    if (!found) return;
    const message = findingText(found, path, text);
    findings.push({
      ...found,
      code: `core/${found.code}`,
      path,
      affects: "value",
      message,
      hint: `${message} Write the call again.`,
    });
  };
  if (!isNamed) add({ code: "nameless-call" }, "", name);
  const { value: values, found } = typeof input === "string" ? readRaw(input) : { value: input };
  add(found, "", input);
  if (!isObject(values)) return findings;
  const places: Place[] = [[values, "", tool?.inputSchema, [`${name}`.toLowerCase()], []]];
  for (const [parent, path, schema, own, lackingAbove] of places) {
    const { properties = {}, items }: JsonSchemaObject = isObject(schema) ? schema : {};
    let lacking: string[] | undefined;
    for (const [key, value] of Object.entries(parent)) {
      const isText = typeof value === "string";
      // More places than these are in no JSON, but in a circle.
      if (!isText && (!isNested(value) || places.length > 100_000)) continue;
      lacking ??= [...lackingAbove, ...Object.keys(properties).filter((name) => !Object.hasOwn(parent, name))];
      const here = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const names = Array.isArray(parent) ? own : [...own.slice(0, 2), key.toLowerCase()];
      if (isText) add(checkText(value, names, lacking, marks) ?? doubledEnd(value, parent, key), here, value);
      else places.push([value, here, properties[key] ?? items, names, lacking]);
    }
  }
  return findings;
}

/** A closing mark holds one of these, the end of a string in JSON, or of the whole call. */
const mayBeMark = /<|\[\/|["']\s{0,9},|\}\s*$/;

/** Looks quickly, since nearly all calls are whole. */
function mayBeDamaged(parent: Record<string, unknown>, depth: number): boolean {
  return Object.values(parent).some((value) =>
    typeof value === "string"
      ? mayBeMark.test(value)
      : isNested(value) && (depth > 9 || mayBeDamaged(value, depth + 1)),
  );
}

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
const markInName = /[<>｜]|\[[A-Z_]+\]/;

/**
 * An object or a list on the way through the arguments. `own`: names of the tool, the argument, and what is nearest, in lower case. `lacking`:
 * arguments that the call lacks, down to here.
 */
type Place = [
  parent: Record<string, unknown>,
  path: string,
  schema: JsonSchema | undefined,
  own: readonly string[],
  lacking: readonly string[],
];

/** Looks for the JSON of the whole call behind an argument, in which the argument is without it. */
function doubledEnd(text: string, input: Record<string, unknown>, key: string): Found | undefined {
  // What is repeated is in it, so it is at least half of the text.
  const begin = /\{\s*"/g;
  for (let tries = 4; tries-- > 0; ) {
    const at = begin.exec(text)?.index ?? Infinity;
    if (at > text.length / 2) return undefined;
    if (isSame(parseJson(text.slice(at)), { ...input, [key]: text.slice(0, at) })) return { code: "doubled-input", at };
  }
  return undefined;
}

/** Options of {@link CallGuard}. */
export interface CallGuardOptions extends CheckCallOptions {
  /** Of what the model reads. Default `en`. */
  locale?: Locale;
  /** No other call has the id of one of these, as those of providers: what is let through is known by it where it arrives. Default false. */
  uniqueIds?: boolean;
  /** `report`: no call is refused. Default `refuse`. */
  mode?: "refuse" | "report";
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
}

/** A guard's verdict on a call with findings. */
export interface CallVerdict {
  findings: CallFinding[];
  /** Why the call must not run, for the model. Absent: it may, since it changes nothing or was sent the same way twice. */
  refusal?: string;
}

/** A call as a guard looks at it. With an `id`, the same call looked at again is no second one; with an empty one it is none that counts. */
export type GuardedCall = Pick<ToolCall, "name" | "input"> & { id?: string };

const rememberMs = 10 * 60_000;
const maxRemembered = 100;
/** What a guard let through with its findings, so that the next one on the way finds nothing: inputs with the tool's name, and ids. */
const passedInputs = new WeakMap<object, string>();
const passedIds = new Set<string>();

/**
 * Decides about calls that may be damaged. A call with a finding is refused, unless its tool has `readOnlyHint`. A text may end in such a
 * mark on purpose: when a leaked closer is all there is, the same call passes when it comes again within ten minutes. Keep one guard for
 * the calls of one place, as a toolkit or a conversation.
 *
 * @throws `TypeError` for unknown options.
 *
 * @example
 * ```ts
 * const guard = new CallGuard();
 * const call = { name: "run", input: { command: "ls</parameter>" } };
 * const first = guard.check(call)?.refusal; // The call of "run" was not run, because it arrived damaged. …
 * const second = guard.check(call)?.refusal; // undefined: it was meant so
 * ```
 */
export class CallGuard {
  readonly #options: CallGuardOptions;
  /** Calls that were refused: which one, and until when that counts. */
  readonly #refused = new Map<string, { id: string | undefined; until: number }>();

  constructor(options: CallGuardOptions = {}) {
    checkKeys(
      "new CallGuard",
      options,
      'marks:string[] locale:"zh"|"en" uniqueIds:boolean mode:"refuse"|"report" now:function',
    );
    this.#options = options;
  }

  /** Checks a call. Undefined when nothing is found, which is nearly always. */
  check(call: GuardedCall, tool?: ToolDefinition): CallVerdict | undefined {
    const findings = checkCall(call, tool, this.#options);
    if (findings.length === 0) return undefined;
    const { id, name, input } = call;
    const text = toJsonText([name, typeof input === "string" ? (parseJson(input) ?? input) : input]);
    const key = `${text.length}-${textHash(text)}`;
    if (isObject(input) && (passedInputs.get(input) === name || passedIds.has(`${id} ${key}`))) return undefined;
    const { mode, locale = "en", uniqueIds } = this.#options;
    if (mode !== "report" && !tool?.annotations?.readOnlyHint && !this.#isMeant(id, key, findings))
      return { findings, refusal: explainFindings(call, findings, { tool, locale }) };
    if (isObject(input)) passedInputs.set(input, name);
    if (uniqueIds && id) passedIds.add(`${id} ${key}`);
    trim(passedIds);
    return { findings };
  }

  #isMeant(id: string | undefined, key: string, findings: readonly CallFinding[]): boolean {
    if (id === "" || findings.some(({ code }) => code !== "core/leaked-closer")) return false;
    const { now = Date.now } = this.#options;
    const before = this.#refused.get(key);
    const isKnown = before !== undefined && before.until > now();
    if (isKnown && (id === undefined || id !== before.id)) return this.#refused.delete(key);
    if (!isKnown) this.#refused.set(key, { id, until: now() + rememberMs });
    trim(this.#refused);
    return false;
  }
}

/** Forgets the oldest ones. */
function trim(kept: Map<string, unknown> | Set<string>): void {
  for (const oldest of kept.keys()) if (kept.size > maxRemembered) kept.delete(oldest);
}

/** Options of {@link explainFindings}. */
export interface ExplainFindingsOptions {
  /** Names what the call lacks. */
  tool?: Pick<ToolDefinition, "inputSchema"> | undefined;
  /** Default `en`. */
  locale?: Locale;
}

/** Returns what a model reads of a call that was refused for its damage: what was found, what the call lacks, and what to do. */
export function explainFindings(
  call: { name: string; input: unknown },
  findings: readonly CallFinding[],
  options: ExplainFindingsOptions = {},
): string {
  checkKeys("explainFindings", options, 'tool:object locale:"zh"|"en"');
  const { tool, locale = "en" } = options;
  const given = typeof call.input === "string" ? parseJson(call.input) : call.input;
  const lacks = (tool?.inputSchema.required ?? []).filter((name) => !isObject(given) || !Object.hasOwn(given, name));
  const quoted = lacks.map((name) => JSON.stringify(name)).join(", ");
  const textOf = ({ code, path }: CallFinding): unknown => {
    if (path !== "") return atPointer(given, path);
    return code === "core/nameless-call" ? call.name : call.input;
  };
  const lines = findings.map((one) =>
    findingText({ ...one, code: faultOf(one) }, one.path, textOf(one), faults[locale]),
  );
  const { refused, lacking, again } = sentences[locale];
  if (lacks.length > 0) lines.push(lacking(quoted));
  return [refused(JSON.stringify(call.name)), ...lines.map((line) => `- ${line}`), again].join("\n");
}

const faultOf = ({ code }: CallFinding): FaultName => code.slice("core/".length) as FaultName;

const sentences = {
  en: {
    refused: (name: string) => `The call of ${name} was not run, because it arrived damaged.`,
    lacking: (names: string) => `The call lacks ${names}.`,
    again: "Write the call again, with each argument complete and by itself.",
  },
  zh: {
    refused: (name: string) => `对 ${name} 的调用没有执行，因为它在传输中损坏了。`,
    lacking: (names: string) => `该调用缺少 ${names}。`,
    again: "请重新写出这次调用，每个参数都要完整并单独给出。",
  },
} satisfies Record<Locale, unknown>;

const faults: Record<Locale, FindingWords | undefined> = {
  en: undefined,
  zh: {
    "swallowed-argument": (argument, mark, names) => `${argument} 中有 ${mark}，其后是该调用缺少的 ${names}。`,
    "leaked-closer": (argument, mark) => `${argument} 以 ${mark} 结尾，这是调用的结束标记。`,
    "doubled-input": (argument) => `${argument || "参数"} 出现了两次。`,
    "cut-input": () => "参数没有写完。",
    "nameless-call": (_argument, mark) => `${mark} 不是工具名称。`,
    "marker-in-value": (argument, mark) => `${argument} 中有调用的标记：${mark}。`,
  },
};
