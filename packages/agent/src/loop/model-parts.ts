import type { ModelPart } from "@toolglot/core";
import { isObject, isThenable, nearest } from "@toolglot/internal";

/** Kinds of fields by name. A name that ends in `?` may be absent. */
interface Fields {
  readonly [name: string]: Kind | Fields;
}
type Kind = readonly [is: (value: unknown) => boolean, what: string];

const text: Kind = [(value) => typeof value === "string", "a text"];
const number: Kind = [(value) => typeof value === "number", "a number"];
const object: Kind = [isObject, "an object"];
const oneOf = (...words: string[]): Kind => [
  (value) => words.includes(value as string),
  words.map((word) => JSON.stringify(word)).join(" or "),
];

const reasons = ["stop", "length", "calls", "filter", "error"];

/** The parts of a model's answer that are objects, by their type. */
const parts: Readonly<Record<string, Fields>> = {
  reasoning: { text, "meta?": object },
  "call-delta": { id: text, "name?": text, text },
  call: {
    call: {
      ...{ id: text, name: text, protocol: text, "span?": object, "requestId?": text },
      input: [(value) => value !== undefined, "an object, or its JSON text"],
    },
  },
  finish: {
    reason: oneOf(...reasons),
    "stopSequence?": text,
    "usage?": {
      ...{ "inputTokens?": number, "outputTokens?": number, "cachedInputTokens?": number },
      ...{ "cacheWriteTokens?": number, "reasoningTokens?": number, "cost?": number },
    },
  },
};

/** Words of other libraries, and ours. */
const ours: Readonly<Record<string, string>> = {
  ...{ arguments: "input", args: "input", parameters: "input", toolCallId: "id", callId: "id", call_id: "id" },
  ...{
    toolName: "name",
    tool: "name",
    delta: "text",
    content: "text",
    finishReason: "reason",
    finish_reason: "reason",
  },
  ...{ stop_reason: "reason", prompt_tokens: "inputTokens", promptTokens: "inputTokens", input_tokens: "inputTokens" },
  ...{ completion_tokens: "outputTokens", completionTokens: "outputTokens", output_tokens: "outputTokens" },
  ...{ tool_calls: "calls", "tool-calls": "calls", tool_use: "calls", function_call: "calls", toolUse: "calls" },
  ...{
    "content-filter": "filter",
    content_filter: "filter",
    refusal: "filter",
    end_turn: "stop",
    max_tokens: "length",
  },
  ...{ "tool-call": "call", toolCall: "call", "tool-input-delta": "call-delta", "tool-call-delta": "call-delta" },
  ...{ thinking: "reasoning", "reasoning-delta": "reasoning", done: "finish" },
  ...{ text: "a bare string", "text-delta": "a bare string" },
};

/** Returns what is wrong with a part: a `fault` ends the answer, because something of it may have been meant; an `unknown` kind is left out. */
export function flawOf(part: unknown): { fault: string } | { unknown: string } | undefined {
  if (typeof part === "string") return undefined;
  const { type, ...fields } = isObject(part) ? part : {};
  const known = parts[type as string];
  if (known && Object.hasOwn(parts, type as string)) {
    const fault = faultIn(fields, known, `The model's part ${JSON.stringify(type)}`);
    return fault === undefined ? undefined : { fault };
  }
  if (!isObject(part)) return { unknown: `it is ${shown(part)}, and no part` };
  const meant = meantBy(type, Object.keys(parts));
  const what = `of the type ${shown(type)}, which is not known`;
  if (meant === undefined)
    return { unknown: `it is ${what}; there are ${Object.keys(parts).join(", ")}, and bare strings` };
  return { fault: `The model's stream held a part ${what}. Did you mean ${meant}?` };
}

function faultIn(given: unknown, fields: Fields, what: string): string | undefined {
  if (!isObject(given)) return `${what} must be an object, not ${shown(given)}.`;
  const names = Object.keys(fields).map((name) => name.replace("?", ""));
  for (const [key, value] of Object.entries(given)) {
    if (names.includes(key) || value === undefined) continue;
    const meant = meantBy(key, names);
    const cure = meant === undefined ? `It has: ${names.join(", ")}.` : `Did you mean ${meant}?`;
    return `${what} has no field ${JSON.stringify(key)}. ${cure}`;
  }
  for (const [name, kind] of Object.entries(fields)) {
    const key = name.replace("?", "");
    const value = given[key];
    if (value === undefined && key !== name) continue;
    if (!Array.isArray(kind)) {
      const fault = faultIn(value, kind as Fields, `${what}, ${key},`);
      if (fault !== undefined) return fault;
    } else if (!kind[0](value)) {
      const meant = typeof value === "string" ? meantBy(value, reasons) : undefined;
      const cure = key === "reason" && meant !== undefined ? ` Did you mean ${meant}?` : "";
      return `${what} needs ${key}: ${kind[1]}, not ${shown(value)}.${cure}`;
    }
  }
  return undefined;
}

/** Returns the name that was meant, of those there are. */
function meantBy(given: unknown, names: readonly string[]): string | undefined {
  if (typeof given !== "string") return undefined;
  const our = Object.hasOwn(ours, given) ? ours[given] : undefined;
  if (our === "a bare string") return names.includes("finish") ? our : undefined;
  const [meant] = our !== undefined && names.includes(our) ? [our] : nearest(given, names, 1);
  return meant && JSON.stringify(meant);
}

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : isObject(value) ? "an object" : String(value);

/** Returns a model's answer part by part: of a stream, a list, one text, or a promise of them. Throws `TypeError` for anything else. */
export function iteratorOf(given: unknown): AsyncIterator<ModelPart> {
  if (isThenable(given)) return later(given);
  if (typeof given === "string") return inTurn([given]);
  const { [Symbol.asyncIterator]: stream, [Symbol.iterator]: list } = Object(given) as Partial<
    AsyncIterable<ModelPart> & Iterable<ModelPart>
  >;
  if (typeof stream === "function") return stream.call(given);
  if (typeof list === "function") return inTurn(given as Iterable<ModelPart>);
  throw new TypeError(
    `A model gives an async iterable of parts, a list of them, or a promise of either, not ${shown(given)}.`,
  );
}

async function* inTurn(given: Iterable<ModelPart>): AsyncGenerator<ModelPart> {
  yield* given;
}

async function* later(given: PromiseLike<unknown>): AsyncGenerator<ModelPart> {
  const iterator = iteratorOf(await given);
  yield* { [Symbol.asyncIterator]: () => iterator };
}
