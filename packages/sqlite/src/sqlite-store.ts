import type { BlobStore, LogStore } from "@toolglot/core/storage";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { Opened } from "./open.ts";
import { prune } from "./prune.ts";
import { sqliteApprovals } from "./tables/approvals.ts";
import { sqliteArtifacts } from "./tables/artifacts.ts";
import { sqliteAudit } from "./tables/audit.ts";
import { sqliteBlobs } from "./tables/blobs.ts";
import { sqliteCatalog } from "./tables/catalog.ts";
import { Expectations } from "./tables/expectations.ts";
import { type FrameSteps, frameSteps, framesBySteps } from "./tables/frame-steps.ts";
import { sqliteFrames } from "./tables/frames.ts";
import { sqliteLogs } from "./tables/logs.ts";
import type { Paged } from "./tables/names.ts";
import { type OperationSteps, operationSteps, operationsBySteps } from "./tables/operation-steps.ts";
import { sqliteOperations } from "./tables/operations.ts";
import { sqliteOutbox } from "./tables/outbox.ts";
import { sqliteParts } from "./tables/parts.ts";
import { sqliteRates } from "./tables/rates.ts";
import type { Transaction } from "./transaction.ts";

function pulse(tx: Transaction): void {
  tx.checkIdentity();
  tx.run("UPDATE counters SET value = value + 1 WHERE name = 'pulse'");
}

/** A store that also has steps and pages: the parts of its methods that must run at the file. */
export interface SteppedStore extends RouterStore {
  steps: OperationSteps & FrameSteps;
  logs: Paged<LogStore>;
  blobs: Paged<BlobStore>;
}

/** A router's store on a file that was opened in this thread. */
export function sqliteStore({ name, durability, commits, now }: Opened): SteppedStore {
  const expectations = new Expectations();
  const steps = { ...operationSteps(commits, expectations), ...frameSteps(commits, expectations) };
  return {
    name,
    durability,
    sessions: { ...sqliteFrames(commits), ...framesBySteps(steps) },
    operations: { ...sqliteOperations(commits, durability), ...operationsBySteps(steps) },
    parts: sqliteParts(commits),
    approvals: sqliteApprovals(commits),
    audit: sqliteAudit(commits),
    outbox: sqliteOutbox(commits),
    artifacts: sqliteArtifacts(commits),
    catalog: sqliteCatalog(commits),
    rates: sqliteRates(commits),
    logs: sqliteLogs(commits),
    blobs: sqliteBlobs(commits),
    steps,
    now,
    ping: () => commits.pulse(pulse),
    prune: (retention) => prune(commits, retention),
    close: () => commits.close(),
  };
}
