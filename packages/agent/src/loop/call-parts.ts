import type { EncodeOptions, Message, MessagePart, ToolCall, ToolProtocol, ToolResult } from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { resultText } from "@toolglot/core/results";
import { canonicalJson, plainJson } from "../plain-json.ts";

/** Encoders cut nothing: the loop has done that. */
export const fitted: EncodeOptions = { isFitted: true };

/** Calls of a conversation that had not exactly one result. */
export interface Unpaired {
  missing: string[];
  twice: string[];
}

/** A call of an answer, with the results that were given for it. */
interface Asked {
  call: ToolCall;
  results: ToolResult[];
}

type ResultPart = MessagePart & { type: "result" };

/**
 * Returns messages of a conversation for a protocol whose calls are parts. A provider takes no call without its result and no result
 * without its call, so each answer with calls is followed by one message with one result for each of them, whatever a store has lost,
 * doubled or moved. A missing result becomes `noResult`, of two the fuller one counts; results of calls that were text are text. Messages
 * that are right stay the same objects.
 */
export function pairResults(
  protocol: ToolProtocol,
  messages: readonly Message[],
  noResult: string,
  found: Unpaired = { missing: [], twice: [] },
): Message[] {
  const asked = askedIn(messages, found);
  const given = new Set<ToolResult>();
  for (const { results } of asked.values()) for (const result of results) given.add(result);
  const paired: Message[] = [];
  for (const [at, message] of messages.entries()) {
    const calls = message.role === "assistant" ? new Set(callsOf(message)) : [];
    const own = [...calls].flatMap((call) => asked.get(call) ?? []);
    const orphans = resultsOf(message).filter((result) => !given.has(result));
    const isWhole =
      (message.role !== "assistant" || own.length === callsOf(message).length) && resultsOf(message).length === 0;
    // A call that is there twice is deleted with its first part.
    const left = new Set(own.map(({ call }) => call));
    const parts = message.parts.filter(
      (part) =>
        part.type !== "result" && (part.type !== "call" || message.role !== "assistant" || left.delete(part.call)),
    );
    if (isWhole) paired.push(message);
    else if (parts.length > 0) paired.push({ ...message, parts });
    if (own.length > 0) paired.push(answerOf(own, messages[at + 1], noResult, found));
    if (orphans.length > 0) {
      const text = protocol.formatResults(orphans);
      paired.push({ role: "user", trust: message.trust, parts: [{ type: "text", text }] });
    }
  }
  return paired;
}

/** Returns the message with the results of an answer: the next one, when it is that. */
function answerOf(own: readonly Asked[], next: Message | undefined, noResult: string, found: Unpaired): Message {
  const results = own.map(({ call: { id: callId, name }, results: all }): ToolResult => {
    if (all.length > 1) found.twice.push(callId);
    const [fullest] = [...all].sort((a, b) => fullness(b) - fullness(a));
    if (fullest) return fullest;
    found.missing.push(callId);
    return { callId, name, ...failure({ type: "Interrupted", message: noResult }) };
  });
  const isNext = next?.role === "tool" && next.parts.length === results.length;
  if (isNext && next.parts.every((part, at) => part.type === "result" && part.result === results[at])) return next;
  const parts = results.map((result): ResultPart => ({ type: "result", result }));
  return plainJson({ role: "tool", trust: "untrusted", parts });
}

/** Ranks a result: one that came to an end above one that did not, a longer one above a shorter one. */
function fullness(result: ToolResult): number {
  const hasEnded = result.status !== "pending" && result.status !== "interrupted" && result.status !== "in-doubt";
  return (hasEnded ? 1e12 : 0) + resultText(result, { native: true }).length;
}

/** Returns the calls that stay, each with its results. A call that is there twice stays once: where a result follows it, else where it is first. */
function askedIn(messages: readonly Message[], found: Unpaired): Map<ToolCall, Asked> {
  const byId = new Map<string, Asked[]>();
  const early = new Map<string, ToolResult[]>();
  for (const message of messages) {
    if (message.role === "assistant")
      for (const call of callsOf(message)) {
        const asked: Asked = { call, results: early.get(call.id) ?? [] };
        early.delete(call.id);
        addTo(byId, call.id, asked);
      }
    for (const result of resultsOf(message)) {
      const last = byId.get(result.callId)?.at(-1);
      if (last) last.results.push(result);
      else addTo(early, result.callId, result);
    }
  }
  const kept = new Map<ToolCall, Asked>();
  for (const [id, all] of byId) {
    const equal = new Map<string, Asked>();
    for (const one of all) {
      const key = all.length === 1 ? id : canonicalJson([one.call.name, one.call.input]);
      const same = equal.get(key);
      if (same) found.twice.push(id);
      if (same === undefined || same.results.length === 0) equal.set(key, one);
      else same.results.push(...one.results);
    }
    for (const one of equal.values()) kept.set(one.call, one);
  }
  return kept;
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const callsOf = ({ parts }: Message): ToolCall[] => parts.flatMap((part) => (part.type === "call" ? [part.call] : []));

const resultsOf = ({ parts }: Message): ToolResult[] =>
  parts.flatMap((part) => (part.type === "result" ? [part.result] : []));
