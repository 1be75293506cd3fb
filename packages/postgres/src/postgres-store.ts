import { expectingFrames, type Retention, type RouterStore } from "@toolglot/trp-core/store";
import type { Acknowledged } from "./database/acknowledged.ts";
import type { DatabaseClock } from "./database/clock.ts";
import type { Database } from "./database/database.ts";
import { timed } from "./database/transaction.ts";
import { entriesOf } from "./fast/enter.ts";
import { fastFrames } from "./fast/fast-frames.ts";
import { fastOperations } from "./fast/fast-operations.ts";
import { FrameQueue } from "./fast/frame-queue.ts";
import { stepsOf } from "./fast/steps.ts";
import { Wakes } from "./listening/wakes.ts";
import { wakingApprovals, wakingOperations } from "./listening/waking.ts";
import { OpenCalls } from "./open-calls.ts";
import type { Settings } from "./options.ts";
import { prune } from "./prune.ts";
import { Sealer } from "./sealing/sealer.ts";
import { postgresApprovals } from "./tables/approvals.ts";
import { postgresArtifacts } from "./tables/artifacts.ts";
import { postgresAudit } from "./tables/audit.ts";
import { postgresBlobs } from "./tables/blobs.ts";
import { postgresCatalog } from "./tables/catalog.ts";
import { postgresFrames } from "./tables/frames.ts";
import { postgresLogs } from "./tables/logs.ts";
import { notedOperations } from "./tables/noted-operations.ts";
import { postgresOperations } from "./tables/operations.ts";
import { postgresOutbox } from "./tables/outbox.ts";
import { postgresParts } from "./tables/parts.ts";
import { postgresRates } from "./tables/rates.ts";

const beat = `WITH ${timed} INSERT INTO @heartbeats (router, at) SELECT $2, now FROM t
  ON CONFLICT (router) DO UPDATE SET at = excluded.at`;

/** What a store is made of. */
export interface Opened {
  database: Database;
  settings: Settings;
  durability: "process" | "disk";
  clock: DatabaseClock;
  acknowledged: Acknowledged;
  /** False, for tests: each step is a transaction of several statements, also where one would do. */
  isFast: boolean;
}

/** A router's store on a database that was opened. */
export function postgresStore({ database, settings, durability, clock, acknowledged, isFast }: Opened): RouterStore {
  const sealer = new Sealer(database, settings.onError);
  database.onStaged = (count) => sealer.staged(count);
  const id = crypto.randomUUID();
  const now = settings.now ?? (() => clock.now());
  const sessions = postgresFrames(database);
  const slow = postgresOperations(database, durability);
  const [entries, steps] = [entriesOf(database), stepsOf(database)];
  const queue = new FrameQueue(database, entries);
  const operations = isFast ? { ...slow, ...fastOperations({ database, queue, entries, steps, slow }) } : slow;
  const calls = new OpenCalls();
  const wakes = new Wakes(settings);
  let closing: Promise<void> | undefined;
  return {
    name: "postgres",
    durability,
    sessions: isFast
      ? expectingFrames(calls.of({ ...sessions, ...fastFrames(database, queue, steps) }), now, (token) =>
          queue.send(token),
        )
      : calls.of(sessions),
    operations: wakingOperations(calls.of(notedOperations(operations, acknowledged)), wakes),
    parts: calls.of(postgresParts(database)),
    approvals: wakingApprovals(calls.of(postgresApprovals(database)), wakes),
    audit: calls.of(postgresAudit(database, sealer)),
    outbox: calls.of(postgresOutbox(database, sealer)),
    artifacts: calls.of(postgresArtifacts(database)),
    catalog: calls.of(postgresCatalog(database)),
    rates: calls.of(postgresRates(database)),
    logs: calls.of(postgresLogs(database)),
    blobs: calls.of(postgresBlobs(database)),
    now,
    ...calls.of({
      async ping() {
        await database.statement({ sql: beat, values: [database.now(), id], recover: async () => undefined });
      },
      async prune(retention?: Retention) {
        await sealer.seal();
        await prune(database, retention);
      },
    }),
    close() {
      closing ??= calls
        .close()
        .then(() => Promise.all([sealer.close(), wakes.close()]))
        .catch(settings.onError)
        .then(() => {
          clock.stop();
          return database.close();
        });
      return closing;
    },
  };
}
