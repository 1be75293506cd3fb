// Checks that imports follow the table in lib/architecture.mjs, and prints the table. Run: node scripts/check-arrows.mjs
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { architecture } from "./lib/architecture.mjs";
import { checkManifest, checkSources, checkTable, describeTable, packageOf } from "./lib/arrows.mjs";
import { findCircles } from "./lib/circles.mjs";
import { findImports } from "./lib/imports.mjs";
import { root, workspaceMembers } from "./lib/workspace.mjs";

/** @param {string} folder @returns {import("./lib/arrows.mjs").File[]} */
function sourceFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](node_modules|dist|__fixtures__)[\\/]/.test(path))
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), source: readFileSync(path, "utf8") }));
}

const members = workspaceMembers();

/**
 * What an entry of a package for all brings with it from npm: it is built into those who import it, and is their dependency.
 * @param {string} specifier @returns {string[]}
 */
function broughtBy(specifier) {
  const owner = members.find(({ id, manifest }) => architecture[id]?.forAll && manifest.name === packageOf(specifier));
  const entry = owner?.manifest.exports?.[`.${specifier.slice(owner.manifest.name.length)}`];
  if (owner === undefined || typeof entry !== "string" || entry === "./src/index.ts") return [];
  const path = join(owner.path, entry);
  return findImports(path, readFileSync(path, "utf8"))
    .map(({ specifier: inner }) => inner)
    .filter((inner) => !/^(\.|node:)/.test(inner))
    .map(packageOf);
}
const problems = checkTable(architecture);
let fileCount = 0;
let importCount = 0;
let circleCount = 0;

for (const member of members) {
  const row = architecture[member.id];
  const wholeFolder = row?.mayImport === "everything";
  const shipped = wholeFolder
    ? sourceFiles(member.path)
    : ["src", "guest"].flatMap((folder) => sourceFiles(join(member.path, folder)));
  const result = checkSources(member, shipped, architecture, members);
  problems.push(...result.problems);
  for (const circle of findCircles(shipped)) {
    circleCount += 1;
    problems.push({
      where: circle.join(", "),
      problem: "import each other in a circle",
      cure: "move what both need, also a type, to a third file below them",
    });
  }
  fileCount += shipped.length;
  importCount += result.imports;
  if (row === undefined) continue;
  const tests = sourceFiles(join(member.path, "test"));
  const usedByTests = new Set(
    tests
      .flatMap((file) => findImports(file.path, file.source))
      .map(({ specifier }) => specifier)
      .filter((specifier) => !/^(\.|node:)/.test(specifier))
      .map(packageOf),
  );
  // A private member's tests are among its sources.
  const brought = shipped.flatMap(({ path, source }) =>
    findImports(path, source).flatMap(({ specifier }) => broughtBy(specifier)),
  );
  // What is taken in of ours needs what it needed.
  const takenIn = members.filter(({ manifest }) => row.bundled?.includes(manifest.name));
  brought.push(...takenIn.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {})));
  const usedBySource = wholeFolder ? new Set() : new Set([...result.used, ...brought]);
  const usedElsewhere = wholeFolder ? result.used : usedByTests;
  problems.push(...checkManifest(member, usedBySource, usedElsewhere, row, architecture));
}
for (const id of Object.keys(architecture)) {
  if (members.some((member) => member.id === id)) continue;
  problems.push({ where: "scripts/lib/architecture.mjs", problem: `row "${id}" has no package`, cure: "drop the row" });
}

console.log("Who may import whom (runs in: any = browsers too; the table is scripts/lib/architecture.mjs):\n");
console.log(describeTable(architecture).join("\n"));
console.log(
  `\n${importCount} imports in ${fileCount} files of ${members.length} members checked; ${circleCount} circles.`,
);
for (const { where, problem, cure } of problems) console.error(`\n✗ ${where} ${problem}\n    cure: ${cure}`);
if (problems.length > 0) {
  console.error(
    `\n${problems.length} wrong arrow${problems.length === 1 ? "" : "s"}. Why arrows: docs/architecture.md`,
  );
  process.exitCode = 1;
}
