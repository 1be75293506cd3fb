import { expect, it } from "vitest";
import { codeTools, sandboxExecutor } from "../../src/node/index.ts";
import { addTool, tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

const sandbox = sharedSandbox("python", { style: "notebook", tools: [addTool] });
const unguarded = sharedSandbox("python", { style: "notebook", guard: false });

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

it("should give a program its files, and give back those that it made or changed, with what they are", async () => {
  const run = await sandbox.run(
    `
from pathlib import Path
text = open("in/sales.csv").read()
Path("charts").mkdir()
Path("charts/a.dat").write_bytes(Path("dot.png").read_bytes() + b" ")
Path("b.svg").write_text("<?xml version='1.0'?>\\n<svg xmlns='http://www.w3.org/2000/svg'/>")
Path("c.json").write_text("{}")
Path("d").write_bytes(bytes(range(10)))
Path("big.bin").write_bytes(bytes(9_000_000))
Path("note.txt").write_text("changed")
Path("gone.txt").unlink()
text`,
    {
      files: [
        { path: "in/sales.csv", data: "é,1" },
        { path: "/mnt/data/dot.png", data: new Uint8Array(png) },
        { path: "note.txt", data: "as it was" },
        { path: "gone.txt", data: "" },
      ],
    },
  );
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  expect(run.value).toBe("é,1");
  expect(run.files?.map(({ path, bytes, mediaType, data }) => [path, bytes, mediaType, data?.length])).toEqual([
    ["b.svg", 63, "image/svg+xml", 63],
    ["big.bin", 9_000_000, "application/octet-stream", undefined],
    ["c.json", 2, "application/json", 2],
    ["charts/a.dat", png.length + 1, "image/png", png.length + 1],
    ["d", 10, "application/octet-stream", 10],
    ["note.txt", 7, "text/plain", 7],
  ]);
  expect(Buffer.from(run.files?.[5]?.data ?? []).toString()).toBe("changed");
});

it("should refuse files that can't be given", async () => {
  for (const [files, words] of [
    [[{ path: "../x", data: "" }], "../x"],
    [[{ path: "/etc/passwd", data: "" }], "/etc/passwd"],
    [[{ path: "a//b", data: "" }], "a//b"],
    [[{ path: "a", data: 1 }], "Uint8Array"],
    [
      [
        { path: "a", data: "" },
        { path: "/mnt/data/a", data: "" },
      ],
      "two",
    ],
    [[{ path: "a", data: new Uint8Array(33 * 1024 * 1024) }], "32 MiB"],
    ["a", "array"],
  ] as const) {
    await expect(sandbox.run("1", { files: files as never })).rejects.toThrow(words);
  }
  await expect(sandbox.run("1", { style: "attp", files: [] })).rejects.toThrow('style: "notebook"');
  await expect(sandbox.run("1", { style: "script" as never })).rejects.toThrow('"attp" or "notebook"');
});

it("should let nothing be written outside of /mnt/data, also without the guard and by the engine's own calls", async () => {
  const run = await unguarded.run(`
import os, errno
os.symlink("/lib", "outside")
stdlib = next(path for path in __import__("sys").path if path.endswith(".zip"))
def attempt(name, go):
    try:
        go()
        return [name, "done"]
    except OSError as error:
        return [name, errno.errorcode[error.errno]]
__result__ = [attempt(name, go) for name, go in {
    "create": lambda: open("/tmp/a", "w"), "append": lambda: open(stdlib, "ab"), "cut": lambda: open(stdlib, "wb"),
    "change": lambda: open(stdlib, "r+b"), "through a link": lambda: open("outside/x", "w"), "os.truncate": lambda: os.truncate(stdlib, 0),
    "folder": lambda: os.mkdir("/tmp/b"), "remove": lambda: os.remove(stdlib), "rmdir": lambda: os.rmdir("/tmp"), "rename away": lambda: os.rename(stdlib, "/mnt/data/x"),
    "link": lambda: os.symlink("/mnt/data", "/tmp/c"), "mode": lambda: os.chmod(stdlib, 0o777),
    "times": lambda: os.utime(stdlib, (0, 0)), "device": lambda: os.remove("/dev/null"),
    "move into": lambda: os.rename("/mnt/data/outside", "/tmp/e"),
}.items()]
open("inside.txt", "w").write("x")
__result__.append(open("inside.txt").read())`);
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  const outcomes = run.value as [string, string][];
  expect(outcomes.at(-1)).toBe("x");
  expect(outcomes.slice(0, -1).filter(([, what]) => what !== "EROFS")).toEqual([]);
});

it("should limit what all files take together, and their number", async () => {
  const run = await sandbox.run(`
import os
part = bytes(8_000_000)
made = 0
try:
    for n in range(9):
        with open(f"{n}", "wb") as f:
            f.write(part)
        made += 1
except OSError as error:
    full = type(error).__name__
for name in os.listdir():
    os.remove(name)
open("again", "wb").write(part)
os.remove("again")
count = 0
try:
    for n in range(20_000):
        open(f"n{n}", "w").close()
        count += 1
except OSError:
    pass
for name in os.listdir():
    os.remove(name)
[made, full, count]`);
  expect(run.status === "ok" ? [run.value, run.files] : run.error).toEqual([[4, "OSError", 10_000], undefined]);
});

it("should give files to a model as content: pictures as pictures, short text as text", async () => {
  const code = `
open("dot.png", "wb").write(bytes.fromhex("${png.toString("hex")}"))
open("t.csv", "w").write("a,b\\n")
7`;
  const context = {
    ...{ runId: "r", signal: new AbortController().signal, emit: () => {} },
    approve: async () => ({ approved: false }) as const,
  };
  const action = { kind: "code", id: "a", language: "python", source: code } as const;
  const [result] = await sandboxExecutor(sandbox).execute(action as never, context as never);
  const blocks = [
    { type: "text", text: 'Files in /mnt/data: "dot.png" (image/png, 69 bytes), "t.csv" (text/csv, 4 bytes)' },
    { type: "image", mediaType: "image/png", data: png.toString("base64") },
    { type: "resource", uri: "file:///mnt/data/t.csv", mediaType: "text/csv", title: "t.csv", text: "a,b\n" },
  ];
  expect(result?.content).toEqual([{ type: "text", text: "7" }, ...blocks]);
  const [python] = codeTools(sandbox);
  expect(python?.description).toContain("/mnt/data");
  const given = await python?.execute({ code }, { callId: "c", signal: context.signal } as never);
  expect(given).toEqual([{ type: "text", text: JSON.stringify({ value: 7, logs: [] }) }, ...blocks]);
});

it("should keep at most 16 calls in flight, started in the program's order", async () => {
  let flying = 0;
  let most = 0;
  let openGate = (): void => {};
  // No call ends before sixteen are in flight, however long that takes here; a seventeenth would then have its time.
  const gate = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  const order: number[] = [];
  const wait = tool("wait", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    order.push(n);
    most = Math.max(most, ++flying);
    if (flying === 16) setTimeout(openGate, 100);
    await gate;
    flying--;
    return n;
  });
  const run = await sandbox.run(
    `
import asyncio
async def one(n):
    return await wait(n)
found = await asyncio.gather(*[wait(n) for n in range(30)], one(30))
found + [wait(31), await wait(32)]`,
    { tools: [wait] },
  );
  expect(run.status === "ok" ? run.value : run.error).toEqual([...Array(33).keys()]);
  expect(order).toEqual([...Array(33).keys()]);
  expect(most).toBe(16);
  expect(run.toolCalls.map(({ args }) => args.n)).toEqual(order);
});
