import { defined } from "@toolglot/internal";
import type { Action } from "../action.ts";
import type { ToolCall } from "../call.ts";
import { ToolglotError } from "../errors.ts";
import { toJsonText } from "../json.ts";
import { inputObject } from "../message.ts";
import type { FormatActionsOptions } from "../protocol.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { neutralize } from "./neutralize.ts";

/**
 * Writes actions in a protocol's format. `nearest` is for histories: it writes the nearest form of anything, and never throws; without
 * it the text may read back as something else, which the caller finds out, and it may throw.
 */
export type ActionWriter = (
  actions: readonly Action[],
  options: { tools: readonly ToolDefinition[]; text: string; nearest: boolean },
) => string;

/** Returns a block with the visible text that came before it; none: the block alone. */
export const withText = (text: string, block: string): string => (text === "" ? block : `${text}\n\n${block}`);

/**
 * Returns JSON in which certain marks, which stand in its texts alone, are escapes. Integers that no reader keeps exactly are written
 * with an exponent.
 */
export function exactJsonText(value: unknown, marks: RegExp): string {
  return toJsonText(value)
    .replace(/"(?:[^"\\]|\\.)*"|(?<![.\d])-?\d{16,}(?![\d.e])/g, (token) =>
      token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : Number(token).toExponential(),
    )
    .replace(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What a protocol has to give for its actions to be written. */
interface Format {
  id: string;
  write: ActionWriter;
  /** Returns the actions of a text. `finding`: why it can't be taken as it is written. */
  read(text: string, tools: readonly ToolDefinition[]): { finding: string | undefined; actions: readonly Action[] };
}

/** What of a call is written. */
type Asking = Pick<ToolCall, "name" | "input">;

/**
 * Returns the calls that an action is for a format that has nothing else; as text what is none. Throws for all but calls, unless `nearest`.
 */
export function actionCalls(action: Action, nearest: boolean): readonly Asking[] | string {
  if (action.kind === "calls") return action.calls;
  if (!nearest) throw new Error(`the format has no ${action.kind}.`);
  if (action.kind === "decline") return `${neutralize(action.message)}\n`;
  if (action.kind === "code") return `\`\`\`${action.language}\n${neutralize(action.source)}\n\`\`\`\n`;
  const { common, steps } = action.plan;
  return steps.map(({ tool, params, uris }) => ({ name: tool, input: { ...common, ...params, ...prefixed(uris) } }));
}

/** Returns the text of actions; reads it back, so that what is written means what it should. */
export function formatActions(
  actions: readonly Action[],
  { tools = [], text = "", lossy = false }: FormatActionsOptions,
  format: Format,
): string {
  const exact = (some: readonly Action[], before = ""): string | Fault => {
    try {
      const written = format.write(some, { tools, text: before, nearest: false });
      const { finding, actions: found } = format.read(written, tools);
      const lost = firstLoss(some.flatMap(asked), found.flatMap(asked));
      if (lost === undefined && finding === undefined) return written;
      return lost ?? { path: "", ...defined({ why: finding }) };
    } catch (error) {
      return { path: "", why: error instanceof Error ? error.message : String(error) };
    }
  };
  // The model's own words are kept, unless something in them would be read as a block.
  const written = [text, neutralize(text)]
    .map((before) => exact(actions, before))
    .find((one) => typeof one === "string");
  if (written !== undefined) return written;
  if (lossy) return format.write(actions, { tools, text, nearest: true });
  const fault = actions.map((action) => faultOf(action, exact)).find((one) => one !== undefined) ?? exact(actions);
  const { why, ...data } = typeof fault === "string" ? { path: "" } : fault;
  throw new ToolglotError(
    `${format.id}/unserializable`,
    `${data.tool ?? "It"} would not be read back as it is${data.path && `, at ${data.path}`}${why ? `: ${why}` : "."}`,
    { data },
  );
}

/** Returns what is wrong with one action, and where: the first text without which it could be written. */
function faultOf(action: Action, exact: (some: readonly Action[]) => string | Fault): Fault | undefined {
  if (action.kind !== "calls") {
    const fault = exact([action]);
    const path = { code: "/source", decline: "/message", plan: "" }[action.kind];
    return typeof fault === "string" ? undefined : { ...fault, path: fault.path || path };
  }
  for (const call of action.calls) {
    const alone = (input: unknown) => exact([{ ...action, calls: [{ ...call, input }] }]);
    const fault = alone(call.input);
    if (typeof fault === "string") continue;
    const input = { ...inputObject(call) };
    const texts = Object.keys(input).filter((key) => typeof input[key] === "string");
    const first = texts.reverse().find((key) => {
      input[key] = "x";
      return typeof alone(input) === "string";
    });
    const path = first === undefined ? "" : pointer(first);
    return { ...fault, tool: call.name, path: fault.path || path };
  }
  return undefined;
}

interface Fault {
  tool?: string;
  path: string;
  why?: string;
}

/** One thing that is asked for, without ids and places. */
interface Asked {
  tool?: string;
  input: Record<string, unknown>;
  /** Why it would fail without being run. */
  error?: string;
}

/** Returns what an action asks for, one after the other: a plan's steps with what they share. */
function asked(action: Action): Asked[] {
  switch (action.kind) {
    case "calls":
      return action.calls.map((call) => ({ tool: call.name, input: inputObject(call) }));
    case "plan":
      return action.plan.steps.map(({ tool, params, uris, onError, retry, errors: [error] }) => ({
        tool,
        ...(error && { error: error.message }),
        input: {
          ...action.plan.common,
          ...params,
          ...prefixed(uris),
          ...(onError !== "stop" && { onError }),
          ...(retry > 0 && { retry }),
        },
      }));
    case "code":
      return [{ input: { language: action.language, source: action.source } }];
    case "decline":
      return [{ input: { message: action.message } }];
  }
}

const prefixed = (uris: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(uris).map(([name, uri]) => [`uri_${name}`, uri]));

/** Returns where the first difference is; undefined when there is none. */
function firstLoss(wanted: readonly Asked[], found: readonly Asked[]): Fault | undefined {
  for (let at = 0; at < Math.max(wanted.length, found.length); at++) {
    const [one, other] = [wanted[at], found[at]];
    if (one?.tool !== undefined && other?.error !== one.error)
      return { tool: one.tool, path: "", ...(other?.error !== undefined && { why: other.error }) };
    const path = one?.tool === other?.tool && one && other ? difference(one.input, other.input) : "";
    if (path === undefined) continue;
    const tool = one?.tool ?? other?.tool;
    return tool === undefined ? { path } : { tool, path };
  }
  return undefined;
}

const loneSurrogates = /\p{Cs}/gu;

/** Returns a JSON pointer to where a value that was read differs from one that was written; undefined when it doesn't. */
function difference(wanted: unknown, found: unknown): string | undefined {
  if (Object.is(wanted, found) || (wanted === 0 && found === 0)) return undefined;
  if (typeof wanted === "string") return wanted.replace(loneSurrogates, "\ufffd") === found ? undefined : "";
  if (typeof wanted !== "object" || typeof found !== "object" || wanted === null || found === null) return "";
  if (Array.isArray(wanted) !== Array.isArray(found)) return "";
  const [one, other] = [entries(wanted), entries(found)];
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const path = difference(one.get(key), other.get(key));
    if (path !== undefined) return pointer(key) + path;
  }
  return undefined;
}

const pointer = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Keys without a value are none in JSON. */
const entries = (value: object): Map<string, unknown> =>
  new Map(Object.entries(value).filter(([, one]) => one !== undefined));
