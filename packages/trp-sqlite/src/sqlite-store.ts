import type { RouterStore } from "@toolglot/trp-core/store";
import type { Opened } from "./open.ts";
import { prune } from "./prune.ts";
import { sqliteApprovals } from "./tables/approvals.ts";
import { sqliteArtifacts } from "./tables/artifacts.ts";
import { sqliteAudit } from "./tables/audit.ts";
import { sqliteCatalog } from "./tables/catalog.ts";
import { Expectations } from "./tables/expectations.ts";
import { type OperationSteps, operationSteps, operationsBySteps } from "./tables/operation-steps.ts";
import { sqliteOperations } from "./tables/operations.ts";
import { sqliteOutbox } from "./tables/outbox.ts";
import { sqliteParts } from "./tables/parts.ts";
import { type SessionSteps, sessionSteps, sessionsBySteps } from "./tables/session-steps.ts";
import { sqliteSessions } from "./tables/sessions.ts";
import type { Transaction } from "./transaction.ts";

function pulse(tx: Transaction): void {
  tx.checkIdentity();
  tx.run("UPDATE counters SET value = value + 1 WHERE name = 'pulse'");
}

/** A store that also has steps: the parts of its methods that must run at the file. */
export interface SteppedStore extends RouterStore {
  steps: OperationSteps & SessionSteps;
}

/** A router's store on a file that was opened in this thread. */
export function sqliteStore({ name, durability, commits, now }: Opened): SteppedStore {
  const expectations = new Expectations();
  const steps = { ...operationSteps(commits, expectations), ...sessionSteps(commits, expectations) };
  return {
    name,
    durability,
    sessions: { ...sqliteSessions(commits), ...sessionsBySteps(steps) },
    operations: { ...sqliteOperations(commits, durability), ...operationsBySteps(steps) },
    parts: sqliteParts(commits),
    approvals: sqliteApprovals(commits),
    audit: sqliteAudit(commits),
    outbox: sqliteOutbox(commits),
    artifacts: sqliteArtifacts(commits),
    catalog: sqliteCatalog(commits),
    steps,
    now,
    ping: () => commits.pulse(pulse),
    prune: (retention) => prune(commits, retention),
    close: () => commits.close(),
  };
}
