import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { leftToCi } from "@toolglot/internal/testing";
import { build } from "esbuild";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("ai 7, on the Node that it needs, does all that ai 6 does", { timeout: 300_000 }, async (context) => {
  leftToCi(context);
  const folder = mkdtempSync(join(tmpdir(), "toolglot-ai7-"));
  try {
    const node = `node-${process.platform}-${process.arch}`;
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", ["install", ...flags, "ai@7.0.173", `${node}@22`], { cwd: folder });
    await build({
      entryPoints: [join(import.meta.dirname, "support/run-matrix.ts")],
      outfile: join(folder, "run-matrix.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      conditions: ["source"],
      external: ["ai"],
    });
    const { stdout } = await run(join(folder, "node_modules", node, "bin/node"), ["run-matrix.mjs", "v4"], {
      cwd: folder,
    });
    const { count, failed } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(100);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
