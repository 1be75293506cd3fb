import { type JsonObject, type JsonSchemaObject, type JsonValue, ToolError } from "@toolglot/core";
import { canonicalJson, defined, inBackground, onAbort, pointerSteps, valueAt } from "@toolglot/internal";
import type { InputSchema } from "@toolglot/schema";
import type { McpCallOptions, McpCallResult, McpClient, McpProgress } from "@toolglot/toolkit";
import {
  type AnyCapability,
  CapabilityError,
  type ExecuteContext,
  type Principal,
  type ProbeResult,
  type Router,
} from "@toolglot/trp-core";
import type { CallChannel } from "../calls/call-channel.ts";
import { fillValue } from "../fill-template.ts";
import { principalKey } from "../principal-key.ts";
import type { CallExtras, ImportedTool } from "../types.ts";
import { capabilityError, readFault } from "./call-fault.ts";
import { withMember } from "./input-schema.ts";
import { divide, firstText, type ResultLimits, Settled, withoutOurs } from "./kept-result.ts";
import { catalogName } from "./names.ts";
import { taskMs, type UpstreamTasks } from "./upstream-tasks.ts";

/** What the capabilities of a server have in common. */
export interface ServerParts {
  router: Pick<Router, "store">;
  /** With whose connection a principal's calls are made. */
  clientOf(principal: Principal): McpClient;
  channel: CallChannel;
  limits: ResultLimits;
  /** Milliseconds without a sign of life. */
  timeoutMs: number;
  maxConcurrency: number;
  /** The tasks that the server has made of calls. */
  tasks: UpstreamTasks;
  /** Whether the server may make tasks of calls. */
  makesTasks(): boolean;
  upstream: {
    /** Why the server is not to be asked; undefined when it is. */
    down(): string | undefined;
    /** A call had no answer. */
    suspect(unreached: boolean): void;
  };
}

/** Schemas of a tool's arguments: what they are checked with, and the one that the server gave a principal. */
export interface ToolSchemas {
  input: InputSchema;
  sent(principal: Principal): JsonSchemaObject;
}

/** As long as progress may push a call's time-out on. Milliseconds. */
export const maxMs = 600_000;

/** Returns the capability that a server's tool is in a router. */
export function toolCapability(parts: ServerParts, tool: ImportedTool, schemas: ToolSchemas): AnyCapability {
  const { settings, listed, repeat, effect } = tool;
  const { description, title } = listed;
  const timeoutMs = settings.timeoutMs ?? parts.timeoutMs;
  const makesTasks = parts.makesTasks();
  const words = [description, title].find((text) => typeof text === "string" && text.trim() !== "");
  return {
    capId: tool.capId,
    name: catalogName(tool.shownName),
    description: (words as string | undefined) ?? `The tool ${tool.tool} of the MCP server ${tool.server}.`,
    riskTier: tool.risk,
    ioClass: tool.io,
    effect,
    input: schemas.input,
    openInput: true,
    repeats: repeat.mode === "free" ? "free" : "guarded",
    maxTimeoutMs: Math.max(timeoutMs, makesTasks ? taskMs : maxMs),
    maxConcurrency: parts.maxConcurrency,
    concurrencyGroup: tool.server,
    execute: (args: JsonObject, context: ExecuteContext) =>
      settle(parts, context, (extras) =>
        callTool(parts, tool, { args, context, extras, timeoutMs, schema: schemas.sent(context.principal) }),
      ),
    ...((settings.probe || (makesTasks && effect === "opaque")) && {
      probe: async (args: JsonObject, context: ExecuteContext) =>
        (await endOfTask(parts, tool, context)) ?? (await probe(parts, tool, args, context, timeoutMs)),
    }),
    shape,
  };
}

/**
 * Makes a call, and returns what is kept of its answer; the answer itself goes through the channel. Throws `ToolError` for an answer that
 * is an error, and `CapabilityError` where there is none.
 */
export async function settle(
  parts: ServerParts,
  context: ExecuteContext,
  call: (extras: CallExtras) => Promise<McpCallResult>,
): Promise<Settled> {
  const { channel, upstream } = parts;
  const { callId, signal } = context;
  const extras: CallExtras = channel.of(callId) ?? {};
  const down = upstream.down();
  if (down !== undefined) {
    extras.fault = { fate: "unsent", message: down };
    throw new CapabilityError(down, { outcome: "not-applied" });
  }
  let result: McpCallResult;
  try {
    result = await call(extras);
  } catch (error) {
    const fault = readFault(error);
    if (!fault.answered && !signal.aborted) upstream.suspect(fault.fate === "unsent");
    extras.fault = fault;
    throw capabilityError(fault, error);
  }
  return keep(parts, context, extras, result);
}

/** Returns what is kept of an answer; the answer itself goes through the channel. Throws `ToolError` for one that is an error. */
async function keep(
  { router, channel, limits }: ServerParts,
  { callId, principal, operationKey }: ExecuteContext,
  extras: CallExtras,
  result: McpCallResult,
): Promise<Settled> {
  // Without a key there is no other call that could get it.
  const keeper = channel.of(callId) !== undefined && operationKey === undefined ? undefined : { router, principal };
  const { now, kept } = await divide(withoutOurs(result), limits, keeper);
  extras.result = now;
  if (result.isError === true) throw new ToolError(firstText(result).trim() || "The tool reported an error.");
  return kept;
}

function shape(value: unknown): { summary: string; data: unknown } {
  if (value instanceof Settled) return value;
  // Somebody found out by other means what the result was.
  const text = typeof value === "string" ? value : canonicalJson(value);
  return new Settled({ content: [{ type: "text", text }] });
}

interface Call {
  args: JsonObject;
  context: ExecuteContext;
  extras: CallExtras;
  timeoutMs: number;
  schema: JsonSchemaObject;
}

async function callTool(
  parts: ServerParts,
  imported: ImportedTool,
  { args, context, extras, timeoutMs, schema }: Call,
): Promise<McpCallResult> {
  const { tool, effect, settings, capId } = imported;
  // An earlier attempt may have been answered with a task: then that is the call.
  const begun = context.attempt > 1 ? await followed(parts, imported, context, extras) : undefined;
  if (begun !== undefined) return begun;
  const client = parts.clientOf(context.principal);
  const keyed = withKey(args, extras.meta, settings.downstreamKeyIn, context.operationKey);
  const isHarmless = effect === "pure" || effect === "idempotent";
  const request = {
    name: tool,
    ...keyed,
    inputSchema: schema,
    // Never as read-only: then nobody says whether it was sent.
    repeatable: isHarmless,
  };
  let hasTask = false;
  const ending = new AbortController();
  const late = inBackground(() => ending.abort(new Error("the call took too long")), Math.max(timeoutMs, maxMs));
  const stopListening = onAbort(context.signal, () => {
    if (!hasTask || isCancelled(context.signal)) ending.abort(context.signal.reason);
  });
  const options: McpCallOptions = {
    signal: ending.signal,
    async onTask(task) {
      // It may take as long as its server keeps it.
      clearTimeout(late);
      hasTask = true;
      // A store that is away keeps nothing of it; the task goes on.
      await parts.tasks.note(capId, context, task).catch(() => {});
    },
    onProgress: (progress) => {
      context.progress(progressUpdate(progress));
      extras.onProgress?.(progress);
    },
    timeoutMs,
    ...defined({ ask: extras.ask }),
    person: principalKey(context),
  };
  try {
    const result = await client.callTool(request, options);
    if (hasTask) parts.tasks.ended(capId, context);
    return result;
  } catch (error) {
    const { fate, answered } = readFault(error);
    // Lost ones the client has sent again already.
    if (!isHarmless || hasTask || fate !== "unknown" || !answered || options.signal?.aborted) throw error;
    return await client.callTool(request, options);
  } finally {
    clearTimeout(late);
    stopListening();
  }
}

/** Follows the task that an earlier attempt at the call had become. Resolves to undefined when there is none. */
async function followed(
  { clientOf, tasks }: ServerParts,
  { tool, capId, effect }: ImportedTool,
  context: ExecuteContext,
  extras: CallExtras,
): Promise<McpCallResult | undefined> {
  const task = await tasks.of(capId, context);
  if (task === undefined) return undefined;
  const repeatable = effect === "pure" || effect === "idempotent";
  const ending = new AbortController();
  const stopListening = onAbort(context.signal, () => {
    if (isCancelled(context.signal)) ending.abort(context.signal.reason);
  });
  const options = { signal: ending.signal, ...defined({ ask: extras.ask }) };
  try {
    const result = await clientOf(context.principal).followTask(task, { name: tool, repeatable }, options);
    tasks.ended(capId, context);
    return result;
  } finally {
    stopListening();
  }
}

/** Whether somebody wants a call to end. A router that closes leaves its task to the next one. */
function isCancelled({ reason }: AbortSignal): boolean {
  return !(reason instanceof DOMException && reason.name === "AbortError");
}

/** What became of a call, by the end of its task. Resolves to undefined when it has none, or that tells nothing. */
async function endOfTask(
  parts: ServerParts,
  tool: ImportedTool,
  context: ExecuteContext,
): Promise<ProbeResult | undefined> {
  const extras: CallExtras = parts.channel.of(context.callId) ?? {};
  try {
    const result = await followed(parts, tool, context, extras);
    return result && { state: "done", value: await keep(parts, context, extras, result) };
  } catch (error) {
    const isAnswer = extras.result !== undefined;
    const { fate, message } = readFault(error);
    return isAnswer || fate !== "unknown" ? { state: "failed", message } : undefined;
  }
}

function progressUpdate({ progress, total, message }: McpProgress): { message: string; data: JsonObject } {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return { message: message || count, data: { progress, ...defined({ total, message }) } };
}

/** Puts the operation's key where the server takes it. */
function withKey(
  args: JsonObject,
  meta: JsonObject | undefined,
  place: string | undefined,
  key: string | undefined,
): { arguments: JsonObject; meta?: JsonObject } {
  if (place === undefined || key === undefined) return { arguments: args, ...defined({ meta }) };
  if (!place.startsWith("_meta/")) return { arguments: withMember(args, place, key), ...defined({ meta }) };
  return { arguments: args, meta: { ...meta, [place.slice("_meta/".length)]: key } };
}

/** Asks another tool of the server whether a call happened. */
async function probe(
  { clientOf }: ServerParts,
  { settings, server }: ImportedTool,
  args: JsonObject,
  { signal, principal }: ExecuteContext,
  timeoutMs: number,
): Promise<ProbeResult> {
  const { probe: asked } = settings;
  const filled = asked && fillValue(asked.arguments, args);
  if (asked === undefined || filled === undefined) return { state: "unknown" };
  const request = { name: asked.tool, arguments: filled as JsonObject, repeatable: true };
  const { structuredContent, isError } = await clientOf(principal).callTool(request, { signal, timeoutMs });
  if (isError === true || structuredContent === undefined) return { state: "unknown" };
  const found = valueAt(structuredContent, pointerSteps(asked.found) ?? []) as JsonValue | undefined;
  const isThere = found !== undefined && found !== null;
  const happened =
    asked.equals === undefined ? isThere : isThere && canonicalJson(found) === canonicalJson(asked.equals);
  if (!happened) return { state: "not-applied" };
  const text = `It happened: ${asked.tool} of the MCP server ${server} shows it. Its own answer was lost.`;
  return { state: "done", value: new Settled({ content: [{ type: "text", text }] }) };
}
