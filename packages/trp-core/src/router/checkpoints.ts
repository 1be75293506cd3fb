import { signCheckpoint } from "../audit/checkpoint.ts";
import type { AuditCheckpoint } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import type { CheckpointOptions } from "./types.ts";

/** Writes checkpoints of the audit log. */
export interface Checkpoints {
  /** Vouches for the log as it is now. Undefined when it is empty, or as it was at the newest checkpoint. */
  write(): Promise<AuditCheckpoint | undefined>;
  /** The same, by itself: never rejects. */
  attempt(): Promise<void>;
  /** A call has left so many rows: a checkpoint follows when they are enough. */
  wrote(rows: number): void;
}

export interface CheckpointDependencies {
  store: Pick<RouterStore, "audit" | "now">;
  options: CheckpointOptions;
  /** Rows that are older are given up by the next checkpoint. Milliseconds. */
  auditTtlMs: number;
  /** Told what the signer and `onCheckpoint` throw. The store's faults are told where it is watched. */
  onFault(error: unknown): void;
}

const defaultRows = 1_000;

export function createCheckpoints({ store, options, auditTtlMs, onFault }: CheckpointDependencies): Checkpoints {
  const { signer, everyRows = defaultRows, onCheckpoint } = options;
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
    const checkpoint = await told(() => signCheckpoint({ index, hash, at, from }, signer));
    // Another router has given up more meanwhile: its checkpoint is newer.
    if (!(await audit.addCheckpoint(checkpoint))) return undefined;
    await told(() => onCheckpoint?.({ ...checkpoint }));
    return checkpoint;
  }

  async function told<Value>(ask: () => Value | Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      onFault(error);
      throw error;
    }
  }

  /** The newest checkpoint that is too old stays, with its row; what is before it goes. */
  async function firstRow(newest: AuditCheckpoint | undefined, now: number): Promise<number> {
    let from = newest?.from ?? 1;
    if (!Number.isFinite(auditTtlMs)) return from;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: AuditCheckpoint[] = await store.audit.checkpoints({ after, limit: pageSize });
      const young = page.findIndex(({ at }) => at + auditTtlMs > now);
      const old = young === -1 ? page : page.slice(0, young);
      from = Math.max(from, old.at(-1)?.index ?? 1);
      after = young === -1 && page.length >= pageSize ? page.at(-1)?.index : undefined;
    }
    return from;
  }

  /** One at a time; each begins when it is its turn, so that it sees what was written before it was asked for. */
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
