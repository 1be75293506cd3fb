import type { Client } from "@modelcontextprotocol/client";
import { isObject, maxTimerMs, onAbort, parseJson, settleWithin, unsettled } from "@toolglot/internal";
import { ToolkitError } from "../errors.ts";
import { isUnauthorised, unauthorised } from "./authorization.ts";
import { messageOf } from "./fault-text.ts";
import type { ClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import type { RevisionOptions } from "./prepare-client.ts";
import { type MadeTransport, makeSseTransport, makeTransport, type TransportEvents } from "./transports.ts";

/** A client that is connected. */
export interface Session {
  client: Client;
  made: MadeTransport;
}

/** First contact with a server: asked for the newest revision, or as one that is known to have it, or not to. */
type Era = "ask" | "legacy" | "newest";

/** Memory of one connection for the next ones to the same server. */
export interface SessionMemory {
  /** Whether the server had only older revisions, or the newest: then it needn't be asked again. */
  era: Era;
  /** The transport that wants an authorisation, and the address for it. */
  waiting?: MadeTransport["transport"];
  authorizationUrl?: URL | undefined;
}

/** Parts that a session is opened with. */
export interface SessionParts {
  /** A new client, before it connects. */
  makeClient(options: RevisionOptions): Client;
  /** Sees each transport before it is connected. */
  watch(made: MadeTransport): void;
  events: Omit<TransportEvents, "onAuthorizationUrl">;
}

/**
 * Milliseconds that a process may take to answer the question for the newest revision. Older ones may not answer at all; over HTTP every
 * one answers, and one far away takes its time.
 */
const probeMs = 1_000;

/** The one revision that is not begun with `initialize`, as far as the official client knows. */
const newest = "2026-07-28";

/**
 * Connects: with the newest revision that both sides have, and by the transport that the server has. Rejects with
 * `ToolkitError`, or with the signal's reason, and leaves nothing running.
 */
export async function openSession(
  sdk: ClientModule,
  options: McpClientOptions,
  parts: SessionParts,
  signal: AbortSignal,
  memory: SessionMemory,
): Promise<Session> {
  const { transport: config, revision = "auto", maxBufferSize, connectTimeoutMs: timeout = 30_000 } = options;
  const events: TransportEvents = {
    ...parts.events,
    onAuthorizationUrl: (url) => {
      memory.authorizationUrl = url;
    },
  };
  const isHttp = typeof config !== "function" && config.type === "http";
  const attempt = async (make: () => MadeTransport | Promise<MadeTransport>, era: Era): Promise<Session> => {
    const client = parts.makeClient(negotiation(era === "newest" ? { pin: newest } : revision, timeout, isHttp));
    const made = await make();
    parts.watch(made);
    // The question for the newest revision looks at no signal.
    const stopListening = onAbort(signal, () => void made.transport.close().catch(() => {}));
    try {
      signal.throwIfAborted(); // before a process is started
      const connecting = client.connect(made.transport, {
        timeout,
        signal,
        ...(era === "legacy" && { prior: { kind: "legacy" } }),
      });
      // A stream of events that never names the address to send to would be waited for, for ever.
      const connected = await settleWithin(connecting, { ms: Math.min(2 * timeout, maxTimerMs), signal });
      if (connected === unsettled) throw new Error(`it did not answer within ${2 * timeout} ms`);
      memory.era = client.getProtocolEra() === "legacy" ? "legacy" : "newest";
      return { client, made };
    } catch (error) {
      if (isUnauthorised(error, sdk)) memory.waiting = made.transport;
      await made.transport.close().catch(() => {});
      signal.throwIfAborted();
      throw failure(sdk, options, memory, error, made);
    } finally {
      stopListening();
    }
  };
  const make = (): Promise<MadeTransport> => makeTransport(sdk, options, events);
  const mayFallBack = isHttp && config.fallback !== false;
  const era = revision === "auto" ? memory.era : "ask";
  memory.authorizationUrl = undefined;
  try {
    try {
      return await attempt(make, era);
    } catch (error) {
      if (revision !== "auto") throw error;
      // It may be another server by now.
      memory.era = "ask";
      // It was not asked, or started too slowly to answer in time.
      if (theirRevisions(error)?.includes(newest)) return await attempt(make, "newest");
      if (era === "legacy" || !isConfused(error, sdk, isHttp)) throw error;
      return await attempt(make, era === "newest" ? "ask" : "legacy");
    }
  } catch (error) {
    if (!mayFallBack || !isOtherTransport(error, sdk)) throw error;
    const sse = (): MadeTransport => makeSseTransport(sdk, config, maxBufferSize, events);
    // The error of the second attempt at a server that has neither transport is no help.
    return await attempt(sse, "legacy").catch((again: unknown) => {
      signal.throwIfAborted();
      throw ToolkitError.isInstance(again) && again.code === "toolkit/mcp-unauthorised" ? again : error;
    });
  }
}

function negotiation(
  revision: NonNullable<McpClientOptions["revision"]>,
  timeout: number,
  isHttp: boolean,
): RevisionOptions {
  // An old server may not answer a question before `initialize`. One that starts slowly is asked again, by its later answer.
  const timeoutMs = Math.min(isHttp ? timeout : probeMs, timeout / 2);
  if (revision === "auto") return { versionNegotiation: { mode: "auto", probe: { timeoutMs } } };
  if (revision === "legacy") return {};
  if (revision.pin >= newest) return { versionNegotiation: { mode: { pin: revision.pin } } };
  return { supportedProtocolVersions: [revision.pin] };
}

/** Checks whether the question for the newest revision may be what a server failed at that has only older ones. */
function isConfused(error: unknown, sdk: ClientModule, isHttp: boolean): boolean {
  const { cause } = error as Error;
  if (sdk.SdkHttpError.isInstance(cause)) return cause.status >= 500;
  if (!sdk.SdkError.isInstance(cause)) return false;
  // Over HTTP that is a server that can't be reached, or whose answer can't be read.
  if (cause.code === sdk.SdkErrorCode.EraNegotiationFailed) return !isHttp || /unusable reply/.test(cause.message);
  return !isHttp && cause.code === sdk.SdkErrorCode.ConnectionClosed;
}

/** Checks whether the server doesn't know of a POST to its address, as one of HTTP with SSE does not. */
function isOtherTransport(error: unknown, sdk: ClientModule): boolean {
  const { cause } = error as Error;
  return (
    sdk.SdkHttpError.isInstance(cause) && [400, 404, 405].includes(cause.status) && theirRevisions(cause) === undefined
  );
}

function failure(
  sdk: ClientModule,
  { name, revision = "auto" }: McpClientOptions,
  memory: SessionMemory,
  cause: unknown,
  { said }: MadeTransport,
): ToolkitError {
  if (isUnauthorised(cause, sdk)) return unauthorised(name, memory.authorizationUrl, cause);
  const theirs = theirRevisions(cause);
  const older = sdk.SUPPORTED_PROTOCOL_VERSIONS;
  const ours = typeof revision === "object" ? [revision.pin] : revision === "legacy" ? older : [newest, ...older];
  const server = `The MCP server ${JSON.stringify(name)}`;
  const message =
    theirs === undefined
      ? `${server} can't be used: ${messageOf(cause)}${said()}`
      : `${server} has no revision of the protocol that is wanted: it has ${theirs.join(", ")}; wanted is ${ours.join(", ")}`;
  const error = new ToolkitError("toolkit/mcp-connection", message, {
    name,
    ...(theirs && { ours: [...ours], theirs }),
  });
  error.cause = cause;
  return error;
}

/** Returns the revisions that the server has, when it said that it has none of ours. */
function theirRevisions(error: unknown): string[] | undefined {
  for (let at = error, depth = 0; isObject(at) && depth < 4; at = (at as { cause?: unknown }).cause, depth += 1) {
    const { data, message } = at as { data?: unknown; message?: unknown };
    const { supported, text } = (isObject(data) ? data : {}) as { supported?: unknown; text?: unknown };
    const listed = typeof text === "string" ? supportedIn(text) : supported;
    if (Array.isArray(listed) && listed.length > 0 && listed.every((one) => typeof one === "string")) return listed;
    // The official client's message about the answer to `initialize`.
    const [, other] = /^Server's protocol version is not supported: (.{1,40})$/.exec(String(message)) ?? [];
    if (other !== undefined) return [other];
  }
  return undefined;
}

/** Reads the supported revisions from the body of an HTTP error. */
function supportedIn(text: string): unknown {
  const body = parseJson(text) as { error?: { data?: { supported?: unknown } } } | undefined;
  return body?.error?.data?.supported;
}
