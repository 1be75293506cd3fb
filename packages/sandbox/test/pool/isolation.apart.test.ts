import { spawn } from "node:child_process";
import { accessSync, chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, afterEach, expect, it } from "vitest";
import { startChild } from "../../src/node/python/child-guest.ts";
import { decodeFrame, FrameDecoder } from "../../src/node/python/frames.ts";
import { findConfinement } from "../../src/node/python/isolation.ts";
import { pythonSandbox } from "../own-sandbox.ts";

const root = mkdtempSync(join(tmpdir(), "toolglot-isolation-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const realPath = process.env.PATH;
afterEach(() => {
  process.env.PATH = realPath;
});

const probe = fileURLToPath(new URL("./confined/probe.mjs", import.meta.url));
const killedHost = fileURLToPath(new URL("./confined/host.mjs", import.meta.url));

/** A PATH with one folder that has these programs and nothing else. */
function pathWith(programs: Record<string, string>): string {
  const folder = mkdtempSync(join(root, "path-"));
  for (const [name, content] of Object.entries(programs)) {
    if (content.startsWith("/")) symlinkSync(content, join(folder, name));
    else {
      writeFileSync(join(folder, name), content);
      chmodSync(join(folder, name), 0o755);
    }
  }
  return folder;
}

/** Where the system has a program, if it does. */
function onPath(name: string): string | undefined {
  return (realPath ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });
}

/** What the probe says when it is started behind these words. */
async function runProbe(before: readonly string[], port: number): Promise<Record<string, unknown>> {
  const [file = "", ...args] = [...before, process.execPath, probe, String(port)];
  const { child, fromChild, toChild } = startChild({ file, args, init: {} });
  const decoder = new FrameDecoder(100_000);
  try {
    for await (const chunk of fromChild as AsyncIterable<Buffer>) {
      for (const body of decoder.push(chunk)) return { ...decodeFrame(body), ownPid: child.pid };
    }
    throw new Error("the probe said nothing");
  } finally {
    child.kill("SIGKILL");
    toChild.destroy();
  }
}

/** Whether a process is gone, or only its parent hasn't looked yet. */
function stopped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, "").startsWith(" Z");
  } catch {
    return true;
  }
}

it("should keep a child whose network nobody removed from the host's, or say why it can't", async () => {
  const server = createServer((socket) => socket.on("error", () => {}).end("secret"));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  try {
    const open = await runProbe([], port);
    expect(open).toMatchObject({ reached: "read secret", environment: [] });
    const { isolation, before, reason } = await findConfinement([probe], realPath);
    if (isolation === "process") {
      expect(reason).toMatch(/\w/);
      return;
    }
    const confined = await runProbe(before, port);
    expect(confined).toMatchObject({ reached: "ENETUNREACH", interfaces: [], devices: ["lo"], environment: [] });
    expect(confined).toMatchObject({ capabilities: "0000000000000000" });
    // The child is the very process that was started: killing it needs no go-between.
    expect(confined.pid).toBe(confined.ownPid);
    if (before.some((word) => word.endsWith("/setpriv"))) expect(confined).toMatchObject({ noNewPrivileges: "1" });
  } finally {
    server.close();
  }
});

it("should let no confined child outlive a host that is killed, whatever the child does", async () => {
  const { before } = await findConfinement([probe], realPath);
  if (!before.some((word) => word.endsWith("/setpriv"))) return;
  const host = spawn(process.execPath, [killedHost, JSON.stringify(before)], {
    stdio: ["ignore", "pipe", 2],
  });
  const pid = await new Promise<number>((resolve) => {
    host.stdout?.once("data", (data) => resolve(Number(String(data))));
  });
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toContain("for (;;)");
  host.kill("SIGKILL");
  await expect.poll(() => stopped(pid), { timeout: 600_000 }).toBe(true);
});

it.for(["auto", "process", "namespace"] as const)(
  "should say in its stats what a run of %s ran in",
  async (isolation, context) => {
    leftToCi(context, isolation !== "namespace");
    const best = (await findConfinement([probe], realPath)).isolation;
    const program = "__result__ = [1 + 1, random.random() < 1, str(datetime(2024, 1, 1))]";
    const value = [2, true, "2024-01-01 00:00:00"];
    if (isolation === "namespace" && best !== "namespace") return;
    await using sandbox = pythonSandbox({ isolation, pool: { size: 0 } });
    const expected = isolation === "process" ? "process" : best;
    expect(await sandbox.run(program)).toMatchObject({ status: "ok", value, stats: { isolation: expected } });
    expect(sandbox.stats()).toMatchObject({ isolation: expected, failed: 0 });
    const stop = new AbortController();
    const endless = sandbox.run("print('go')\nwhile True:\n    pass", {
      signal: stop.signal,
      onLog: () => stop.abort(),
    });
    expect(await endless).toMatchObject({ error: { type: "Aborted" }, logs: [{ text: "go" }] });
  },
);

it("should go without where there is no unshare, and say so, and refuse where it is required", async (context) => {
  leftToCi(context);
  process.env.PATH = pathWith({});
  await using sandbox = pythonSandbox({ pool: { size: 0 } });
  const warnings = ['the wall "namespace" is missing: the system gave it no namespaces'];
  const run = await sandbox.run("__result__ = 1");
  expect(run).toMatchObject({ value: 1, stats: { isolation: "process", warnings } });
  expect(sandbox.stats()).toMatchObject({ missingWalls: ["namespace"] });
  await using required = pythonSandbox({ isolation: "required" });
  await expect(required.warm()).rejects.toMatchObject({
    cause: { message: 'isolation "required" is not possible here: unshare (util-linux) is not on the PATH' },
  });
  await using strict = pythonSandbox({ isolation: "namespace" });
  await expect(strict.warm()).rejects.toMatchObject({
    code: "sandbox/engine-start-failed",
    cause: { message: 'isolation "namespace" is not possible here: unshare (util-linux) is not on the PATH' },
  });
  expect(await strict.run("__result__ = 1")).toMatchObject({
    error: { type: "EngineFailure", message: expect.stringContaining("unshare") },
  });
  expect(strict.stats()).toMatchObject({ idle: 0, running: 0, isolation: "process" });
});

it("should find every wall where they all stand, and run nothing where one that is required is missing", async (context) => {
  leftToCi(context);
  const { isolation } = await findConfinement([probe], realPath);
  if (isolation === "namespace") {
    await using all = pythonSandbox({ isolation: "required", pool: { size: 0 } });
    expect(await all.run("__result__ = 1")).toMatchObject({ value: 1, stats: { isolation, warnings: [] } });
    expect(all.stats()).toMatchObject({ missingWalls: [], failed: 0 });
  }
  // A runtime that takes the flags and does not know them, as Bun is: Node behind a script that leaves them out.
  const node = process.execPath;
  const careless = join(
    pathWith({
      node: `#!/bin/sh\nfor word do shift; case $word in --*) ;; *) set -- "$@" "$word" ;; esac; done\nexec ${node} "$@"\n`,
    }),
    "node",
  );
  try {
    process.execPath = careless;
    await using plain = pythonSandbox({ isolation: "process", pool: { size: 0 } });
    const run = await plain.run("__result__ = 1");
    expect(plain.stats().missingWalls).toEqual(["files", "processes", "code", "memory"]);
    expect(run.stats.warnings.map((warning) => /^the wall "(\w+)" is missing: /.exec(warning)?.[1])).toEqual([
      ...["files", "processes", "code", "memory"],
    ]);
    await using strict = pythonSandbox({ isolation: "required", pool: { size: 0 } });
    const refused = await strict.run("__result__ = 1");
    expect(refused).toMatchObject({ status: "error", error: { type: "EngineFailure" } });
    expect(refused).toMatchObject({
      error: { message: expect.stringMatching(/isolation "required" is not possible/) },
    });
    expect(strict.stats().served).toBe(0);
  } finally {
    process.execPath = node;
  }
});

it("should go without where unshare fails, or the engine's files can't be read behind it", async () => {
  const failing = pathWith({ unshare: "#!/bin/sh\necho unshare: Operation not permitted >&2\nexit 1\n" });
  expect(await findConfinement([probe], failing)).toEqual({
    isolation: "process",
    before: [],
    reason: expect.stringMatching(/Operation not permitted/),
  });
  expect(await findConfinement([join(root, "absent")], realPath)).toMatchObject({
    isolation: "process",
    reason: expect.stringMatching(/\w/),
  });
});

it("should do without setpriv when only that is absent, and try once", async () => {
  const unshare = onPath("unshare");
  const path = pathWith(unshare === undefined ? {} : { unshare });
  const first = findConfinement([probe], path);
  expect(findConfinement([probe], path)).toBe(first);
  const { before } = await first;
  expect(before.some((word) => word.includes("setpriv"))).toBe(false);
  if ((await findConfinement([probe], realPath)).isolation === "namespace") {
    expect(before[0]).toBe(join(path, "unshare"));
  }
});

it("should refuse options that make no sense", () => {
  const make = (more: object) => () => pythonSandbox({ ...more });
  expect(make({ isolation: "container" })).toThrow(TypeError);
  expect(make({ pool: { maxWaiting: -1 } })).toThrow("pool.maxWaiting must be a whole number from 0 to 1000000");
  expect(make({ pool: { size: 65 } })).toThrow(TypeError);
  expect(make({ pool: { maxConcurrency: 0 } })).toThrow(TypeError);
});
