import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { isObject, onAbort } from "@toolglot/internal";
import type { McpProgress } from "@toolglot/toolkit";
import { tasksExtension } from "../import/upstream-tasks.ts";
import type { Caller } from "../types.ts";
import { type Askable, askable } from "./asking.ts";
import type { GateCaller } from "./options.ts";

const keyName = "toolglot/idempotencyKey";
const maxKeyLength = 256;

/** The revisions from 2026-07-28 on, or those before. */
export type Era = "modern" | "legacy";

/** A request of a client, as far as what is worked on needs it. */
export interface Incoming {
  server: Server;
  era: Era;
  context: ServerContext;
  caller: GateCaller;
}

/** Whether a client takes a task in place of a result. */
export function declaresTasks(capabilities: ClientCapabilities | undefined): boolean {
  return isObject(capabilities?.extensions) && isObject(capabilities.extensions[tasksExtension]);
}

/** The client program that a request came through, and what it lets itself be asked, and may be. */
export function clientOf({ server, context, caller }: Pick<Incoming, "server" | "context" | "caller">): {
  client: Caller["client"];
  askable: Askable;
  /** Whether it takes a task in place of a result. */
  takesTasks: boolean;
} {
  const envelope = (context.mcpReq.envelope ?? {}) as Record<string, unknown>;
  const { [CLIENT_INFO_META_KEY]: said, [CLIENT_CAPABILITIES_META_KEY]: can } = envelope;
  const { name = "unknown", version = "" } = (said ?? server.getClientVersion() ?? {}) as Partial<Implementation>;
  const capabilities = (can ?? server.getClientCapabilities()) as ClientCapabilities | undefined;
  const all = askable(capabilities);
  const nobody = { ...all, forms: false, urls: false };
  const takesTasks = declaresTasks(capabilities);
  return { client: { name, version }, askable: caller.mayElicit === false ? nobody : all, takesTasks };
}

/** Returns who sent a request, through which client. */
export function callerOf(incoming: Incoming): Caller {
  const { principal, mayElicit = true } = incoming.caller;
  return { principal, mayElicit, client: clientOf(incoming).client };
}

/** Aborted when the client takes a request back; on earlier revisions, and on a pipe, one that is merely gone cancels nothing. */
export function cancellation({ era, context }: Pick<Incoming, "era" | "context">): AbortSignal {
  const { signal } = context.mcpReq;
  if (era === "modern" && context.http?.req !== undefined) return signal;
  const taken = new AbortController();
  onAbort(signal, () => {
    const isGone = SdkError.isInstance(signal.reason) && signal.reason.code === SdkErrorCode.ConnectionClosed;
    if (!isGone) taken.abort(signal.reason);
  });
  return taken.signal;
}

/** Returns what passes progress on; undefined where the client wants none. */
export function progressTo({
  mcpReq: { _meta, notify },
}: ServerContext): ((progress: McpProgress) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    // A client that is gone needs none.
    notify({ method: "notifications/progress", params: { progressToken, ...progress } }).catch(() => {});
  };
}

/** The client's own key, and what of a request's `_meta` goes on to the server: all that is neither the protocol's nor ours. */
export function metaOf({ mcpReq: { _meta } }: ServerContext): {
  key?: string | undefined;
  meta?: JsonObject | undefined;
} {
  const { progressToken, [keyName]: key, ...rest } = (_meta ?? {}) as Record<string, unknown>;
  if (key !== undefined && (typeof key !== "string" || key === "" || key.length > maxKeyLength)) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `_meta["${keyName}"] must be a text of 1 to ${maxKeyLength} characters`,
    );
  }
  const passed = Object.entries(rest).filter(([name]) => !/^(?:io\.modelcontextprotocol|toolglot)\//.test(name));
  return { key, meta: passed.length > 0 ? (Object.fromEntries(passed) as JsonObject) : undefined };
}
