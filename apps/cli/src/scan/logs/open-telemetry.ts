import { isObject, parseJson } from "@toolglot/internal";
import { chatMessages } from "./chat-messages.ts";
import { nameOf, textOf, timeOf, toolsOf } from "./fields.ts";
import type { LogEntry, LogItem } from "./log-reader.ts";

/** What a span, an event or a log record of OpenTelemetry holds. */
export interface Telemetry {
  /** What it tells of all that is in it: the model, its tools, a call that was made. */
  about: LogEntry;
  /** Of an event that is a message. `path`: where in the record. */
  said?: { entry: LogEntry; path: string; message: Record<string, unknown> };
  /** Its attributes that are lists or objects, by their keys. */
  members: [name: string, value: unknown][];
}

/** Where keys and values stand: spans and log records, and what Jaeger makes of them. */
const places = ["attributes", "tags", "fields"] as const;
/** Keys about models, in the conventions of OpenTelemetry, of OpenInference and of OpenLLMetry. */
const isOurs = /^(?:gen_ai|llm)\./;
const isEvent = /^gen_ai\.(choice|(system|user|assistant|tool)\.message)$/;
/** Arguments stay as the model wrote them. */
const isArguments = /(?:^|\.)(?:arguments|args|input)$/;
const maxDepth = 100;
/** Numbers in keys: `gen_ai.prompt.0.content`. */
const maxIndex = 10_000;

/**
 * Reads what OpenTelemetry keeps of a model's work, wherever it stands in a log: attributes as an object or as OTLP's list of keys and typed
 * values, messages in them as JSON text or in parts whose keys are numbered, and messages that are events. Undefined for any other record.
 */
export function telemetryOf(record: Record<string, unknown>): Telemetry | undefined {
  const place = places.find((name) => typeof record[name] === "object" && record[name] !== null);
  if (place === undefined && !("body" in record)) return undefined;
  const attributes = attributesOf(place && record[place]);
  const names = [record.eventName, record.event_name, attributes.get("event.name"), record.name];
  const event = names.map((name) => isEvent.exec(nameOf(name))).find((match) => match !== null);
  const isSpan = ["traceId", "trace_id", "traceID"].some((name) => name in record) && place !== undefined;
  if (!event && !isSpan && ![...attributes.keys()].some((key) => isOurs.test(key))) return undefined;
  const members = [...attributes].filter(([, value]) => typeof value === "object" && value !== null);
  const about = aboutOf(record, attributes, members);
  if (!event) return { about, members };
  const content = attributes.get("gen_ai.event.content");
  const body = plain(record.body ?? content);
  const given = isObject(body) ? body : Object.fromEntries(attributes);
  const inner = event[1] === "choice" ? (given.message ?? given) : given;
  const message: Record<string, unknown> = {
    role: event[2] ?? "assistant",
    ...(isObject(inner) ? inner : { content: inner }),
    ...(event[2] === "tool" && { tool_call_id: given.id }),
  };
  const entry = chatMessages.read(message) ?? { items: [] };
  const path = `${isObject(record.body) ? "/body" : `/${place}`}${inner === given ? "" : "/message"}`;
  return { about, said: { entry: { ...entry, isHistory: event[1] !== "choice" }, path, message }, members: [] };
}

function aboutOf(
  record: Record<string, unknown>,
  attributes: ReadonlyMap<string, unknown>,
  members: Telemetry["members"],
): LogEntry {
  const items: LogItem[] = members.flatMap(([key, value]) => {
    const tools = /(?:tools|functions|tool\.definitions)$/.test(key) ? toolsOf(value) : undefined;
    return tools ? [{ type: "tools", tools }] : [];
  });
  const name = textOf(attributes.get("gen_ai.tool.name"));
  const id = textOf(attributes.get("gen_ai.tool.call.id"));
  const key = "gen_ai.tool.call.arguments";
  if (name !== undefined && attributes.has(key))
    items.push({ type: "call", id, name, input: attributes.get(key), path: `/attributes/${key}` });
  if (id !== undefined) items.push({ type: "result", id });
  const nanoseconds = record.startTimeUnixNano ?? record.timeUnixNano ?? record.observedTimeUnixNano;
  const time =
    nanoseconds === undefined ? timeOf(record.timestamp ?? record.start_time) : timeOf(Number(nanoseconds) / 1e6);
  const model = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"]
    .map((one) => textOf(attributes.get(one)))
    .find((one) => one !== undefined);
  return { items, time, ...(model !== undefined && { model }) };
}

/** Returns attributes by their keys. Those whose keys are numbered are put together: `gen_ai.prompt.0.role` is in the list `gen_ai.prompt`. */
function attributesOf(given: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const entries = Array.isArray(given) ? (keyed(given) ?? []) : isObject(given) ? Object.entries(given) : [];
  for (const [key, value] of entries) {
    const one = plain(value);
    const read = typeof one === "string" && !isArguments.test(key) && /^\s*[[{]/.test(one) ? parseJson(one) : undefined;
    const [, list, rest] = /^([^.]+(?:\.[^.\d][^.]*)*)\.(\d+\..+)$/.exec(key) ?? [];
    if (list === undefined || rest === undefined) found.set(key, read ?? one);
    else {
      const own = found.get(list);
      const target = Array.isArray(own) ? own : [];
      found.set(list, target);
      put(target, rest.split("."), read ?? one);
    }
  }
  return found;
}

/** Puts a value where the steps of a key lead; nowhere when they lead too far. */
function put(target: unknown[] | Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let at = target as Record<string, unknown>;
  for (const [index, step] of steps.entries()) {
    if (index > maxDepth || (Array.isArray(at) && !(Number(step) < maxIndex))) return;
    const next = steps[index + 1];
    if (next === undefined) at[step] = value;
    else {
      const inner = Object.hasOwn(at, step) ? at[step] : undefined;
      if (typeof inner !== "object" || inner === null) at[step] = /^\d+$/.test(next) ? [] : Object.create(null);
      at = at[step] as Record<string, unknown>;
    }
  }
}

/** Returns the pairs of a list of keys and values; undefined when it is none. */
function keyed(list: readonly unknown[], depth = 0): [key: string, value: unknown][] | undefined {
  const pairs = list.flatMap((item): [string, unknown][] =>
    isObject(item) && typeof item.key === "string" ? [[item.key, plain(item.value, depth + 1)]] : [],
  );
  return pairs.length === list.length ? pairs : undefined;
}

/** Returns a value of OTLP without what says its type. */
function plain(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > maxDepth) return value;
  const [kind = ""] = Object.keys(value);
  const own = value[kind];
  if (kind === "arrayValue" && isObject(own) && Array.isArray(own.values))
    return own.values.map((one) => plain(one, depth + 1));
  if (kind === "kvlistValue" && isObject(own) && Array.isArray(own.values))
    return Object.fromEntries(keyed(own.values, depth) ?? []);
  return /^(?:string|bool|int|double|bytes)Value$/.test(kind) ? own : value;
}
