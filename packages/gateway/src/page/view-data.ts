import { createHash } from "node:crypto";
import type { Router } from "@toolglot/trp-core";
import type { Identity } from "../identity/types.ts";
import type { Approval, Doubt } from "./rendered.ts";

/** What somebody sees, and a mark that changes whenever that does. */
export interface Overview {
  waiting: Approval[];
  /** Undefined for who may not settle anything. */
  inDoubt: Doubt[] | undefined;
  mark: string;
}

/** At most this many stand in a list. */
export const mostListed = 100;

/** Reads what waits for somebody. Rejects when the store can't serve. */
export async function overviewOf(router: Router, { principal }: Identity): Promise<Overview> {
  const [waiting, inDoubt] = await Promise.all([
    router.approvals.list(principal, { status: "pending", limit: mostListed }),
    principal.roles.includes("approver") ? router.operations.inDoubt(principal, mostListed) : undefined,
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
