// Type-checks the workspace, sources and tests apart: a package for browsers must compile without Node's types, its tests
// need them. Sources are checked package by package; all tests together, because they share most of what they import. What TypeScript 6
// says counts where users have it: `consumer` gives it each package's declarations and programs.
//   node scripts/typecheck.mjs [folder …]      each folder's own configurations
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fastest } from "./lib/compilers.mjs";
import { root, run, workspaceMembers } from "./lib/workspace.mjs";

const cache = join(root, "node_modules/.cache/typecheck");
mkdirSync(cache, { recursive: true });

const wanted = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ""));
const TOGETHER = "tsconfig.tests.json";
/** Whether the program of all tests has the files of a configuration too. @param {string} folder @param {string} name */
function isTogether(folder, name) {
  const text = readFileSync(join(root, folder, name), "utf8");
  // Those of sources ask for declarations; the scripts are JavaScript.
  return wanted.length === 0 && /"isolatedDeclarations": false/.test(text) && !/"checkJs": true/.test(text);
}

const apart = [...workspaceMembers().map((member) => member.folder), "scripts"]
  .filter((folder) => wanted.length === 0 || wanted.includes(folder))
  .flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /^tsconfig.*\.json$/.test(name) && !isTogether(folder, name))
      // A test configuration whose tests aren't written yet has the sources only, which the other one has too.
      .filter((name) => name !== "tsconfig.test.json" || existsSync(join(root, folder, "test")))
      .map((name) => `${folder}/${name}`),
  );
const projects = wanted.length === 0 ? [TOGETHER, ...apart] : apart;

let failed = 0;
// The longest first.
const queue = [...projects];
const worker = async () => {
  for (let project = queue.shift(); project !== undefined; project = queue.shift()) {
    const memory = `${project.replaceAll("/", "+").replace(/json$/, "")}tsbuildinfo`;
    const { code, output, seconds } = await run(process.execPath, [
      ...fastest.args,
      ...["-p", project, "--noEmit", "--pretty", "false"],
      ...["--incremental", "--tsBuildInfoFile", join(cache, memory)],
    ]);
    console.log(`${code === 0 ? "✓" : "✗"} ${project}  ${seconds.toFixed(1)} s`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
console.log(`${projects.length - failed} of ${projects.length} compile`);
process.exitCode = failed > 0 ? 1 : 0;
