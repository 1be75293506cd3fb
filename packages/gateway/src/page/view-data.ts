import { createHash } from "node:crypto";
import type { Router } from "@toolglot/trp-core";
import type { Identity } from "../identity/types.ts";
import type { Approval, Doubt, LastDone } from "./rendered.ts";

/** What somebody sees, and a mark that changes whenever that does. */
export interface Overview {
  waiting: Approval[];
  /** Undefined for who may not settle anything. */
  inDoubt: Doubt[] | undefined;
  mark: string;
}

/** At most this many stand in a list. */
export const maxListed = 100;

/** Reads what waits for somebody. Rejects when the store can't serve. */
export async function overviewOf(router: Router, { principal }: Identity): Promise<Overview> {
  const [waiting, inDoubt] = await Promise.all([
    router.approvals.list(principal, { status: "pending", limit: maxListed }),
    principal.roles.includes("approver") ? router.operations.inDoubt(principal, maxListed) : undefined,
  ]);
  const seen = [waiting.map(({ id }) => id), inDoubt?.map((doubt) => [doubtId(doubt), doubt.fence])];
  return { waiting, inDoubt, mark: createHash("sha256").update(JSON.stringify(seen)).digest("hex").slice(0, 16) };
}

/** A name for an operation that can stand in an address; its key may hold anything. */
export function doubtId({ scope, key }: Pick<Doubt, "scope" | "key">): string {
  return createHash("sha256")
    .update(JSON.stringify([scope, key]))
    .digest("hex")
    .slice(0, 32);
}

/** Where the next page begins, of a list that was cut. */
export function olderThan(approvals: readonly Approval[]): { older?: string } {
  const last = approvals.length < maxListed ? undefined : approvals.at(-1);
  return last === undefined ? {} : { older: last.id };
}

/** Returns the request that somebody has just decided, for a word about it. */
export async function justDecided(
  router: Router,
  { principal }: Identity,
  id: string | undefined,
): Promise<Approval | undefined> {
  const approval = id === undefined ? undefined : await router.approvals.read(principal, id);
  return approval?.decidedBy === principal.id ? approval : undefined;
}

/** Finds out when the same was last done, among the newest requests that were used. */
export async function lastUsed(
  router: Router,
  { tenant, capId, fingerprint }: Approval,
): Promise<LastDone | undefined> {
  const used = await router.store.approvals.list({ tenant, status: "used", limit: 500 });
  const same = used.filter((one) => one.capId === capId && one.fingerprint === fingerprint && one.usedAt !== undefined);
  const [last] = same.sort((one, other) => (other.usedAt ?? 0) - (one.usedAt ?? 0));
  return last?.usedAt === undefined ? undefined : { at: last.usedAt, ...(last.decidedBy && { by: last.decidedBy }) };
}
