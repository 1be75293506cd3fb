import { checkSignature } from "../audit/checkpoint.ts";
import type { AuditCheckpoint, AuditRow, CheckpointVerifier } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";

/** The checkpoints that are compared with the log. With keys: those that one of the keys has signed; else all. */
export interface TrustedCheckpoints {
  readonly count: number;
  /** The checkpoint with the highest index. */
  readonly newest: AuditCheckpoint | undefined;
  /** Rows before this one may be missing. */
  readonly from: number;
  /** The first row of a page whose hash differs from that in its checkpoint. */
  wrongIn(page: readonly AuditRow[]): { index: number; problem: string } | undefined;
  /** The problem that is left after all rows up to `last` were checked, such as a forged checkpoint. */
  problemAtEnd(last: number): string | undefined;
}

const pageSize = 1_000;

/** Reads all checkpoints, and checks their signatures when there are keys. */
export async function trustedCheckpoints(
  audit: RouterStore["audit"],
  keys: readonly CheckpointVerifier[] | undefined,
): Promise<TrustedCheckpoints> {
  const hashes = new Map<number, string>();
  let newest: AuditCheckpoint | undefined;
  let from = 1;
  let count = 0;
  let forged: number | undefined;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: AuditCheckpoint[] = await audit.checkpoints({ after, limit: pageSize });
    for (const checkpoint of page) {
      const isRight = keys === undefined || (await checkSignature(checkpoint, keys));
      if (isRight === false) forged ??= checkpoint.index;
      if (isRight !== true) continue;
      const { index, hash } = checkpoint;
      count += 1;
      from = Math.max(from, checkpoint.from);
      hashes.set(index, hash);
      newest = checkpoint;
    }
    after = page.length < pageSize ? undefined : page.at(-1)?.index;
  }
  return {
    count,
    newest,
    from,
    wrongIn(page) {
      const row = page.find(({ index, hash }) => (hashes.get(index) ?? hash) !== hash);
      if (row === undefined) return undefined;
      return { index: row.index, problem: `row ${row.index} is not the one that its checkpoint vouches for` };
    },
    problemAtEnd(last) {
      if (forged !== undefined)
        return `the checkpoint of row ${forged} was changed: its signature is not that of its key`;
      if (newest !== undefined && newest.index > last) {
        return `row ${newest.index}, which a checkpoint vouches for, is not in the log`;
      }
      if (keys !== undefined && count === 0 && last > 0) {
        return "no checkpoint is signed by these keys: none was made yet, or they were taken out";
      }
      return undefined;
    },
  };
}
