import { ToolglotError } from "@toolglot/core";
import {
  type CallRequest,
  type CallResult,
  type ClientOptions,
  createClient,
  fetchTransport,
  type TrpClient,
} from "@toolglot/trp-client";
import { mismatches } from "./pattern.ts";
import { playRouter } from "./replay-server.ts";
import type { ClientStep, TrpVector } from "./vector.ts";

/** Everything that is wrong with how `@toolglot/trp-client` lives a transcript. */
export async function clientFailures(vector: TrpVector): Promise<string[]> {
  const server = await playRouter(vector);
  const options = vector.client_options ?? {};
  const client = createClient({
    transport: fetchTransport({ url: server.url }),
    agentId: String(options.agent_id ?? "conformance"),
    retry: { baseMs: 1, capMs: 5 },
    ...(typeof options.resume_session_id === "string" ? { resumeSessionId: options.resume_session_id } : {}),
    ...(typeof options.keys === "string" ? { keys: options.keys as NonNullable<ClientOptions["keys"]> } : {}),
  });
  const found: string[] = [];
  const bindings = new Map<string, unknown>();
  try {
    for (const [index, step] of (vector.client ?? []).entries()) {
      let outcome: unknown;
      try {
        outcome = await take(client, step);
      } catch (error) {
        if (!ToolglotError.isInstance(error)) throw error;
        outcome = { throws: error.code, message: error.message };
      }
      found.push(
        ...mismatches(step.expect ?? { throws: "$absent" }, outcome, bindings).map(
          (one) => `client step ${index + 1}: ${one}`,
        ),
      );
      if (server.failures.length > 0) break;
    }
  } finally {
    await client.close();
    await server.close();
  }
  found.push(...server.failures);
  if (server.left() > 0) found.push(`${server.left()} exchanges did not happen`);
  return found;
}

async function take(client: TrpClient, step: ClientStep): Promise<unknown> {
  const { with: given = {} } = step;
  switch (step.do) {
    case "hello": {
      const { sessionId, catalogEpoch, features, retryBudget } = await client.hello();
      return { session_id: sessionId, catalog_epoch: catalogEpoch, features, retry_budget: retryBudget };
    }
    case "sync": {
      const { epoch, rows } = await client.syncCatalog();
      return { epoch, rows };
    }
    case "call":
      return resultOf(await client.call(requestOf(given)));
    case "call_by_cap": {
      const { capId, args, idx: _, ...rest } = requestOf(given);
      return resultOf(await client.callByCap(capId, args, rest));
    }
    case "batch": {
      const answer = await client.batch((given.calls as Record<string, unknown>[]).map(requestOf), {
        ...(given.mode === undefined ? {} : { mode: given.mode as "PARALLEL" | "SEQUENTIAL" }),
        ...(given.max_concurrency === undefined ? {} : { maxConcurrency: Number(given.max_concurrency) }),
        ...(given.batch_id === undefined ? {} : { batchId: String(given.batch_id) }),
      });
      return { batch_id: answer.batchId, status: answer.status, results: answer.results.map(resultOf) };
    }
    case "cap_query": {
      const { capId, requiresApproval, keyRequired, ...rest } = await client.capQuery(String(given.cap_id));
      return { ...rest, cap_id: capId, requires_approval: requiresApproval, key_required: keyRequired };
    }
    case "query": {
      const { status, result } = await client.result(String(given.call_id));
      return result === undefined ? { status } : { status, result: resultOf(result) };
    }
    default:
      throw new TypeError(`no such client step: ${String(step.do)}`);
  }
}

function requestOf(given: Record<string, unknown>): CallRequest {
  return {
    capId: String(given.cap_id),
    ...(given.idx === undefined ? {} : { idx: Number(given.idx) }),
    ...(given.args === undefined ? {} : { args: given.args as NonNullable<CallRequest["args"]> }),
    ...(given.key === undefined ? {} : { key: String(given.key) }),
    ...(given.call_id === undefined ? {} : { callId: String(given.call_id) }),
    ...(given.timeout_ms === undefined ? {} : { timeoutMs: Number(given.timeout_ms) }),
    ...(given.approval_token === undefined ? {} : { approvalToken: String(given.approval_token) }),
    ...(given.depends_on === undefined ? {} : { dependsOn: given.depends_on as string[] }),
  };
}

function resultOf(result: CallResult): Record<string, unknown> {
  const { callId, capId, error, status, key, dispatched, attempts, replayedFrom } = result;
  return {
    status,
    call_id: callId,
    cap_id: capId,
    key,
    dispatched,
    attempts,
    replayed_from: replayedFrom,
    result: result.result,
    error: error && { code: error.code, class: error.errorClass, retryable: error.retryable, message: error.message },
  };
}
