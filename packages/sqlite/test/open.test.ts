import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { newFile } from "./files.ts";

const who = { tenant: "t", principal: "p" };
const session = { id: "s", ...who, agentId: "a", features: [], view: "v", ttlMs: 60_000 };

/** The code and message of what a promise rejects with. */
async function faultOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (ToolglotError.isInstance(error)) return `${error.code}: ${error.message}`;
    return String(error);
  }
  return "nothing";
}

/** Runs SQL on a file behind the store's back. */
async function runSql(file: string, sql: string): Promise<void> {
  const connection = (await chooseDriver()).open(file);
  connection.exec(sql);
  connection.close();
}

it("should make a file for its owner alone, with the files beside it", async () => {
  const file = newFile();
  const store = await openSqlite({ file });
  await store.sessions.create(session);
  for (const part of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(part).mode & 0o777).toBe(0o600);
  await store.close();
});

it("should leave the rights of a file that is there", async () => {
  const file = newFile();
  writeFileSync(file, "");
  chmodSync(file, 0o640);
  await (await openSqlite({ file })).close();
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

it("should find everything again", async () => {
  const file = newFile();
  const first = await openSqlite({ file });
  await first.sessions.create(session);
  await first.close();
  const second = await openSqlite({ file: relative(process.cwd(), file) });
  expect(await second.sessions.read("s", who)).toMatchObject({ id: "s", expectedSeq: 1 });
  await second.close();
});

it("should set what makes it durable, and check it", async () => {
  const file = newFile();
  const store = await openSqlite({ file });
  await store.close();
  const connection = (await chooseDriver()).open(file);
  expect(connection.prepare("PRAGMA journal_mode").get([])).toMatchObject({ journal_mode: "wal" });
  connection.close();
  const driver = await chooseDriver();
  const { connect } = await import("../src/connect.ts");
  for (const synchronous of ["full", "normal"] as const) {
    const open = await connect(driver, file, { synchronous, lockTimeoutMs: 100 });
    expect(open.prepare("PRAGMA synchronous").get([])?.synchronous).toBe(synchronous === "full" ? 2 : 1);
    expect(open.prepare("PRAGMA foreign_keys").get([])?.foreign_keys).toBe(1);
    open.close();
  }
  const stubborn = {
    ...driver,
    open: (path: string) => {
      const real = driver.open(path);
      const prepare = (sql: string) => real.prepare(sql.includes("synchronous =") ? "SELECT 1" : sql);
      return { exec: (sql: string) => real.exec(sql), prepare, close: () => real.close() };
    },
  };
  const failing = connect(stubborn, file, { synchronous: "normal", lockTimeoutMs: 100 });
  expect(await faultOf(failing)).toMatch("synchronous stays 2 where it must be NORMAL");
});

it.each([
  ["", "must be the path"],
  [":memory:", "take MemoryStore"],
  ["file:store.db", "must be a path"],
  ["http://example.com/store", "must be a path"],
  ["a\0b", "NUL"],
])("should refuse %j as a file", async (file, message) => {
  const fault = await faultOf(openSqlite({ file }));
  expect(fault).toMatch(/^TypeError/);
  expect(fault).toMatch(message);
});

it("should refuse options that can't be", async () => {
  const file = newFile();
  expect(await faultOf(openSqlite({ file, synchronous: "off" as never }))).toMatch('"full" or "normal"');
  expect(await faultOf(openSqlite({ file, driver: "sqlite3" as never }))).toMatch('"node:sqlite" or "libsql"');
  expect(await faultOf(openSqlite({ file, lockTimeoutMs: -1 }))).toMatch("lockTimeoutMs");
});

it("should follow no symbolic link, and open no folder", async () => {
  const file = newFile();
  symlinkSync(`${file}.target`, file);
  expect(await faultOf(openSqlite({ file }))).toMatch(/^trp\/store-open: .* is not a regular file/);
  const beside = newFile();
  symlinkSync(`${file}.target`, `${beside}-wal`);
  expect(await faultOf(openSqlite({ file: beside }))).toMatch(/^trp\/store-open: .*-wal is not a regular file/);
  const folder = newFile();
  mkdirSync(folder);
  expect(await faultOf(openSqlite({ file: folder }))).toMatch(/^trp\/store-open/);
});

it("should say what is wrong when there is no such folder", async () => {
  const fault = await faultOf(openSqlite({ file: join(newFile(), "x.db") }));
  expect(fault).toMatch(/^trp\/store-open: .* can't be made: the folder .* does not exist\. Make it first\.$/);
  const file = newFile();
  writeFileSync(file, "");
  expect(await faultOf(openSqlite({ file: join(file, "x.db") }))).toMatch("is not a folder");
});

it("should say why a file can't be opened where nothing may be written, and how to cure it", async (test) => {
  const folder = newFile();
  mkdirSync(folder);
  const isRoot = process.getuid?.() === 0;
  try {
    if (isRoot) execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    // Root writes anywhere, so a read-only mount alone can forbid it; containers often refuse mounts.
    return test.skip("this process may not mount a file system");
  }
  try {
    const file = join(folder, "store.db");
    const store = await openSqlite({ file });
    await store.close();
    if (isRoot) execFileSync("mount", ["-o", "remount,ro", folder]);
    else chmodSync(folder, 0o500);
    const why = isRoot ? "is read-only. Mount it writable" : "has no right to read and write";
    expect(await faultOf(openSqlite({ file }))).toMatch(why);
    expect(await faultOf(openSqlite({ file: join(folder, "new.db") }))).toMatch(why);
  } finally {
    if (isRoot) execFileSync("umount", [folder]);
  }
});

it("should leave databases alone that are no store", async () => {
  const file = newFile();
  await runSql(file, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  const before = readFileSync(file);
  expect(await faultOf(openSqlite({ file }))).toMatch(/^trp\/store-open: .* no store of toolglot/);
  expect(readFileSync(file)).toEqual(before);
  const text = newFile();
  writeFileSync(
    text,
    "this is not a database, it is a text that is longer than a header of SQLite would be.".repeat(9),
  );
  expect(await faultOf(openSqlite({ file: text }))).toMatch(/^trp\/store-open: .* no SQLite database/);
});

it("should refuse a file of a newer version, and say what to do", async () => {
  const file = newFile();
  await (await openSqlite({ file })).close();
  await runSql(file, "PRAGMA user_version = 99");
  expect(await faultOf(openSqlite({ file }))).toMatch(/^trp\/store-version: .*newer version.*update/);
});

it("should name the row that can't be read, and go on with the others", async () => {
  const file = newFile();
  const store = await openSqlite({ file });
  const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 1000 };
  for (const key of ["cut", "odd", "good"]) await store.operations.start({ ...request, key }, {});
  await store.sessions.create(session);
  await store.audit.append([{ call_id: "c" } as never]);
  await runSql(
    file,
    `UPDATE operations SET kept = substr(kept, 1, 20) WHERE key = 'cut';
     UPDATE operations SET kept = '{"record":[]}' WHERE key = 'odd';
     UPDATE sessions SET record = 'null'; UPDATE audit SET entry = '"x"'`,
  );
  const at = (table: string, key: string): string =>
    `trp/store-damaged: A row of ${file} can't be read: ${table}, "${key}".`;
  const results = await Promise.all([
    faultOf(store.operations.start({ ...request, key: "cut" }, {})),
    faultOf(store.operations.read({ scope: "s", key: "odd" })),
    faultOf(store.sessions.read("s", who)),
    faultOf(store.audit.read()),
    store.operations.read({ scope: "s", key: "good" }),
    store.operations.claim({ ...request, key: "new" }),
  ]);
  expect(results.slice(0, 4)).toEqual([
    at("operations", "cut"),
    at("operations", "odd"),
    at("sessions", "s"),
    at("audit", "1"),
  ]);
  expect(results.slice(4)).toMatchObject([{ state: "started" }, { status: "claimed" }]);
  await store.close();
});

it("should close once, after what was asked for", async () => {
  const file = newFile();
  const store = await openSqlite({ file });
  const request = { scope: "s", key: "k", fingerprint: "f", owner: "o", leaseMs: 1000 };
  const claiming = store.operations.claim(request);
  const closing = [store.close(), store.close()];
  expect((await claiming).status).toBe("claimed");
  await Promise.all(closing);
  expect(await faultOf(store.operations.claim(request))).toMatch(/^trp\/store-closed/);
  expect(await faultOf(store.prune())).toMatch(/^trp\/store-closed/);
  // The file alone holds everything.
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

it("should refuse an option that it doesn't have, with the name that is meant", async () => {
  const misspelt = { file: newFile(), synchronus: "normal" } as never;
  await expect(openSqlite(misspelt)).rejects.toThrow('Did you mean "synchronous"?');
});
