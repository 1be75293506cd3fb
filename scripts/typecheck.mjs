// Type-checks every tsconfig*.json of the workspace, sources and tests apart: a package for browsers must compile
// without Node's types, its tests need them. Run: node scripts/typecheck.mjs [folder …]
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root, run, workspaceMembers } from "./lib/workspace.mjs";

const cache = join(root, "node_modules/.cache/typecheck");
mkdirSync(cache, { recursive: true });

const wanted = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ""));
const projects = [...workspaceMembers().map((member) => member.folder), "scripts"]
  .filter((folder) => wanted.length === 0 || wanted.includes(folder))
  .flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /^tsconfig.*\.json$/.test(name))
      // A test configuration whose tests aren't written yet has the sources only, which the other one has too.
      .filter((name) => name !== "tsconfig.test.json" || existsSync(join(root, folder, "test")))
      .map((name) => `${folder}/${name}`),
  );

let failed = 0;
const queue = [...projects];
const worker = async () => {
  for (let project = queue.shift(); project !== undefined; project = queue.shift()) {
    const memory = join(cache, project.replaceAll("/", "+").replace(/json$/, "tsbuildinfo"));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const args = [
      compiler,
      "-p",
      project,
      "--noEmit",
      "--pretty",
      "false",
      "--incremental",
      "--tsBuildInfoFile",
      memory,
    ];
    const { code, output, seconds } = await run(process.execPath, args);
    console.log(`${code === 0 ? "✓" : "✗"} ${project}  ${seconds.toFixed(1)} s`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
console.log(`${projects.length - failed} of ${projects.length} projects compile`);
process.exitCode = failed > 0 ? 1 : 0;
