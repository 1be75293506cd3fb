import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { Canary } from "../../canary.ts";

// The engine is the boundary. What is tested here is the thread around it: that it is of little use to who stands in it.
it("should leave nothing that works to a program that is in the thread itself", async () => {
  const canary = new Canary();
  await canary.open();
  const { secret, mark, port } = canary;
  // A module, so that importing it would run into it.
  const file = join(canary.folder, "canary.mjs");
  writeFileSync(file, `export default ["${secret}`);

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
  const [marked, kept] = [existsSync(mark), readFileSync(file, "utf8")];
  canary.close();

  const reached = Object.entries(outcomes).filter(([, text]) => text.includes(secret) || text.includes("REACHED"));
  expect(reached.map(([name]) => name)).toEqual([]);
  expect(marked).toBe(false);
  expect(kept).toContain(secret);
  expect(canary.connections).toBe(0);
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
