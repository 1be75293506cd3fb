import { textDigest } from "@toolglot/internal";
import type { JsonValue } from "../json.ts";
import type { ClaimRequest, ClaimResult, OperationKey, OperationLog } from "../operation-log.ts";
import {
  beginOperation,
  checkClaimRequest,
  checkDuration,
  claimOperation,
  doubtOperation,
  finishOperation,
  type KeptOperation,
  operationFreeAt,
  rememberedOperation,
  renewOperation,
  settleOperation,
} from "../operation-rules.ts";
import { maxNameBytes } from "./names.ts";
import type { Storage } from "./types.ts";

/** The last line of an operation's log: its record, or its highest fence once the key is free again. */
type State = KeptOperation | { released: number; at: number };

interface Found {
  kept: KeptOperation | undefined;
  /** The highest fence so far. */
  fence: number;
  /** Lines of its log. */
  count: number;
}

const folder = "operations/";
/** Longer than any clock of a writer is wrong: fences of a log that begins anew are above those of the log before. */
const sweepAfterMs = 60_000;
const sweepEveryMs = 600_000;
/** Other writers that may be faster one after another. */
const maxAttempts = 100;

/**
 * Creates an operation log from the logs and blobs of a storage: for those who write a storage whose logs are all that it can
 * write in one step. Each operation is a log, whose last line counts, so that of two writers one is refused. A lease that was renewed is a
 * blob, because it is renewed often and no harm is done when another claim overtakes it.
 */
export function loggedOperations({
  logs,
  blobs,
  now,
  durability,
}: Pick<Storage, "logs" | "blobs" | "now" | "durability">): OperationLog {
  let sweptAt = now();

  async function look(name: string): Promise<Found> {
    const lines = await logs.read(name);
    const last = lines?.at(-1);
    if (lines === undefined || last === undefined) return { kept: undefined, fence: 0, count: lines?.length ?? 0 };
    const state = JSON.parse(last) as State;
    if ("released" in state) return { kept: undefined, fence: state.released, count: lines.length };
    const { record } = state;
    const leaseUntil = (await renewedUntil(name, record.fence)) ?? record.leaseUntil;
    return { kept: { ...state, record: { ...record, leaseUntil } }, fence: record.fence, count: lines.length };
  }

  /** The last renewal of this claim, which may be shorter than what it renewed: so a lease is given back. */
  async function renewedUntil(name: string, fence: number): Promise<number | undefined> {
    const bytes = await blobs.get(name);
    const [of, until] = bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as [number, number]) : [];
    return of === fence ? until : undefined;
  }

  /** Takes a step from the state that counts; again when another writer was faster. */
  async function step<Result>(
    name: string,
    decide: (found: Found) => { result: Result; next?: State | undefined },
  ): Promise<Result> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = await look(name);
      const { result, next } = decide(found);
      if (next === undefined || (await logs.append(name, [JSON.stringify(next)], found.count))) return result;
    }
    throw new Error(`${maxAttempts} other writers of ${name} were faster`);
  }

  async function write(
    of: OperationKey,
    change: (kept: KeptOperation | undefined) => KeptOperation | "released" | undefined,
  ): Promise<boolean> {
    return step(await nameOf(of), ({ kept, fence }) => {
      const next = change(kept);
      return {
        result: next !== undefined,
        next: next === "released" ? { released: fence, at: now() } : next,
      };
    });
  }

  /** Removes what is forgotten, now and then. */
  async function sweep(): Promise<void> {
    if (now() - sweptAt < sweepEveryMs) return;
    sweptAt = now();
    for await (const name of logs.list(folder)) {
      const lines = (await logs.read(name)) ?? [];
      const state = JSON.parse(lines.at(-1) ?? "null") as State | null;
      if (state === null) continue;
      const freeAt = "released" in state ? state.at : operationFreeAt(state);
      if (freeAt + sweepAfterMs > now()) continue;
      await logs.delete(name, lines.length);
      await blobs.delete(name);
    }
  }

  return {
    durability,
    async claim(request: ClaimRequest): Promise<ClaimResult> {
      checkClaimRequest(request);
      await sweep();
      return step(await nameOf(request), ({ kept, fence }) => {
        const { result, keep } = claimOperation(kept, request, now(), Math.max(fence + 1, now()));
        return { result, next: keep };
      });
    },
    async renew(claim, leaseMs) {
      checkDuration("leaseMs", leaseMs);
      const name = await nameOf(claim);
      const renewed = renewOperation((await look(name)).kept, claim, leaseMs, now());
      if (!renewed) return false;
      const lease = JSON.stringify([claim.fence, renewed.record.leaseUntil]);
      await blobs.put(name, new TextEncoder().encode(lease));
      return (await look(name)).fence === claim.fence;
    },
    async begin(claim, data?: JsonValue) {
      const copy = structuredClone(data);
      return write(claim, (kept) => beginOperation(kept, claim, copy, now()));
    },
    async finish(claim, result) {
      const copy = structuredClone(result);
      return write(claim, (kept) => finishOperation(kept, claim, copy, now()));
    },
    async doubt(claim, reason) {
      return write(claim, (kept) => doubtOperation(kept, claim, reason, now()));
    },
    async settle(of, result, by) {
      const copy = structuredClone(result);
      const { fence } = of;
      return write(of, (kept) => settleOperation(kept, fence, copy, by, now()));
    },
    async read(key) {
      return rememberedOperation((await look(await nameOf(key))).kept, now());
    },
  };
}

/** Returns a name for the log of an operation. What is too long for one is named by its digest. */
async function nameOf({ scope, key }: OperationKey): Promise<string> {
  const name = `${folder}${encoded(scope)}/${encoded(key)}`;
  return name.length <= maxNameBytes ? name : `${folder}${await textDigest(name)}`;
}

/** Encodes a text as a part of an address, also where surrogates stand alone. */
const encoded = (text: string): string =>
  text
    .split(/(\p{Surrogate})/u)
    .map((part, at) => (at % 2 === 0 ? encodeURIComponent(part) : `%u${part.charCodeAt(0).toString(16)}`))
    .join("");
