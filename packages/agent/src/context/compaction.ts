import type { Message, MessagePart, ToolResult, Usage } from "@toolglot/core";
import { resultText } from "@toolglot/core/results";
import { checkKeys } from "@toolglot/internal";
import { canonicalJson } from "../plain-json.ts";
import { artifactOf } from "./artifacts.ts";

/** Input of a {@link Compaction}. */
export interface CompactionInput {
  /** As the next request would have them, calls and results as parts; system message first. */
  messages: readonly Message[];
  /** Estimated tokens of the next request. */
  estimate: number;
  /** How many it should have at most. */
  target: number;
  /** `estimate`: the request would not fit the window. `overflow`: the model refused it. */
  reason: "estimate" | "overflow";
  signal: AbortSignal;
  /** Reports what the compaction itself used of models: it counts towards the sums and limits of the run, as usage of tools does. */
  report?(used: Usage): void;
}

/**
 * Makes a conversation shorter for the requests that follow; the transcript keeps everything. The result keeps the system message
 * first, the first message of the user, the newest turn whole, and no result without its call or call without its result; one that
 * doesn't is not used.
 */
export type Compaction = (input: CompactionInput) => readonly Message[] | Promise<readonly Message[]>;

/** UTF-16 units of a result that is as short as the line that would replace it. */
export const shortResult = 200;

/**
 * Creates a compaction that replaces the results of all but the newest turns with one line each: the tool, how long its result was, and the artifact that has all of it.
 * Default: 3 turns are kept.
 *
 * @example
 * ```ts
 * { compact: dropOldResults({ keepTurns: 5 }) }
 * ```
 */
export function dropOldResults(options: { keepTurns?: number } = {}): Compaction {
  checkKeys("dropOldResults", options, "keepTurns:number");
  const { keepTurns = 3 } = options;
  checkKeepTurns(keepTurns);
  return ({ messages }) => {
    const from = turnStarts(messages).at(-keepTurns) ?? 0;
    return messages.map((message, at) => (at < from ? withoutResults(message) : message));
  };
}

/** Defaults of how requests are made shorter. */
export const dropByDefault: Compaction = /* @__PURE__ */ dropOldResults();

/** Throws `TypeError` for anything but a number of turns. */
export function checkKeepTurns(keepTurns: unknown): void {
  if (Number.isInteger(keepTurns) && (keepTurns as number) >= 1) return;
  throw new TypeError(`keepTurns must be a whole number from 1, not ${String(keepTurns)}.`);
}

function withoutResults(message: Message): Message {
  if (!message.parts.some(({ type }) => type === "result")) return message;
  const parts = message.parts.map((part): MessagePart => (part.type === "result" ? shortened(part.result) : part));
  return { ...message, parts };
}

function shortened(result: ToolResult): MessagePart {
  const { callId, name, status, error } = result;
  const artifact = artifactOf(result);
  const { length } = artifact ?? resultText(result);
  if (length <= shortResult) return { type: "result", result };
  const way = artifact ? `read the artifact ${artifact.id} with read_artifact` : "call the tool again";
  const text = `[The result of ${name ?? callId} had ${length} characters. It was left out to save room; ${way} if you need it.]`;
  return {
    type: "result",
    result: {
      callId,
      status,
      content: [{ type: "text", text }],
      ...(name !== undefined && { name }),
      ...(error && { error }),
      ...(artifact && result.metadata && { metadata: result.metadata }),
    },
  };
}

/** Returns where turns begin: each answer of the model begins one. */
export function turnStarts(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
}

/** Removes whole turns, the oldest first, until the rest has `target` tokens at most; the newest stays. */
export function dropOldTurns(
  messages: readonly Message[],
  target: number,
  tokensOf: (message: Message) => number,
): readonly Message[] {
  const starts = turnStarts(messages);
  const [first = messages.length] = starts;
  const sizes = messages.map(tokensOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let from = first;
  for (const end of starts.slice(1)) {
    if (total <= target) break;
    for (; from < end; from += 1) total -= sizes[from] ?? 0;
  }
  return from === first ? messages : [...messages.slice(0, first), ...messages.slice(from)];
}

/** Returns why a compaction can't be used; undefined when it can. */
export function flawOf(before: readonly Message[], after: readonly Message[]): string | undefined {
  if (!Array.isArray(after) || after.some((message) => !Array.isArray(message?.parts)))
    return "it is no list of messages";
  const system = before.find(({ role }) => role === "system");
  if (system && !isSame(after[0], system)) return "the system message does not stand first";
  const user = before.find(({ role }) => role === "user");
  if (user && !after.some((message) => isSame(message, user))) return "the first message of the user is gone";
  const newest = before.slice(turnStarts(before).at(-1) ?? before.length);
  if (newest.some((message, at) => !isSame(after.at(at - newest.length), message)))
    return "the newest turn is not as it was";
  const [had, has] = [idsOf(before), idsOf(after)];
  const orphan = [...has.results].find((id) => had.calls.has(id) && !has.calls.has(id));
  if (orphan !== undefined) return `the result of ${orphan} has no call any more`;
  const open = [...has.calls].find((id) => had.results.has(id) && !has.results.has(id));
  return open === undefined ? undefined : `the call ${open} has no result any more`;
}

const isSame = (one: Message | undefined, other: Message): boolean =>
  one === other || (one !== undefined && canonicalJson(one) === canonicalJson(other));

function idsOf(messages: readonly Message[]): { calls: Set<string>; results: Set<string> } {
  const parts = messages.flatMap((message) => message.parts);
  return {
    calls: new Set(parts.flatMap((part) => (part.type === "call" ? [part.call.id] : []))),
    results: new Set(parts.flatMap((part) => (part.type === "result" ? [part.result.callId] : []))),
  };
}
