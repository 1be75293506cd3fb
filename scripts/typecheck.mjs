// Type-checks the workspace, sources and tests apart: a package for browsers must compile without Node's types, its tests
// need them. Sources are checked package by package; all tests together, because they share most of what they import. With
// TOOLGLOT_REQUIRE_ALL=1 TypeScript 6 checks that program, too: all sources are in it, and `consumer` gives it each package's declarations.
//   node scripts/typecheck.mjs [folder …]      each folder's own configurations
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compilers, fastest } from "./lib/compilers.mjs";
import { root, run, workspaceMembers } from "./lib/workspace.mjs";

const cache = join(root, "node_modules/.cache/typecheck");
mkdirSync(cache, { recursive: true });

const wanted = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ""));
const TOGETHER = "tsconfig.tests.json";
/** Whether the program of all tests has the files of a configuration too. @param {string} folder @param {string} name */
function isTogether(folder, name) {
  const text = readFileSync(join(root, folder, name), "utf8");
  // Those of sources ask for declarations; the scripts are JavaScript.
  return wanted.length === 0 && /"isolatedDeclarations": false/.test(text) && !/"allowJs": true/.test(text);
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
const compilations = compilers.flatMap((compiler) =>
  projects
    .filter((project) => wanted.length > 0 || project === TOGETHER || compiler === fastest)
    .map((project) => ({ compiler, project })),
);
// The longest first.
const queue = [...compilations].sort(
  (one, other) => Number(other.project === TOGETHER) - Number(one.project === TOGETHER),
);
const worker = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { compiler, project } = next;
    const memory = `${project.replaceAll("/", "+").replace(/json$/, "")}${compiler.name.at(-1)}.tsbuildinfo`;
    const { code, output, seconds } = await run(process.execPath, [
      ...compiler.args,
      ...["-p", project, "--noEmit", "--pretty", "false"],
      ...["--incremental", "--tsBuildInfoFile", join(cache, memory)],
    ]);
    console.log(`${code === 0 ? "✓" : "✗"} ${project}, ${compiler.name}  ${seconds.toFixed(1)} s`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
console.log(`${compilations.length - failed} of ${compilations.length} compile`);
process.exitCode = failed > 0 ? 1 : 0;
