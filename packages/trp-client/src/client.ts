import { checkKeys, defined, gotText } from "@toolglot/internal";
import { toCallError } from "./answer.ts";
import { runBatch } from "./batch.ts";
import { Call } from "./call.ts";
import { Connection } from "./connection.ts";
import { clientError, refusal } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { OpenKeys } from "./open-keys.ts";
import { fromNack, fromResult, unknownEnd } from "./outcome.ts";
import type { CallRules } from "./placed-call.ts";
import { RunningCalls } from "./running.ts";
import { type Session, SessionLost } from "./session.ts";
import { noteTracing } from "./tracing-of.ts";
import type { Sending } from "./transmit.ts";
import type {
  CallRequest,
  CallResult,
  CapabilityInfo,
  Catalog,
  ClientCallOptions,
  ClientOptions,
  QueryResult,
  SessionInfo,
  TrpClient,
} from "./types.ts";

/**
 * Creates the agent's side of TRP: keeps the session, its numbers and its catalog, and repeats what was lost, without ever doing
 * an effect twice. One client serves many calls at once. Throws `TypeError` for options that can't be.
 *
 * @example
 * ```ts
 * const client = createClient({ transport: httpTransport({ url, token }), agentId: "agent-7" });
 * const result = await client.callByCap("cap.note.add.v1", { text: "Buy milk" });
 * if (result.status === "success") console.log(result.result?.data);
 * await client.close();
 * ```
 */
export function createClient(options: ClientOptions): TrpClient {
  const rules = checkOptions(options);
  const connection = new Connection(options);
  const requestLimits = (): Limits => connection.limits(options.requestTimeoutMs ?? 10_000);
  const callLimits = ({ deadlineMs, signal }: ClientCallOptions, timeoutMs: number): Limits => {
    if (deadlineMs !== undefined && !(typeof deadlineMs === "number" && deadlineMs > 0)) {
      throw new TypeError(`deadlineMs must be a number of milliseconds above 0, not ${gotText(deadlineMs)}`);
    }
    return connection.limits(deadlineMs ?? 4 * timeoutMs, signal);
  };
  /** Sends something that is no call: in a new session, when the old one is gone. */
  async function ask<T>(run: (session: Session, sending: Sending) => Promise<T>): Promise<T> {
    const limits = requestLimits();
    const sending = { limits, traceId: undefined, waitMs: connection.requestTimeoutMs, repeats: true };
    for (let losses = 0; ; losses++) {
      const session = await connection.open(limits);
      try {
        return await run(session, sending);
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error;
        if (losses >= 3) throw clientError("trp-client/no-answer", "The session was lost again and again.");
      }
    }
  }
  const running = new RunningCalls(connection, rules);
  const catalog = (): Promise<Catalog> =>
    ask(async (session, { limits }) => {
      const { catalog } = session;
      return catalog === undefined || catalog.isExpired ? connection.sync(session, limits) : catalog;
    });
  const call = (request: CallRequest, callOptions: ClientCallOptions = {}): Promise<CallResult> => {
    try {
      checkKeys("call", callOptions, "deadlineMs:number signal:signal traceId:string");
      const one = new Call(connection, rules, request);
      return one.run(callLimits(callOptions, one.timeoutMs), callOptions.traceId);
    } catch (error) {
      return Promise.reject(error);
    }
  };

  const client: TrpClient = {
    hello: async () => toInfo(await connection.open(requestLimits())),
    syncCatalog: () => ask((session, { limits }) => connection.sync(session, limits)),
    catalog,
    call,
    callByCap: (capId, args = {}, callOptions) => {
      if (callOptions === undefined) return call({ capId, args });
      const { deadlineMs, signal, traceId, ...request } = callOptions;
      return call({ ...request, capId, args }, defined({ deadlineMs, signal, traceId }));
    },
    batch: async (items, batchOptions = {}) => {
      const longest = Math.max(rules.timeoutMs, ...items.map(({ timeoutMs = 0 }) => timeoutMs));
      return runBatch(connection, rules, items, batchOptions, callLimits(batchOptions, longest));
    },
    dag: async (items, dagOptions = {}) => {
      const sum = items.reduce((ms, { timeoutMs = rules.timeoutMs }) => ms + timeoutMs, 0);
      return runBatch(connection, rules, items, dagOptions, callLimits(dagOptions, Math.max(1, sum)), true);
    },
    capQuery: (capId) => ask((session, sending) => queryCapability(connection, session, sending, capId)),
    callAsync: async (request, callOptions = {}) => {
      checkKeys("callAsync", callOptions, "deadlineMs:number signal:signal traceId:string");
      const one = running.make(request);
      return await running.start(one, callLimits(callOptions, rules.timeoutMs), callOptions.traceId);
    },
    waitResult: (callId, waitOptions = {}) => running.wait(callId, waitOptions),
    parts: (callId, partsOptions = {}) => running.parts(callId, partsOptions),
    cancel: (callId) => running.cancel(callId, requestLimits()),
    result: (callId) => ask((session, sending) => queryResult(connection, session, sending, callId)),
    close: () => connection.close(),
  };
  if (options.tracing !== undefined) noteTracing(client, options.tracing);
  return client;
}

function checkOptions(options: ClientOptions): CallRules {
  checkKeys(
    "createClient",
    options,
    'transport:{send,close} agentId:string keys:"auto"|"explicit" features:string[] authContext:object resumeSessionId:string retry:object timeoutMs:number requestTimeoutMs:number onEvent:function tracing:{current,capture}',
    ["transport", "agentId"],
    {
      transport: "inProcessTransport, httpTransport (./node) and fetchTransport make one.",
      tracing: "traceClient of @toolglot/trp-client/tracing makes one.",
    },
  );
  const { transport, agentId, keys = "auto", timeoutMs = 15_000 } = options;
  if (transport === undefined) {
    throw new TypeError("transport must be a Transport: inProcessTransport, httpTransport (./node) or fetchTransport");
  }
  if (!agentId) throw new TypeError("agentId must be a name that is not empty");
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`timeoutMs must be a whole number of milliseconds from 1, not ${timeoutMs}`);
  }
  return { keys, timeoutMs, open: new OpenKeys() };
}

function toInfo({ id, epoch, features, retryBudget, inFlight }: Session): SessionInfo {
  return { sessionId: id, catalogEpoch: epoch, features, retryBudget, inFlight };
}

async function queryCapability(
  connection: Connection,
  session: Session,
  sending: Sending,
  capId: string,
): Promise<CapabilityInfo> {
  const { limits } = sending;
  let fresh = session.catalog === undefined || session.catalog.isExpired;
  let catalog = fresh || session.catalog === undefined ? await connection.sync(session, limits) : session.catalog;
  for (;;) {
    const row = catalog.get(capId);
    if (row !== undefined) {
      const payload = { idx: row.idx, cap_id: capId, include_examples: true };
      const answer = await connection.exchange(session, "CAP_QUERY_REQ", payload, sending);
      if (answer.frame_type === "CAP_QUERY_RES") {
        const { idx, canonical_schema: schema, policy_hints: hints, examples } = answer.payload;
        return {
          idx,
          capId,
          schema,
          requiresApproval: hints?.requires_approval === true,
          keyRequired: hints?.idempotency_required === true,
          examples: examples ?? [],
        };
      }
      const error = toCallError(answer.payload);
      if (error.code !== "TRP_1003" || fresh) throw refusal(`the query for ${capId}`, error);
    } else if (fresh) {
      const message = `There is no capability ${capId} in the catalog.`;
      const error = toCallError({ error_code: "TRP_1003", error_class: "CATALOG_MISMATCH", message });
      throw refusal(`the query for ${capId}`, error);
    }
    catalog = await connection.sync(session, limits);
    fresh = true;
  }
}

async function queryResult(
  connection: Connection,
  session: Session,
  sending: Sending,
  callId: string,
): Promise<QueryResult> {
  const answer = await connection.exchange(session, "RESULT_QUERY_REQ", { call_id: callId }, { ...sending, callId });
  if (answer.frame_type !== "RESULT_QUERY_RES") throw refusal(`the query for ${callId}`, toCallError(answer.payload));
  // A plain router may leave out what is null.
  const { status, result = null, error = null } = answer.payload;
  if (status === "NOT_FOUND") return { status: connection.isLostCall(callId) ? "lost" : "not-found" };
  if (status === "IN_PROGRESS") return { status: "in-progress" };
  const facts = { callId, capId: result?.cap_id ?? "", key: undefined, attempts: 1, row: undefined };
  if (result !== null) return { status: "settled", result: fromResult(result, facts) };
  if (error !== null) return { status: "settled", result: fromNack(error, facts) };
  if (status === "UNKNOWN") return { status: "settled", result: unknownEnd(facts) };
  throw clientError("trp-client/bad-answer", `The router knows how ${callId} ended, and does not say.`);
}
