import type { JsonObject } from "@toolglot/core";
import type { BlobStore, LogStore } from "@toolglot/core/storage";
import { checkKeys } from "@toolglot/internal";
import type { AuditCheckpoint, AuditEntry, AuditRow } from "../audit/types.ts";
import type { ApprovalStore } from "./approval-types.ts";
import type { FrameStore, SameTransaction } from "./frame-types.ts";
import type { AuditStore, OutboxStore, Retention } from "./log-types.ts";
import { MemoryApprovals } from "./memory-approvals.ts";
import { MemoryArtifacts } from "./memory-artifacts.ts";
import { MemoryFrames } from "./memory-frames.ts";
import { memoryLogsAndBlobs } from "./memory-logs-and-blobs.ts";
import { MemoryOperations } from "./memory-operations.ts";
import { MemoryParts } from "./memory-parts.ts";
import { MemoryTables } from "./memory-tables.ts";
import { checkRetention } from "./outbox-rules.ts";
import { checkRate } from "./rate-rules.ts";
import type {
  CatalogStore,
  OwnedArtifactStore,
  PartStore,
  Rate,
  RateStore,
  RateTaken,
  RouterOperationLog,
  RouterStore,
} from "./types.ts";

/** Options of {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** How many rows of the audit log are kept: at least the newest so many. Default 10,000. */
  keepAuditRows?: number;
}

/**
 * A router's store in memory, for tests, for trying out, and for capabilities without effects. It forgets everything
 * with the process (`durability: "none"`), so a router on it refuses effects other than `pure` unless `allowVolatile` is set. What
 * it holds is bounded by what is still valid: expired rows go by themselves whenever the store has doubled. Logs and blobs stay
 * until they are deleted.
 *
 * @example
 * ```ts
 * const router = createRouter({ capabilities, store: new MemoryStore(), allowVolatile: true });
 * ```
 */
export class MemoryStore implements RouterStore {
  readonly name = "memory";
  readonly durability = "none" as const;
  readonly sessions: FrameStore;
  readonly operations: RouterOperationLog;
  readonly parts: PartStore;
  readonly approvals: ApprovalStore;
  readonly audit: AuditStore;
  readonly outbox: OutboxStore;
  readonly artifacts: OwnedArtifactStore;
  readonly catalog: CatalogStore;
  readonly rates: RateStore;
  readonly logs: LogStore;
  readonly blobs: BlobStore;
  now: () => number;
  ping: () => Promise<void>;
  prune: (retention?: Retention) => Promise<void>;
  close: () => Promise<void>;

  constructor(options: MemoryStoreOptions = {}) {
    checkKeys("MemoryStore", options, "now:function keepAuditRows:number");
    const { now = Date.now, keepAuditRows = 10_000 } = options;
    if (!(Number.isSafeInteger(keepAuditRows) && keepAuditRows > 0)) {
      throw new TypeError("keepAuditRows must be an integer above 0");
    }
    const tables = new MemoryTables(now, keepAuditRows);
    const sessions = new MemoryFrames(tables);
    const { logs, blobs } = memoryLogsAndBlobs(() => void tables.enter());
    this.sessions = sessions;
    this.operations = new MemoryOperations(tables, sessions);
    this.parts = new MemoryParts(tables);
    this.approvals = new MemoryApprovals(tables, sessions);
    this.outbox = tables.outbox;
    this.artifacts = new MemoryArtifacts(tables);
    this.audit = {
      append: async (entries: AuditEntry[], { events }: Pick<SameTransaction, "events"> = {}): Promise<void> => {
        const now = tables.enter();
        if (events === undefined) tables.audit.append(entries, now);
        else tables.prepareRows({ audit: entries, events }, now)();
      },
      read: async (range?: { after?: number; limit?: number }): Promise<AuditRow[]> => {
        tables.enter();
        return tables.audit.read(range);
      },
      head: async () => {
        tables.enter();
        return tables.audit.head();
      },
      addCheckpoint: async (checkpoint: AuditCheckpoint): Promise<boolean> => {
        tables.enter();
        return tables.audit.addCheckpoint(checkpoint);
      },
      checkpoints: async (range?: { after?: number; limit?: number }): Promise<AuditCheckpoint[]> => {
        tables.enter();
        return tables.audit.checkpoints(range);
      },
    };
    this.catalog = {
      epoch: async (digest: string, atLeast: number): Promise<number> => {
        tables.enter();
        let highest = 0;
        for (const [epoch, of] of tables.epochs) {
          if (of === digest && epoch >= atLeast) return epoch;
          highest = epoch;
        }
        const next = Math.max(highest + 1, atLeast);
        tables.epochs.set(next, digest);
        return next;
      },
      highestEpoch: async (): Promise<number> => {
        tables.enter();
        return Math.max(0, ...tables.epochs.keys());
      },
      putView: async (id: string, view: JsonObject): Promise<void> => {
        tables.enter();
        if (!tables.views.has(id)) tables.views.set(id, JSON.stringify(view));
      },
      readView: async (id: string): Promise<JsonObject | undefined> => {
        tables.enter();
        const text = tables.views.get(id);
        return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
      },
    };
    this.rates = {
      take: async (key: string, rate: Rate): Promise<RateTaken> => {
        const now = tables.enter();
        checkRate(key, rate);
        return tables.rates.take(key, rate, now);
      },
    };
    this.logs = logs;
    this.blobs = blobs;
    this.now = now;
    this.ping = async () => void tables.enter();
    this.prune = async (retention) => tables.prune(tables.enter(), checkRetention(retention));
    this.close = async () => tables.close();
  }
}
