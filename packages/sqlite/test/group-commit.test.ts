import type { OperationLog } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { connect } from "../src/connect.ts";
import { chooseDriver } from "../src/driver.ts";
import type { Connection } from "../src/drivers/types.ts";
import { GroupCommit } from "../src/group-commit.ts";
import { openSqlite } from "../src/index.ts";
import { prepareFile } from "../src/store-file.ts";
import { Expectations } from "../src/tables/expectations.ts";
import { operationSteps, operationsBySteps } from "../src/tables/operation-steps.ts";
import { sqliteOperations } from "../src/tables/operations.ts";
import { Transaction } from "../src/transaction.ts";
import { newFile } from "./files.ts";

const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 1000 };

interface Watched {
  commits: GroupCommit;
  log: OperationLog;
  /** What was executed, prepared statements apart. */
  executed: string[];
  /** Makes the next statement that begins so fail. */
  failNext(sql: string, error: unknown): void;
}

/** A log whose connection is watched, and fails when told to. */
async function watched(lockTimeoutMs = 1000, maxMs = Number.POSITIVE_INFINITY): Promise<Watched> {
  const file = prepareFile(newFile());
  const real = await connect(await chooseDriver(), file, { synchronous: "full", lockTimeoutMs });
  const executed: string[] = [];
  const failures: { sql: string; error: unknown }[] = [];
  const check = (sql: string): void => {
    const index = failures.findIndex((failure) => sql.startsWith(failure.sql));
    if (index >= 0) throw failures.splice(index, 1)[0]?.error;
  };
  const connection: Connection = {
    exec: (sql) => {
      executed.push(sql);
      check(sql);
      real.exec(sql);
    },
    prepare: (sql) => {
      const statement = real.prepare(sql);
      const run = (parameters: Parameters<typeof statement.run>[0]): void => {
        check(sql);
        statement.run(parameters);
      };
      return { ...statement, run };
    },
    close: () => real.close(),
  };
  // However slow this machine is at the moment: a transaction takes what there is.
  const options = { name: "test", lockTimeoutMs, maxMs };
  const commits = new GroupCommit(connection, new Transaction(connection, file, Date.now), options);
  const steps = operationsBySteps(operationSteps(commits, new Expectations()));
  const log = { ...sqliteOperations(commits, "disk"), ...steps };
  return { commits, log, executed, failNext: (sql, error) => failures.push({ sql, error }) };
}

const sqliteError = (errcode: number): Error => Object.assign(new Error(`SQLite says ${errcode}`), { errcode });
const codeOf = (error: unknown): string => (ToolglotError.isInstance(error) ? error.code : String(error));

it("should share one transaction between what is asked for in one turn", async () => {
  const { log, executed, commits } = await watched();
  const results = await Promise.all([1, 2, 3].map((n) => log.claim({ ...request, key: `k${n}` })));
  expect(results.map(({ status }) => status)).toEqual(["claimed", "claimed", "claimed"]);
  expect(executed).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  await Promise.all([1, 2].map((n) => log.read({ scope: "s", key: `k${n}` })));
  expect(executed.slice(2)).toEqual(["BEGIN", "COMMIT"]);
  await commits.close();
});

it("should see in one transaction what was asked for before", async () => {
  const { log, commits } = await watched();
  const [first, second] = await Promise.all([log.claim({ ...request, key: "k" }), log.claim({ ...request, key: "k" })]);
  expect([first?.status, second?.status]).toEqual(["claimed", "busy"]);
  await commits.close();
});

it("should end a transaction that takes long, and go on in the next", async () => {
  const { executed, commits } = await watched(1000, 0);
  await Promise.all([1, 2, 3].map(() => commits.write((tx) => tx.run("UPDATE counters SET value = value"))));
  expect(executed.filter((sql) => sql === "COMMIT").length).toBeGreaterThan(1);
  await commits.close();
});

it("should reject everything when the commit fails, with nothing written", async () => {
  const { log, commits, failNext } = await watched();
  failNext("COMMIT", sqliteError(10));
  const results = await Promise.allSettled([1, 2].map((n) => log.claim({ ...request, key: `k${n}` })));
  expect(results.map((result) => result.status === "rejected" && codeOf(result.reason))).toEqual([
    "trp/store-failed",
    "trp/store-failed",
  ]);
  expect(await log.read({ scope: "s", key: "k1" })).toBeUndefined();
  expect((await log.claim({ ...request, key: "k1" })).status).toBe("claimed");
  await commits.close();
});

it("should undo what failed half-way, and run the others without it", async () => {
  const { log, commits, executed, failNext } = await watched();
  const held = await log.claim({ ...request, key: "held" });
  if (held.status !== "claimed") throw new Error("not claimed");
  executed.length = 0;
  const half = commits.write((tx) => {
    tx.run("UPDATE counters SET value = 999");
    failNext("DELETE FROM tokens", sqliteError(13));
    tx.run("DELETE FROM tokens WHERE jti = ?", "x");
  });
  const others = Promise.all([log.begin(held.claim), log.claim({ ...request, key: "new" })]);
  expect(await half.catch(codeOf)).toBe("trp/store-failed");
  const [begun, claimed] = await others;
  expect([begun, claimed.status]).toEqual([true, "claimed"]);
  expect(claimed.record.fence).toBe(held.claim.fence + 1);
  expect(executed).toEqual(["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE", "COMMIT"]);
  await commits.close();
});

it("should reject only what threw before it wrote", async () => {
  const { log, commits, executed } = await watched();
  const results = await Promise.allSettled([
    log.claim({ ...request, key: "a" }),
    commits.write(() => {
      throw new TypeError("a mistake");
    }),
    log.claim({ ...request, key: "b" }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(executed).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  await commits.close();
});

it("should try again when the lock is another's, and give up in time", async () => {
  const { log, commits, executed, failNext } = await watched(0);
  failNext("BEGIN", sqliteError(5));
  expect(await log.claim({ ...request, key: "k" }).catch(codeOf)).toBe("trp/store-busy");
  await commits.close();
  const patient = await watched();
  for (let n = 0; n < 3; n++) patient.failNext("BEGIN", sqliteError(5 + 256));
  expect((await patient.log.claim({ ...request, key: "k" })).status).toBe("claimed");
  expect(patient.executed.filter((sql) => sql === "BEGIN IMMEDIATE")).toHaveLength(4);
  expect(executed).toEqual(["BEGIN IMMEDIATE"]);
  await patient.commits.close();
});

it("should not hold up the process while another connection holds the lock", async () => {
  const file = newFile();
  const store = await openSqlite({ file, lockTimeoutMs: 10_000 });
  const other = (await chooseDriver()).open(file);
  other.exec("BEGIN IMMEDIATE");
  const claiming = store.operations.claim({ ...request, key: "k" });
  // Reading needs no lock, and timers go on.
  let turns = 0;
  for (; turns < 5; turns++) await new Promise((resolve) => setTimeout(resolve, 5));
  other.exec("COMMIT");
  other.close();
  expect((await claiming).status).toBe("claimed");
  expect(turns).toBe(5);
  await store.close();
});

it("should write what was put off once for all, and not at all for what was undone", async () => {
  const { commits, failNext } = await watched();
  const count = (to: number, fails = false): Promise<unknown> =>
    commits.write((tx) => {
      tx.defer("count", () => tx.run("UPDATE counters SET value = ? WHERE name = 'fence'", to));
      if (fails) throw new TypeError("a mistake");
    });
  const value = (): Promise<unknown> =>
    commits.read((tx) => tx.get("SELECT value FROM counters WHERE name = 'fence'")?.value);
  const results = await Promise.allSettled([count(5), count(7), count(9, true)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(await value()).toBe(7);
  failNext("UPDATE counters", sqliteError(13));
  expect(await count(11).catch(codeOf)).toBe("trp/store-failed");
  expect(await value()).toBe(7);
  await commits.close();
});

it("should hold what was read for one transaction only", async () => {
  const { commits } = await watched();
  const times: number[] = [];
  const read = (): Promise<number> =>
    commits.write((tx) =>
      tx.held("n", () => {
        times.push(1);
        return times.length;
      }),
    );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(2);
  await commits.close();
});

it("should say that it takes no writes while the disk is full, and go on by itself", async () => {
  const { commits, failNext } = await watched();
  const pulse = (): Promise<void> =>
    commits.pulse((tx) => tx.run("UPDATE counters SET value = value + 1 WHERE name = 'pulse'"));
  await pulse();
  failNext("COMMIT", sqliteError(13));
  await expect(commits.write((tx) => tx.run("UPDATE counters SET value = 1 WHERE name = 'pulse'"))).rejects.toThrow(
    "SQLite says 13",
  );
  // Within the second in which a pulse is good: the fault of the last transaction counts.
  await expect(pulse()).rejects.toMatchObject({ code: "trp/store-failed" });
  await commits.write((tx) => tx.run("UPDATE counters SET value = 2 WHERE name = 'pulse'"));
  await pulse();
  await commits.close();
});

it("should not be ready on a disk with room for a pulse and none for calls, and be ready by itself once there is room", async () => {
  const { commits } = await watched();
  const pulse = (): Promise<void> =>
    commits.pulse((tx) => tx.run("UPDATE counters SET value = value + 1 WHERE name = 'pulse'"));
  const room = async (pages: number): Promise<void> => {
    const [row] = await commits.read((tx) => tx.all("PRAGMA page_count"));
    await commits.read((tx) => tx.all(`PRAGMA max_page_count = ${Number(row?.page_count) + pages}`));
  };
  const call = (): Promise<unknown> =>
    commits.write((tx) => tx.run("INSERT INTO views VALUES (hex(randomblob(8)), hex(zeroblob(100000)))"));
  await pulse();
  await room(3);
  await expect(call()).rejects.toMatchObject({ code: "trp/store-failed" });
  // A write that fits says nothing of those that don't.
  await new Promise((resolve) => setTimeout(resolve, 1_001));
  await expect(pulse()).rejects.toMatchObject({ code: "trp/store-failed" });
  await expect(pulse()).rejects.toMatchObject({ code: "trp/store-failed" });
  await room(1_000);
  await new Promise((resolve) => setTimeout(resolve, 1_001));
  await pulse();
  await call();
  expect(await commits.read((tx) => tx.all("SELECT name FROM sqlite_schema WHERE name = 'filling'"))).toEqual([]);
  await commits.close();
});

it("should commit one pulse for all who ask within a second", async () => {
  const { commits, executed } = await watched();
  const work = (): void => undefined;
  await Promise.all(Array.from({ length: 50 }, () => commits.pulse(work)));
  await commits.pulse(work);
  expect(executed.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  await commits.close();
});

it("should write nothing more once SQLite calls the file corrupt", async () => {
  const { commits, failNext } = await watched();
  failNext("COMMIT", sqliteError(11));
  await expect(commits.write(() => 1)).rejects.toMatchObject({ code: "trp/store-corrupt" });
  await expect(commits.write(() => 1)).rejects.toMatchObject({ code: "trp/store-corrupt" });
  await commits.close();
});

it("should wait for another process's lock, and not count the time before it was asked for", async () => {
  const { commits, failNext } = await watched(50, 0);
  const first = commits.write(() => {
    for (const until = performance.now() + 100; performance.now() < until; );
    failNext("BEGIN IMMEDIATE", sqliteError(5));
    return "first";
  });
  const second = commits.write(() => "second");
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
  await commits.close();
});
