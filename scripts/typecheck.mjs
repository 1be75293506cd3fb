// Type-checks the workspace, sources and tests apart: a package for browsers must compile without Node's types, its tests
// need them. All that have the same types are checked together, because they share most of what they import. What TypeScript 6
// says counts where users have it: `consumer` gives it each package's declarations and programs.
//   node scripts/typecheck.mjs [folder …]      each folder's own configurations
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
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

/** Sources for any platform, but for those beside a peer whose declarations may bring in Node's types; and sources for Node. */
const sources = { any: /** @type {string[]} */ ([]), node: /** @type {string[]} */ ([]) };
for (const { folder, manifest } of wanted.length === 0 ? workspaceMembers() : []) {
  if (!apart.includes(`${folder}/tsconfig.json`)) continue;
  const text = readFileSync(join(root, folder, "tsconfig.json"), "utf8");
  if (text.includes('"types": ["node"]')) sources.node.push(folder);
  else if (manifest.peerDependencies === undefined) sources.any.push(folder);
}
const eventsource = /** @type {string} */ (
  /"(\.[^"]*eventsource[^"]*d\.ts)"/.exec(readFileSync(join(root, TOGETHER), "utf8"))?.[1]
);
const together = Object.entries(sources).map(([name, folders]) => {
  const file = join(cache, `sources.${name}.json`);
  const compilerOptions = { types: name === "node" ? ["node"] : [], paths: { eventsource: [join(root, eventsource)] } };
  const include = folders.flatMap((folder) => [`${root}/${folder}/src`, `${root}/${folder}/tsup.config.ts`]);
  writeFileSync(file, JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include }));
  return file;
});
const covered = new Set(
  Object.values(sources).flatMap((folders) => folders.map((folder) => `${folder}/tsconfig.json`)),
);
const projects = wanted.length === 0 ? [TOGETHER, ...together, ...apart.filter((name) => !covered.has(name))] : apart;

let failed = 0;
// The longest first.
const queue = [...projects];
const worker = async () => {
  for (let project = queue.shift(); project !== undefined; project = queue.shift()) {
    const memory = `${basename(project) === "tsconfig.json" ? project.replaceAll("/", "+") : basename(project)}.tsbuildinfo`;
    const { code, output, seconds } = await run(process.execPath, [
      ...fastest.args,
      ...["-p", project, "--noEmit", "--pretty", "false"],
      ...["--incremental", "--tsBuildInfoFile", join(cache, memory)],
    ]);
    console.log(`${code === 0 ? "✓" : "✗"} ${project.replace(`${cache}/`, "")}  ${seconds.toFixed(1)} s`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
console.log(`${projects.length - failed} of ${projects.length} compile`);
process.exitCode = failed > 0 ? 1 : 0;
