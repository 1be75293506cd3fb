import type { ClaimRequest, ClaimResult } from "@toolglot/core";
import { claimOperation } from "@toolglot/core/operation-log";
import {
  type Admission,
  type RouterOperationLog,
  type SameTransaction,
  type StartResult,
  startedResult,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { timed } from "../database/transaction.ts";
import { sameTransactionText, writeSameTransaction } from "../tables/answers.ts";
import { checked, type Start, start, startOf } from "../tables/claims.ts";
import { operationId } from "../tables/operation-rows.ts";
import { endOf } from "../tables/operations.ts";
import type { Entered, EnteredOperation, Entries } from "./enter.ts";
import { isPlain } from "./fast-frames.ts";
import type { FrameQueue } from "./frame-queue.ts";
import type { SteppedOperation, Steps } from "./steps.ts";

/** What the steps of operations are written with. */
export interface FastOperations {
  database: Database;
  queue: FrameQueue;
  entries: Entries;
  steps: Steps;
  /** Does each step in a transaction of its own. */
  slow: RouterOperationLog;
}

/** Steps of operations, written together with those of others where nothing stands in the way. */
export function fastOperations({
  database,
  queue,
  entries,
  steps,
  slow,
}: FastOperations): Pick<RouterOperationLog, "claim" | "start" | "begin" | "finish" | "renew"> {
  /** Writes a step with what belongs to it. False when a transaction of its own has to decide. */
  async function step(operation: SteppedOperation, together: SameTransaction | undefined): Promise<boolean> {
    const beside = sameTransactionText(together);
    const { answer } = beside;
    if (answer !== undefined && !isPlain(answer)) return false;
    const stepped = await steps.ask({ operation, beside });
    if (stepped === "unanswered") {
      await database.write((tx) => writeSameTransaction(tx, { audit: [], events: [], answer }));
    }
    return stepped !== "not-written";
  }

  return {
    async claim(wanted) {
      const request = checked(wanted);
      const operation = { request, id: operationId(request), begin: undefined };
      const { now, fence } = await entries.ask({ admission: undefined, operation });
      return fence === undefined ? await slow.claim(request) : claimedResult(request, now, fence);
    },

    async start(wanted, options) {
      const request = checked(wanted);
      const given = startOf(options);
      const operation: EnteredOperation = { request, id: operationId(request), begin: given };
      const begun = ({ now, fence }: Entered): StartResult | undefined => {
        return fence === undefined ? undefined : startedResult(request, given.texts.data, now, fence);
      };
      const after = async (): Promise<StartResult> => {
        const joint = { operation, beside: given.beside };
        const result = isPlainStart(given) ? begun(await entries.ask({ admission: undefined, ...joint })) : undefined;
        return result ?? (await database.write((tx) => start(tx, request, given)));
      };
      const { ifAdmitted } = options;
      if (ifAdmitted === undefined) return await after();
      return await queue.join<StartResult>(ifAdmitted, {
        joint: (admission) =>
          isPlainStart(given) && isOwnCall(given, admission) ? { operation, beside: given.beside } : undefined,
        result(entered) {
          const value = begun(entered);
          return value && { value };
        },
        after,
        refused: { status: "not-admitted" },
      });
    },

    async begin({ scope, key, fence }, data, together) {
      const text = data === undefined ? undefined : JSON.stringify(data);
      const begun: SteppedOperation = { id: operationId({ scope, key }), fence, state: "started", data: text };
      const copy = text === undefined ? undefined : JSON.parse(text);
      return (await step(begun, together)) || (await slow.begin({ scope, key, fence }, copy, together));
    },

    async finish({ scope, key, fence }, result, together) {
      const id = operationId({ scope, key });
      const { end, texts } = endOf(result);
      return (
        (end.state !== "released" && (await step({ id, fence, state: end.state, outcome: texts.outcome }, together))) ||
        (await slow.finish({ scope, key, fence }, result, together))
      );
    },

    async renew(claim, leaseMs) {
      const { scope, key, fence } = claim;
      if (!(leaseMs > 0)) return await slow.renew(claim, leaseMs);
      const sql = `WITH ${timed} UPDATE @operations o SET lease_until = t.now + $2 FROM t
        WHERE o.id = $3 AND o.fence = $4 AND o.state = 'started' RETURNING 1`;
      const values = [database.now(), Math.ceil(Math.min(leaseMs, 1e15)), operationId({ scope, key }), fence];
      const rows = await database.statement({ sql, values, recover: async () => undefined });
      return rows.length > 0 || (await slow.renew(claim, leaseMs));
    },
  };
}

/** The result of a claim of a new key. */
function claimedResult(request: ClaimRequest, now: number, fence: number): ClaimResult {
  return claimOperation(undefined, request, now, fence).result;
}

function isPlainStart({ approval, ifFence, beside }: Start): boolean {
  return approval === undefined && (ifFence ?? 0) === 0 && beside.answer === undefined;
}

/** A call that is admitted in the same statement was cancelled by nobody. */
function isOwnCall({ unlessCancelled }: Start, { sessionId, calls: [call] }: Admission): boolean {
  if (call === undefined) return false;
  return (
    unlessCancelled === undefined || (unlessCancelled.sessionId === sessionId && unlessCancelled.callId === call.callId)
  );
}
