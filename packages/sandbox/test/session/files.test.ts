import { memoryStorage } from "@toolglot/core/storage";
import { describe, expect, it } from "vitest";
import type { SandboxSession } from "../../src/node/index.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { key, outcomeOf, value } from "./support.ts";

const sandbox = sharedSandbox("python");
const options = { domain: "tests", style: "notebook" } as const;

/** The session in an interpreter that has nothing of it. */
async function moved(session: SandboxSession): Promise<SandboxSession> {
  await session.close();
  return await sandbox.resumeSession(session.id, options);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("files of a session", () => {
  it("stay from program to program, in any interpreter, and only what changed is told", async () => {
    await using session = await sandbox.openSession(options);
    const first = await session.run(
      "import os\nos.makedirs('charts/empty')\nopen('charts/a.txt', 'w').write('a')\nopen('b', 'wb').write(bytes(5000))\nopen('in.csv').read()",
      { files: [{ path: "in.csv", data: "x,1" }] },
    );
    expect(outcomeOf(first)).toBe("x,1");
    expect(first.status === "ok" && first.files?.map(({ path }) => path)).toEqual(["b", "charts/a.txt"]);
    const second = await session.run("open('charts/a.txt', 'a').write('b')\nopen('charts/a.txt').read()");
    expect(outcomeOf(second)).toBe("ab");
    expect(second.status === "ok" && second.files?.map(({ path }) => path)).toEqual(["charts/a.txt"]);
    await using later = await moved(session);
    expect(later.files()).toEqual([
      { path: "b", bytes: 5000, turn: 1 },
      { path: "charts/a.txt", bytes: 2, turn: 2 },
      { path: "in.csv", bytes: 3, turn: 1 },
    ]);
    expect(
      await value(later, "import os\n[sorted(os.listdir()), os.listdir('charts/empty'), open('b', 'rb').read(2)]"),
    ).toEqual([["b", "charts", "in.csv"], [], "AAA="]);
    expect(text(await later.readFile("/mnt/data/charts/a.txt"))).toBe("ab");
  });

  it("are written and read from outside, also before the first program, and go back by undo and fork", async () => {
    await using session = await sandbox.openSession(options);
    await session.writeFile("data/n.txt", "7");
    expect(session.turn).toBe(1);
    expect(await value(session, "n = int(open('data/n.txt').read())\nn")).toBe(7);
    await session.writeFile("/mnt/data/data/n.txt", new Uint8Array([56]));
    expect(await value(session, "[n, open('data/n.txt').read()]")).toEqual([7, "8"]);
    await using fork = await session.fork({ turn: 1 });
    expect(await value(fork, "open('data/n.txt').read()")).toBe("7");
    await session.undo(2);
    expect(text(await session.readFile("data/n.txt"))).toBe("7");
    expect(await value(session, "[n, open('data/n.txt').read()]")).toEqual([7, "7"]);
    await expect(session.readFile("data/m.txt")).rejects.toThrow("no file");
    await expect(session.writeFile("../n.txt", "")).rejects.toThrow(TypeError);
    for (const path of ["data", "data/n.txt/x"]) {
      await expect(session.writeFile(path, "")).rejects.toThrow("a file and a folder");
    }
  });

  it("are as before a program that was refused or rolled back", async () => {
    await using session = await sandbox.openSession(options);
    await session.writeFile("a", "1");
    const files = [{ path: "b", data: "2" }];
    expect(await session.run("(", { files })).toMatchObject({ error: { type: "SyntaxError" }, turn: 1 });
    expect(await value(session, "import os\nos.listdir()")).toEqual(["a"]);
    const large = await session.run("open('a', 'w').write('2')\n'x' * 2_000_000", { files });
    expect(large).toMatchObject({ error: { type: "ResultTooLarge" }, state: "rolled-back" });
    expect(await value(session, "import os\n[os.listdir(), open('a').read()]")).toEqual([["a"], "1"]);
    await expect(session.run("1", { files, style: "attp" })).rejects.toThrow('style: "notebook"');
  });

  it("are limited together, for programs and for those who write them", async () => {
    await using session = await sandbox.openSession({ ...options, limits: { maxFileBytes: 10_000, maxPrograms: 3 } });
    const full = await session.run(
      "open('a', 'wb').write(bytes(9_000))\nwith open('b', 'wb', buffering=0) as b: b.write(bytes(2_000))",
    );
    expect(full).toMatchObject({ error: { type: "OSError" }, state: "kept" });
    expect(session.files().map(({ path, bytes }) => [path, bytes])).toEqual([
      ["a", 9000],
      ["b", 0],
    ]);
    const tooLarge = { code: "sandbox/session-too-large", data: { bytes: 11_000, max: 10_000 } };
    await expect(session.writeFile("c", new Uint8Array(2000))).rejects.toMatchObject(tooLarge);
    const files = [{ path: "c", data: new Uint8Array(2000) }];
    await expect(session.run("1", { files })).rejects.toMatchObject(tooLarge);
    await session.writeFile("a", "");
    expect(outcomeOf(await session.run("len(open('c', 'rb').read())", { files }))).toBe(2000);
    await expect(session.run("1")).rejects.toMatchObject({ code: "sandbox/session-too-large", data: { turns: 3 } });
  });

  it("do not use up what files may take, however often they are kept", async () => {
    await using session = await sandbox.openSession(options);
    await value(session, "open('a', 'wb').write(bytes(20_000_000))\n1");
    for (let n = 0; n < 2; n++) await value(session, `open('a', 'r+b').write(b'${n}')`);
    expect(session.files()).toMatchObject([{ path: "a", bytes: 20_000_000, turn: 3 }]);
  });

  it("that are left open are closed and written, with a warning, and tasks are cancelled", async () => {
    await using session = await sandbox.openSession(options);
    const run = await session.run(
      `
import asyncio, sqlite3, gzip
kept = open("a.txt", "w")
kept.write("abc")
raw = open("b", "wb", buffering=0)
with open("c", "w") as closed: closed.write("x")
zipped = gzip.open("d.gz", "wt")
zipped.write("z")
database = sqlite3.connect("e.db")
database.execute("create table t(x)")
memory = sqlite3.connect(":memory:")
memory.execute("create table t(x)")
async def main():
    asyncio.create_task(asyncio.sleep(100))
    await asyncio.sleep(0)
await main()
1`,
    );
    expect(outcomeOf(run)).toBe(1);
    expect(run.stats.warnings).toEqual([
      ...["a.txt", "b", "d.gz", "e.db"].map((path) => `file-closed: ${path}`),
      "task-cancelled: 1",
    ]);
    const look = `
import sqlite3, gzip
try:
    kept.write("more")
except ValueError as error:
    told = str(error)
again = sqlite3.connect("e.db")
found = [told, open("a.txt").read(), gzip.open("d.gz", "rt").read(), again.execute("select count(*) from t").fetchall(), memory.execute("select count(*) from t").fetchall()]
again.close()
found`;
    const later = await session.run(look);
    expect(outcomeOf(later)).toEqual(["I/O operation on closed file.", "abc", "z", [[0]], [[0]]]);
    expect(later.stats.warnings).toEqual([]);
  });

  it("lie in the signed image alone", async () => {
    const storage = memoryStorage();
    const session = await sandbox.openSession({ ...options, storage, key });
    await session.writeFile("a", "first");
    await session.close();
    await using other = await sandbox.resumeSession(session.id, { ...options, storage, key });
    expect(await value(other, "open('a').read()")).toBe("first");
  });
});
