import type { JsonObject, OperationKey, OperationRecord } from "@toolglot/core";
import { copyJson, ignoreRejection, isThenable } from "@toolglot/internal";
import type { RegisteredCapability } from "../../catalog/types.ts";
import { sha256Base64url } from "../../digest/sha256.ts";
import { type Fault, fault } from "../../frames/fault.ts";
import type { Principal } from "../../identity/types.ts";
import type { RouterOperationLog } from "../../store/types.ts";
import type { CallDependencies } from "../dependencies.ts";
import type { IncomingCall } from "../types.ts";
import { operationOf, tenantWide } from "./keys.ts";
import { fromJson } from "./operation-data.ts";
import { readOperation } from "./read-operation.ts";

// A capability may name the effect of a call by its arguments. The operation of such a call is that of the effect: the
// effect's name is its key. A key of the caller's own is another name for it, kept as a small record under that key, so
// that the key means the same call for as long as keys are known (TRP v0.1 draft, 9).

const readable = /^[\w.:@/-]{1,200}$/;

/** Returns the operation that a call's effect is; a fault of the capability (TRP_5001) when it can't name it. Never throws. */
export function effectOperation(
  { definition, family, capId }: RegisteredCapability,
  args: JsonObject,
  { tenant, id }: Principal,
): OperationKey | Fault {
  try {
    // With a copy: it looks, and does not touch.
    const name: unknown = definition.effectKey?.(copyJson(args));
    if (typeof name === "string" && name !== "") {
      const key = readable.test(name) ? `effect:${name}` : `effect-sha256:${sha256Base64url(name)}`;
      return operationOf({ tenant, principal: definition.effectScope === "tenant" ? tenantWide : id }, family, key);
    }
    if (isThenable(name)) ignoreRejection(name);
  } catch {
    // What it threw may hold secrets.
  }
  return fault("TRP_5001", `${capId} could not name the effect of these arguments; nothing was executed.`);
}

/** What a caller's key stands for when the call's operation is that of its effect. */
interface Alias {
  operation: OperationKey;
  /** Of the call that came with the key. */
  call_digest: string;
  idx: number;
}

function aliasOf(record: OperationRecord | undefined): Alias | undefined {
  return (record?.outcome as { alias?: Alias } | null | undefined)?.alias;
}

/** The operation that this record is another name for. */
export function operationOfAlias(record: OperationRecord): OperationKey | undefined {
  return aliasOf(record)?.operation;
}

/** Returns the operation that a key leads to: its own, or the one that it is another name for. */
export async function followKey(
  operations: Pick<RouterOperationLog, "read">,
  key: OperationKey,
): Promise<OperationRecord | undefined> {
  const record = await readOperation(operations, key);
  const alias = aliasOf(record);
  return alias === undefined ? record : await readOperation(operations, alias.operation);
}

/**
 * The operation of a call that was recorded with a key; undefined when there is none, or it is not the call's. That
 * they share a key is not enough: another call may have used the key with other arguments, in this session or another,
 * before or after this one was refused. `idx`: the number that the call had.
 */
export async function operationOfCall(
  operations: Pick<RouterOperationLog, "read">,
  { operation, digest }: { operation?: OperationKey; digest: string },
): Promise<{ record: OperationRecord; idx: number } | undefined> {
  const named = operation && (await readOperation(operations, operation));
  if (named === undefined) return undefined;
  const alias = aliasOf(named);
  const record = alias === undefined ? named : await readOperation(operations, alias.operation);
  const data = fromJson(record?.data);
  if (record === undefined || (alias ?? data)?.call_digest !== digest) return undefined;
  return { record, idx: alias?.idx ?? data?.idx ?? 0 };
}

/** A caller's key for a call whose operation is that of its effect. */
export class KeyAlias {
  readonly #key: OperationKey;
  readonly #fingerprint: string;
  /** The operation that it stands for: what it stood for before, or that of the effect. */
  readonly operation: OperationKey;
  #isBound: boolean;

  private constructor(key: OperationKey, fingerprint: string, operation: OperationKey, isBound: boolean) {
    this.#key = key;
    this.#fingerprint = fingerprint;
    this.operation = operation;
    this.#isBound = isBound;
  }

  /**
   * Returns what a caller's key is for a call with an effect: another name of it; nothing when it has an operation of its own,
   * from a time when the capability did not name effects; a fault when it was used for another call (TRP_4004).
   */
  static async of(
    operations: Pick<RouterOperationLog, "read">,
    key: OperationKey,
    fingerprint: string,
    effect: OperationKey,
  ): Promise<KeyAlias | Fault | undefined> {
    const record = await readOperation(operations, key);
    if (record === undefined) return new KeyAlias(key, fingerprint, effect, false);
    if (record.fingerprint !== fingerprint) return fault("TRP_4004");
    const alias = aliasOf(record);
    if (alias !== undefined) return new KeyAlias(key, fingerprint, alias.operation, true);
    return record.startedAt === undefined ? new KeyAlias(key, fingerprint, effect, false) : undefined;
  }

  /**
   * Binds the key to its call: from now on it is refused for any other. Writes once and returns what is to be awaited
   * beside what follows, or the refusal. Rejects when the store does.
   */
  async bind(
    { store, routerId, times }: CallDependencies,
    call: IncomingCall,
  ): Promise<Fault | { done: Promise<unknown> }> {
    if (this.#isBound) return { done: Promise.resolve() };
    const { operations } = store;
    const claimed = await operations.claim({
      ...this.#key,
      fingerprint: this.#fingerprint,
      owner: routerId,
      leaseMs: times.leaseMs,
      ttlMs: times.keyTtlMs,
      keepMs: times.keyMemoryMs,
      abandoned: "reclaim",
    });
    if (claimed.status === "conflict") return fault("TRP_4004");
    if (claimed.status === "expired") return fault("TRP_4005");
    this.#isBound = true;
    if (claimed.status !== "claimed") return { done: Promise.resolve() };
    const alias: Alias = { operation: this.operation, call_digest: call.digest, idx: call.item.idx };
    const outcome = { alias } as unknown as JsonObject;
    // If this write fails, the claim alone still binds the key, so the caller need not know.
    return { done: operations.finish(claimed.claim, { state: "done", outcome }).catch(() => false) };
  }
}
