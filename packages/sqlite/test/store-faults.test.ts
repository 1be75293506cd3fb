import { copyFileSync, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import type { ToolglotError } from "@toolglot/core";
import { createRouter, defineCapability, principal, type RouterEvent } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { afterEach, describe, expect, it } from "vitest";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";
import { callOnce, endOf } from "./session.ts";

// Ready means that a write would be committed now to the file that the path names. What is not so takes no writes, says so,
// and goes on by itself where that is safe.

const [driver] = drivers;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

let effects = 0;

async function start(file: string, lease = 10_000) {
  const write = defineCapability({
    capId: "cap.x.write.v1",
    name: "write",
    description: "Writes.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { n: "string" },
    execute: () => ++effects,
  });
  const faults: [unknown, unknown][] = [];
  const events: RouterEvent[] = [];
  const store = await openSqlite({ file, lockTimeoutMs: 200, ...(driver === undefined ? {} : { driver }) });
  const router = createRouter({
    capabilities: [write],
    store,
    times: { leaseMs: lease },
    onError: (error, facts) => void faults.push([(error as { code?: string }).code, facts]),
  });
  router.subscribe((event) => {
    if (event.type === "store.failed") events.push(event);
  });
  ends.push(async () => {
    await router.close({ graceMs: 10 });
    await store.close();
  });
  const call = async (key: string): Promise<string> =>
    endOf(await callOnce(router, "cap.x.write.v1", { n: "1" }, { key }));
  return { router, call, faults, events };
}

const all = ["", "-wal", "-shm"];
const remove = (file: string, parts = all): void => {
  for (const part of parts) rmSync(file + part, { force: true });
};

describe("a router whose file is gone from its path", () => {
  it.each([
    ["deleted, with all that belongs to it", (file: string) => remove(file)],
    ["deleted alone", (file: string) => remove(file, [""])],
    ["left without its write-ahead log", (file: string) => remove(file, ["-wal"])],
    ["left without its index", (file: string) => remove(file, ["-shm"])],
    ["moved away", (file: string) => renameSync(file, `${file}.old`)],
  ])("takes no more writes and says so: %s", async (_name, spoil) => {
    const file = newFile();
    const { router, call, faults, events } = await start(file);
    expect(await call("key-1")).toBe("SUCCESS");
    expect(await router.ready()).toBeUndefined();
    const before = effects;
    spoil(file);
    expect(await router.ready()).toBe("the store was deleted or replaced while it was open");
    expect(await call("key-2")).toBe("TRP_5003");
    expect(effects).toBe(before);
    expect(faults).toContainEqual(["trp/store-replaced", { operation: "sessions.create" }]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "store.failed", operation: "ping", code: "trp/store-replaced" }),
    );
    expect(JSON.stringify(faults)).not.toContain("key-2");
  });

  it("lets a second one on the new file do what it refused, once", async () => {
    const file = newFile();
    const one = await start(file);
    await one.call("key-1");
    remove(file);
    expect(await one.call("key-2")).toBe("TRP_5003");
    const before = effects;
    const two = await start(file);
    expect(await two.call("key-2")).toBe("SUCCESS");
    expect(await one.call("key-2")).toBe("TRP_5003");
    expect([await one.router.ready(), await two.router.ready()]).toEqual([
      expect.stringContaining("replaced"),
      undefined,
    ]);
    expect(effects).toBe(before + 1);
  });

  it("does not report what it committed while the file was taken away", async () => {
    const file = newFile();
    const { router, call } = await start(file, 300);
    await call("key-1");
    const { start: begin } = router.store.operations;
    // The moment between the commit of a start and its effect.
    router.store.operations.start = async (...given) => {
      const started = await begin(...given);
      remove(file);
      return started;
    };
    const before = effects;
    expect(await call("key-2")).toBe("UNKNOWN");
    expect(effects).toBe(before + 1);
    expect(await call("key-3")).toBe("TRP_5003");
  });

  it("goes on by itself when the file is put back", async () => {
    const file = newFile();
    const { router, call } = await start(file);
    await call("key-1");
    for (const part of all) if (existsSync(file + part)) renameSync(file + part, `${file}.away${part}`);
    expect(await call("key-2")).toBe("TRP_5003");
    for (const part of all) if (existsSync(`${file}.away${part}`)) renameSync(`${file}.away${part}`, file + part);
    expect(await router.ready()).toBeUndefined();
    expect(await call("key-2")).toBe("SUCCESS");
  });
});

describe("a router whose file was changed in place", () => {
  it("takes no writes into another store that was copied over it", async () => {
    const [file, other] = [newFile(), newFile()];
    const second = await start(other);
    await second.call("key-1");
    await ends.pop()?.();
    const { router, call } = await start(file);
    await call("key-1");
    // Whoever closes it brings everything from the log into the file.
    await start(file);
    await ends.pop()?.();
    copyFileSync(other, file);
    const before = effects;
    const why = await router.ready();
    expect(why).toMatch(/^the store (?:was deleted or replaced while it was open|is damaged)$/);
    expect(await call("key-2")).toBe("TRP_5003");
    expect(effects).toBe(before);
  });

  it("takes no more writes once it has found the file damaged", async () => {
    const file = newFile();
    const { router, call } = await start(file);
    for (let count = 0; count < 20; count++) await call(`key-${count}`);
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(statSync(file).size, 7), 0, statSync(file).size, 0);
    remove(file, ["-wal"]);
    expect(await router.ready()).toMatch(/^the store /);
    const before = effects;
    expect(await call("key-x")).toBe("TRP_5003");
    expect(effects).toBe(before);
  });

  it("does not even start on a file with damaged pages", async () => {
    const file = newFile();
    const { call } = await start(file);
    for (let count = 0; count < 50; count++) await call(`key-${count}`);
    await ends.pop()?.();
    const { size } = statSync(file);
    const handle = openSync(file, "r+");
    // Not the header: that would be no database at all.
    for (let at = 8192; at < size; at += 8192) writeSync(handle, Buffer.alloc(4096, 7), 0, 4096, at + 100);
    const fault = await openSqlite({ file }).catch((error: ToolglotError) => error);
    expect(fault).toMatchObject({ code: "trp/store-corrupt" });
    // One line for people, the rest as data.
    const { message, data } = fault as ToolglotError;
    expect(message).toMatch(/ is damaged: .+, the first of \d+ problems\. Restore it from a backup\.$/);
    expect(message).not.toMatch(/\n|\*\*\*/);
    expect((data.problems as string[]).length).toBeGreaterThan(1);
  });
});

it("says that its store is locked while a process that was stopped in a transaction holds the lock, and goes on after it", async () => {
  const file = newFile();
  const { router, call, faults } = await start(file);
  expect(await call("key-1")).toBe("SUCCESS");
  const before = effects;
  const stopped = (await chooseDriver(driver)).open(file);
  stopped.exec("BEGIN IMMEDIATE");
  // A pulse that was just committed is good for a second.
  await expect.poll(() => router.ready(), { timeout: 60_000 }).toBe("the store is locked by another process");
  expect(await call("key-2")).toBe("TRP_5003");
  expect(faults.map(([code]) => code)).toContain("trp/store-busy");
  expect(effects).toBe(before);
  stopped.exec("ROLLBACK");
  stopped.close();
  expect(await router.ready()).toBeUndefined();
  expect(await call("key-2")).toBe("SUCCESS");
  expect(effects).toBe(before + 1);
});

it("answers for its store by /readyz, in its own log, and once for what comes again and again", async () => {
  const file = newFile();
  const { router } = await start(file);
  const lines: string[] = [];
  const server = await serveHttp(router, {
    authenticate: () => principal({ id: "p" }),
    log: (line) => void lines.push(line),
  });
  const ready = async () => {
    const response = await fetch(new URL("/readyz", server.url));
    return [response.status, await response.json()];
  };
  try {
    expect(await ready()).toEqual([200, { status: "ready" }]);
    remove(file);
    const reason = "the store was deleted or replaced while it was open";
    for (let count = 0; count < 3; count++) expect(await ready()).toEqual([503, { status: "unready", reason }]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`the store failed at ping: trp/store-replaced ${file}`);
  } finally {
    await server.close(10);
  }
});
