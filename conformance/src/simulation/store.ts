import type { OperationClaim, OperationKey } from "@toolglot/core";
import { copyJson } from "@toolglot/internal";
import type { RouterStore, StartOptions, StartResult } from "@toolglot/trp-core/store";
import { Connection, type Naively, type Pace } from "./connection.ts";
import type { About, Act, Database } from "./database.ts";
import { ExpectingSessions } from "./expecting-sessions.ts";
import type { Link } from "./link.ts";
import {
  claimWrites,
  leasesAlone,
  type Mistakes,
  naiveStart,
  overwrite,
  presumedStart,
  withoutFence,
} from "./mistakes.ts";

/** What a store is made of. */
export interface StoreOptions {
  database: Database;
  link: Link;
  pace: Pace;
  /** The clock that the store shows. */
  now(): number;
  mistakes?: Mistakes;
  /** How long an admission waits for a start that goes with it. Milliseconds. Default 0: none waits. */
  admissionWaitMs?: number;
}

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** The methods of each part. Those in `reads` change nothing. */
const methods = {
  sessions: { reads: "read readCall callsInFlight", writes: "create setView admit answer cancelCall" },
  operations: { reads: "read list scan", writes: "claim takeOver start renew begin finish doubt settle abandon" },
  parts: { reads: "read", writes: "add" },
  approvals: { reads: "read list", writes: "request decide" },
  audit: { reads: "read head checkpoints", writes: "append addCheckpoint" },
  outbox: { reads: "read consumers", writes: "acknowledge forget" },
  artifacts: { reads: "read", writes: "put" },
  catalog: { reads: "highestEpoch readView", writes: "epoch putView" },
} as const;

/**
 * A router's store whose tables are those of a database behind a link: what a store on a database server is, without the server.
 * Each method is one transaction.
 */
export function openStore(options: StoreOptions): RouterStore {
  const { database, link, pace, now, mistakes = {}, admissionWaitMs = 0 } = options;
  const connection = new Connection(link, pace, mistakes);
  const about = (method: string, given: readonly unknown[]): About => ({
    method,
    ...namesIn(given),
    ...(mistakes.localClock && { senderTime: now() }),
  });
  const part = <Name extends keyof typeof methods>(name: Name): RouterStore[Name] => {
    const made: Methods = {};
    const act =
      (method: string, given: unknown[]): Act<unknown> =>
      (store) =>
        (store[name] as unknown as Methods)[method]?.(...given) as Promise<unknown>;
    for (const method of methods[name].reads.split(" ")) {
      made[method] = (...given) => connection.read(about(`${name}.${method}`, given), act(method, given));
    }
    for (const method of methods[name].writes.split(" ")) {
      made[method] = (...given) => {
        // The caller may change what it has given; bytes are no JSON.
        const sent = name === "artifacts" ? structuredClone(given) : copyJson(given);
        return connection.write(about(`${name}.${method}`, sent), act(method, sent));
      };
    }
    return made as unknown as RouterStore[Name];
  };
  const sessions = part("sessions");
  const expecting = new ExpectingSessions({ connection, sessions, pace, now, about, waitMs: admissionWaitMs });
  const audit = part("audit");
  return {
    name: "simulated",
    durability: "disk",
    sessions: { ...sessions, create: expecting.create, setView: expecting.setView, admit: expecting.admit },
    operations: operationsOf({ connection, about, expecting, audit, now, mistakes, given: part("operations") }),
    parts: part("parts"),
    approvals: part("approvals"),
    audit,
    outbox: part("outbox"),
    artifacts: part("artifacts"),
    catalog: part("catalog"),
    // As they are: no router uses them.
    logs: database.store.logs,
    blobs: database.store.blobs,
    now,
    ping: () => connection.write(about("ping", []), (store) => store.ping()),
    prune: (retention) => connection.write(about("prune", []), (store) => store.prune(retention)),
    close: async () => {
      connection.isClosed = true;
    },
  };
}

interface OperationsOptions {
  connection: Connection;
  about(method: string, given: readonly unknown[]): About;
  expecting: ExpectingSessions;
  audit: RouterStore["audit"];
  now(): number;
  mistakes: Mistakes;
  /** The log without mistakes, and without admissions that wait. */
  given: RouterStore["operations"];
}

/** The operation log, with its mistakes. */
function operationsOf(options: OperationsOptions): RouterStore["operations"] {
  const { connection, about, expecting, audit, now, mistakes, given: log } = options;
  let lastFence = 0;
  const operations: RouterStore["operations"] = {
    ...log,
    durability: "disk",
    async start(...given) {
      const [wanted, { ifAdmitted, ...asked }] = copyJson(given);
      const [request, rest] = naiveStart(mistakes, wanted, asked as StartOptions);
      let act: Act<StartResult> = (store) => store.operations.start(request, rest);
      if (mistakes.readsThenWrites) {
        const found = await log.read(request);
        if (found?.state === "done" || found?.state === "failed") return { status: "replay", record: found };
        if (found !== undefined) return { status: "busy", record: found };
        act = overwrite(request, rest);
      }
      const naively: Naively<StartResult> = {
        again: overwrite(request, rest),
        done: () => presumedStart(request, lastFence + 1, now()),
      };
      const named = about("operations.start", [request, rest]);
      const started =
        ifAdmitted === undefined
          ? await connection.write(named, act, naively)
          : await expecting.start(ifAdmitted, named, act, naively);
      if (started.status !== "claimed") return started;
      lastFence = Math.max(lastFence, started.claim.fence);
      if (mistakes.auditsApart && asked.audit !== undefined) await audit.append(asked.audit);
      return started;
    },
  };
  if (mistakes.ignoresFences) Object.assign(operations, leasesAlone(log, now));
  for (const method of claimWrites) {
    const write = (...given: [claim: OperationClaim, ...rest: unknown[]]): Promise<boolean> => {
      const [claim, ...rest] = copyJson(given);
      const named = about(`operations.${method}`, [claim, ...rest]);
      const act = (tables: RouterStore["operations"], held: OperationClaim): Promise<boolean> =>
        (tables[method] as (claim: OperationClaim, ...rest: unknown[]) => Promise<boolean>)(held, ...rest);
      const tolerant = withoutFence(claim, act);
      const strict: Act<boolean> = (store) => act(store.operations, claim);
      return connection.write(named, mistakes.ignoresFences ? tolerant : strict, { done: () => true });
    };
    Object.assign(operations, { [method]: write });
  }
  return operations;
}

/** The operation and the session that the arguments of a method name. */
function namesIn(given: readonly unknown[]): Pick<About, "operation" | "sessionId"> {
  const [first, ...rest] = given as (Partial<OperationKey> & {
    operation?: OperationKey;
    sessionId?: string;
    answer?: { sessionId: string };
  })[];
  const { scope, key, operation, sessionId } = first ?? {};
  const answer = rest.find((each) => each?.answer !== undefined)?.answer;
  return {
    operation: scope !== undefined && key !== undefined ? { scope, key } : operation,
    sessionId: sessionId ?? answer?.sessionId,
  };
}
