import { signCheckpoint } from "../audit/checkpoint.ts";
import type { AuditCheckpoint } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import type { CheckpointOptions } from "./types.ts";

/** Writes checkpoints of the audit log. */
export interface Checkpoints {
  /** Writes a checkpoint of the newest row. Undefined when the log has no rows, or none since the newest checkpoint. */
  write(): Promise<AuditCheckpoint | undefined>;
  /** Writes a checkpoint on the router's own account: never rejects. */
  attempt(): Promise<void>;
  /** Counts audit rows that a call has written. After enough rows, a checkpoint is written. */
  wrote(rows: number): void;
}

export interface CheckpointDependencies {
  store: Pick<RouterStore, "audit" | "now">;
  options: CheckpointOptions;
  /** The next checkpoint allows older rows to be dropped. Milliseconds. */
  auditTtlMs: number;
  /** Called with errors of the functions in `options`. Errors of the store are reported by `observedStore`. */
  onFault(error: unknown): void;
}

const defaultRows = 1_000;

export function createCheckpoints({ store, options, auditTtlMs, onFault }: CheckpointDependencies): Checkpoints {
  const { signer, everyRows = defaultRows, onCheckpoint, exportedUpTo } = options;
  let running: Promise<AuditCheckpoint | undefined> | undefined;
  let rows = 0;

  async function write(): Promise<AuditCheckpoint | undefined> {
    const { audit } = store;
    const { row, checkpoint: newest } = await audit.head();
    if (row === undefined) return undefined;
    const at = store.now();
    const from = await firstRow(newest, at);
    const isSame = newest?.index === row.index && newest.from === from;
    if (isSame && (signer === undefined || newest.key === signer.key)) return undefined;
    rows = 0;
    const { index, hash } = row;
    const checkpoint = await reported(() => signCheckpoint({ index, hash, at, from }, signer));
    // Refused: meanwhile another router has written a newer checkpoint with a higher `from`.
    if (!(await audit.addCheckpoint(checkpoint))) return undefined;
    await reported(() => onCheckpoint?.({ ...checkpoint }));
    return checkpoint;
  }

  async function reported<Value>(ask: () => Value | Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      onFault(error);
      throw error;
    }
  }

  /**
   * Returns the `from` of the next checkpoint: the row of the newest checkpoint that is older than `auditTtlMs` and, where
   * that counts, exported. This row stays, and rows before it may be dropped.
   */
  async function firstRow(newest: AuditCheckpoint | undefined, now: number): Promise<number> {
    let from = newest?.from ?? 1;
    if (!Number.isFinite(auditTtlMs)) return from;
    // Where that isn't known, nothing goes.
    const exported = exportedUpTo ? await reported(exportedUpTo).catch(() => 0) : Number.POSITIVE_INFINITY;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: AuditCheckpoint[] = await store.audit.checkpoints({ after, limit: pageSize });
      const kept = page.findIndex(({ at, index }) => at + auditTtlMs > now || !(index <= exported));
      const old = kept === -1 ? page : page.slice(0, kept);
      from = Math.max(from, old.at(-1)?.index ?? 1);
      after = kept === -1 && page.length >= pageSize ? page.at(-1)?.index : undefined;
    }
    return from;
  }

  /**
   * Writes one checkpoint after another. Each begins after the one before, so it sees all rows written before its call.
   */
  function next(): Promise<AuditCheckpoint | undefined> {
    const made = (running ?? Promise.resolve()).then(write, write);
    const done = (): void => {
      if (running === made) running = undefined;
    };
    running = made;
    made.then(done, done);
    return made;
  }

  async function attempt(): Promise<void> {
    await (running ?? next()).catch(() => {});
  }

  return {
    write: next,
    attempt,
    wrote(count) {
      rows += count;
      if (rows < everyRows) return;
      rows = 0;
      void attempt();
    },
  };
}

const pageSize = 1_000;
