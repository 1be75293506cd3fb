import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";

// The engine is the boundary. What is tested here is the thread around it: that it is of little use to who stands in it.
it("should leave nothing that works to a program that is in the thread itself", async () => {
  const secret = `canary-${Math.random().toString(36).slice(2)}-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "toolglot-thread-"));
  const [file, mark] = [join(folder, "canary.mjs"), join(folder, "mark")];
  writeFileSync(file, `export default ["${secret}`);
  process.env.TOOLGLOT_CANARY = secret;
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.end(secret);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;

  const script = new URL("./hostile/hardened.node.mjs", import.meta.url);
  const options = { env: {}, argv: [], execArgv: [], stdout: true, stderr: true };
  const worker = new Worker(script, { ...options, workerData: { file, mark, port } });
  const outcomes = await new Promise<Record<string, string>>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  // What was started may need a moment to show.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await worker.terminate();
  server.close();
  delete process.env.TOOLGLOT_CANARY;
  const [marked, kept] = [existsSync(mark), readFileSync(file, "utf8")];
  rmSync(folder, { recursive: true });

  const reached = Object.entries(outcomes).filter(([, text]) => text.includes(secret) || text.includes("REACHED"));
  expect(reached.map(([name]) => name)).toEqual([]);
  expect(marked).toBe(false);
  expect(kept).toContain(secret);
  expect(connections).toBe(0);
  // Every attempt had its turn.
  expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(50);
});

it.each(["an error", "a rejection", "a later error", "an exit", "what it prints"])(
  "should put nothing on the host's streams, and not end the host: %s",
  (end) => {
    const script = fileURLToPath(new URL("./hostile/hardened-end.mjs", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, end], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  },
);
