import type { OperationClaim } from "@toolglot/core";
import {
  abandonOperation,
  beginOperation,
  checkDuration,
  doubtOperation,
  finishOperation,
  type KeptOperation,
  rememberedOperation,
  renewOperation,
  settleOperation,
  standingOperation,
} from "@toolglot/core/operation-log";
import { isChanged, type RouterOperationLog, type SameTransaction } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Transaction } from "../database/transaction.ts";
import { lockFor, type SameTransactionText, sameTransactionText, writeSameTransaction } from "./answers.ts";
import { checked, claim, clamp, start, startOf } from "./claims.ts";
import {
  dropOperations,
  findOperation,
  knownAt,
  listOperations,
  lockOperation,
  operationId,
  placeMs,
  recordOf,
  replaceRow,
  scanOperations,
  type Texts,
  unsettledOperation,
  updateRow,
} from "./operation-rows.ts";

export type Change = (kept: KeptOperation | undefined, now: number) => KeptOperation | "released" | undefined;

/** Creates the operation log in PostgreSQL, with transactions of several statements. */
export function postgresOperations(database: Database, durability: "process" | "disk"): RouterOperationLog {
  const change = (
    claim: OperationClaim,
    decide: Change,
    texts: Texts = {},
    together?: SameTransaction,
  ): Promise<boolean> => {
    // The caller may change its own object meanwhile.
    const held = { ...claim };
    const beside = sameTransactionText(together);
    return database.write((tx) => changeOperation(tx, held, decide, texts, beside));
  };
  return {
    durability,
    async claim(request) {
      const wanted = checked(request);
      return database.write(async (tx) => {
        const stored = await lockOperation(tx, wanted);
        return await claim(tx, wanted, stored, sameTransactionText(undefined));
      });
    },
    async takeOver(request, fence, { ifDoubt } = {}) {
      const wanted = checked(request);
      const doubt = sameTransactionText(ifDoubt);
      return database.write(async (tx) => {
        const stored = await lockOperation(tx, wanted);
        if (isChanged(standingOperation(stored?.kept, await tx.now()), fence)) return { status: "changed" };
        return await claim(tx, wanted, stored, doubt);
      });
    },
    async start(request, options) {
      const wanted = checked(request);
      // No admission is pending here.
      if (options.ifAdmitted !== undefined) return { status: "not-admitted" };
      const prepared = startOf(options);
      return database.write((tx) => start(tx, wanted, prepared));
    },
    async renew(claim, leaseMs) {
      checkDuration("leaseMs", leaseMs);
      const held = { ...claim };
      return change(held, (kept, now) => renewOperation(kept, held, clamp(leaseMs), now));
    },
    async begin(claim, data, together) {
      const held = { ...claim };
      const texts = data === undefined ? {} : { data: JSON.stringify(data) };
      return change(held, (kept, now) => beginOperation(kept, held, undefined, now), texts, together);
    },
    async finish(claim, result, together) {
      const held = { ...claim };
      const { end, texts } = endOf(result);
      return change(held, (kept, now) => finishOperation(kept, held, end, now), texts, together);
    },
    async doubt(claim, reason, together) {
      const held = { ...claim };
      return change(held, (kept, now) => doubtOperation(kept, held, reason, now), {}, together);
    },
    async settle({ scope, key, fence }, result, by, together) {
      const { end, texts } = endOf(result);
      const of = { scope, key, fence: fence ?? 0 };
      return change(of, (kept, now) => settleOperation(kept, fence, end, by, now), texts, together);
    },
    async abandon(claim) {
      const held = { ...claim };
      return change(held, (kept, now) => abandonOperation(kept, held, now));
    },
    async read({ scope, key }, effectId) {
      return database.read(async (reader) => {
        const found = await findOperation(reader, { scope, key });
        const now = await reader.now();
        const stored = knownAt(found, now);
        const isFree = stored?.kept?.record.state === "released";
        if (stored?.kept && !(isFree && effectId !== undefined)) {
          return rememberedOperation(stored.kept, now) && recordOf(reader, stored.kept, stored);
        }
        const other = effectId === undefined ? undefined : await unsettledOperation(reader, effectId, now);
        return other?.kept && recordOf(reader, other.kept, other);
      });
    },
    async list({ states, leaseExpired = false, scopePrefix = "", limit = 100 }) {
      return listOperations(database, { states: [...states], leaseExpired, scopePrefix, limit });
    },
    async scan(after, limit) {
      return scanOperations(database, after, limit);
    },
  };
}

/** Returns how an operation ends, with its outcome as a text of its own. */
export function endOf(result: Parameters<RouterOperationLog["finish"]>[1]): { end: typeof result; texts: Texts } {
  if (result.state === "released") return { end: result, texts: {} };
  return { end: { ...result, outcome: null }, texts: { outcome: JSON.stringify(result.outcome) ?? "null" } };
}

async function changeOperation(
  tx: Transaction,
  of: OperationClaim,
  decideChange: Change,
  texts: Texts,
  together: SameTransactionText,
): Promise<boolean> {
  await lockFor(tx, together);
  const found = await lockOperation(tx, of);
  const now = await tx.now();
  const next = decideChange(knownAt(found, now)?.kept, now);
  if (!next) return false;
  if (next === "released") await dropOperations(tx, [operationId(of)], now + placeMs);
  else if (next.record.state === "released") await replaceRow(tx, next, texts);
  else await updateRow(tx, next, texts);
  await writeSameTransaction(tx, together);
  return true;
}
