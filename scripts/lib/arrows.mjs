// The rules behind check-arrows: pure functions from (members, files, table) to problems, so that they can be tested.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { findImports } from "./imports.mjs";

/**
 * @typedef {import("./architecture.mjs").Row} Row
 * @typedef {Pick<import("./workspace.mjs").Member, "id" | "folder" | "manifest">} Member
 * @typedef {{ path: string, source: string }} File path is relative to the root, with `/`.
 * @typedef {{ where: string, problem: string, cure: string }} Problem
 */

const scope = "@toolglot/";

/**
 * `@scope/name/sub` -> `@scope/name`; `name/sub` -> `name`.
 * @param {string} specifier
 */
export const packageOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/**
 * Files named for Node: `node.ts`, `x.node.ts`, or anything below a folder `node`.
 * @param {string} path
 */
export const isNamedForNode = (path) => /(^|[/.])node(\.m?[jt]s$|\/)/.test(path);

/**
 * Checks one member's shipped sources (`src/`, `guest/`) against its row.
 * @param {Member} member
 * @param {File[]} files
 * @param {Record<string, Row>} table
 * @param {Member[]} members
 * @returns {{ problems: Problem[], imports: number, used: Set<string> }} `used` has the npm packages that were imported.
 */
export function checkSources(member, files, table, members) {
  const row = table[member.id];
  /** @type {Problem[]} */
  const problems = [];
  /** @type {Set<string>} */
  const used = new Set();
  let imports = 0;
  if (row === undefined) {
    problems.push({
      where: member.folder,
      problem: `"${member.id}" has no row in scripts/lib/architecture.mjs`,
      cure: "add one: its job, where it runs, and the fewest arrows it can live with",
    });
    return { problems, imports, used };
  }
  for (const file of files) {
    for (const { specifier, line, typeOnly } of findImports(file.path, file.source)) {
      imports += 1;
      const where = `${file.path}:${line}`;
      if (specifier.startsWith(".")) {
        problems.push(...checkRelative({ member, row, file, specifier, typeOnly, where }));
      } else if (isBuiltin(specifier)) {
        problems.push(...checkBuiltin({ row, file, specifier, where }));
      } else {
        used.add(packageOf(specifier));
        problems.push(...checkPackage({ member, row, specifier, where, table, members }));
      }
    }
  }
  return { problems, imports, used };
}

/**
 * @param {{ member: Member, row: Row, file: File, specifier: string, typeOnly: boolean, where: string }} subject
 * @returns {Problem[]}
 */
function checkRelative({ member, row, file, specifier, typeOnly, where }) {
  const target = posix.join(posix.dirname(file.path), specifier);
  // A test may bundle a process as packages are built, by what lies in the root, start what the scripts start, and use what tests of
  // packages share. What is measured too. A build has what all builds share.
  const isOutside =
    file.path.startsWith(`${member.folder}/test/`) ||
    file.path === `${member.folder}/tsup.config.ts` ||
    member.id === "bench";
  if (isOutside && (!target.includes("/") || /^(scripts\/lib|packages\/[^/]+\/test)\//.test(target))) return [];
  if (!target.startsWith(`${member.folder}/`)) {
    return [
      {
        where,
        problem: `reaches out of its package, to ${target}`,
        cure: "import the other package by its name; what it doesn't export isn't yours",
      },
    ];
  }
  if (row.runsIn === "any" && !typeOnly && isNamedForNode(target) && !isNamedForNode(file.path)) {
    return [
      {
        where,
        problem: `a file for every runtime imports ${specifier}, which is for Node only`,
        cure: `give the Node part its own entry ("./node" in package.json's exports) and let only that import it`,
      },
    ];
  }
  return [];
}

/**
 * @param {{ row: Row, file: File, specifier: string, where: string }} subject
 * @returns {Problem[]}
 */
function checkBuiltin({ row, file, specifier, where }) {
  if (!specifier.startsWith("node:")) {
    return [{ where, problem: `imports "${specifier}" without its prefix`, cure: `write "node:${specifier}"` }];
  }
  if (row.runsIn === "node" || isNamedForNode(file.path)) return [];
  return [
    {
      where,
      problem: `imports ${specifier}, but this package runs in browsers too`,
      cure: "use a web standard, or move it to a file named for it (src/node.ts, src/node/) behind a subpath",
    },
  ];
}

/**
 * @param {{ member: Member, row: Row, specifier: string, where: string, table: Record<string, Row>, members: Member[] }} subject
 * @returns {Problem[]}
 */
function checkPackage({ member, row, specifier, where, table, members }) {
  const name = packageOf(specifier);
  if (name === member.manifest.name) {
    return [{ where, problem: "imports its own package by name", cure: "use a relative import" }];
  }
  const ours = members.find((candidate) => candidate.manifest.name === name);
  if (ours === undefined) {
    if (row.mayImport === "everything" || npmPackages(row).includes(name)) return [];
    return [
      {
        where,
        problem: `imports ${name}, but ${member.id} may use only ${list(npmPackages(row))} from npm`,
        cure: "do without it, or add it to the table in scripts/lib/architecture.mjs and say why",
      },
    ];
  }
  if (row.mayImport !== "everything" && !row.mayImport.includes(ours.id) && table[ours.id]?.forAll !== true) {
    const job = table[ours.id]?.job ?? "no row in the table";
    return [
      {
        where,
        problem: `imports ${name} (${job}), but ${member.id} may import only ${list(row.mayImport)}`,
        cure: "take what you need as an argument, or move the shared part down to core",
      },
    ];
  }
  const subpath = `.${specifier.slice(name.length)}`;
  if (ours.manifest.exports?.[subpath] === undefined) {
    const entries = Object.keys(ours.manifest.exports ?? {}).filter((entry) => entry !== "./package.json");
    return [
      {
        where,
        problem: `imports ${specifier}, which is an internal of ${name}`,
        cure: `its entries are ${list(entries)}; export what is missing there if it deserves to be public`,
      },
    ];
  }
  return [];
}

/**
 * A package's package.json must say what its sources do: no more and no less.
 * @param {Member} member
 * @param {Set<string>} usedBySource
 * @param {Set<string>} usedByTests
 * @param {Row} row
 * @param {Record<string, Row>} table
 * @returns {Problem[]}
 */
export function checkManifest(member, usedBySource, usedByTests, row, table = {}) {
  const { name, dependencies = {}, peerDependencies = {}, devDependencies = {} } = member.manifest;
  const where = `${member.folder}/package.json`;
  const runtime = { ...dependencies, ...peerDependencies };
  /** @type {Problem[]} */
  const problems = [];
  for (const used of usedBySource) {
    if (used === name || used in runtime) continue;
    // What the build takes in must not be installed once more.
    const forAll = used.startsWith(scope) && table[used.slice(scope.length)]?.forAll === true;
    if ((forAll || row.bundled?.includes(used)) && used in devDependencies) continue;
    problems.push({
      where,
      problem: `the sources import ${used}, which is no dependency`,
      cure: `add "${used}" to dependencies (an optional heavy part: to peerDependencies)`,
    });
  }
  for (const used of usedByTests) {
    if (used === name || used in runtime || used in devDependencies || rootTools.has(used)) continue;
    problems.push({
      where,
      problem: `the tests import ${used}, which is no dependency`,
      cure: `add "${used}" to devDependencies`,
    });
  }
  if (row.mayImport !== "everything") {
    for (const declared of Object.keys(dependencies)) {
      if (usedBySource.has(declared)) continue;
      problems.push({
        where,
        problem: `depends on ${declared}, which the sources never import`,
        cure: "drop it, or move it to devDependencies",
      });
    }
  }
  for (const [declared, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (!declared.startsWith(scope) || range.startsWith("workspace:")) continue;
    problems.push({ where, problem: `takes ${declared} as "${range}"`, cure: `write "workspace:^"` });
  }
  return problems;
}

/** Tools that the root package.json brings for every member's tests and configuration. */
const rootTools = new Set(["vitest", "fast-check", "tsup", "typescript", "esbuild", "playwright-core"]);

/**
 * The table itself: every arrow points at a row, a package that runs anywhere builds on such packages only, no circle.
 * @param {Record<string, Row>} table
 * @returns {Problem[]}
 */
export function checkTable(table) {
  const where = "scripts/lib/architecture.mjs";
  /** @type {Problem[]} */
  const problems = [];
  for (const [id, row] of Object.entries(table)) {
    if (row.mayImport === "everything") continue;
    for (const target of row.mayImport) {
      const other = table[target];
      if (other === undefined) {
        problems.push({ where, problem: `${id} may import "${target}", which has no row`, cure: "add or drop it" });
      } else if (row.runsIn === "any" && other.runsIn === "node") {
        problems.push({
          where,
          problem: `${id} runs anywhere but may import ${target}, which needs Node`,
          cure: "pass it in instead",
        });
      }
    }
    const circle = findCircle(id, table);
    if (circle) problems.push({ where, problem: `a circle: ${circle.join(" → ")}`, cure: "turn one arrow around" });
  }
  return problems;
}

/**
 * @param {string} start
 * @param {Record<string, Row>} table
 * @returns {string[] | undefined} the way back to `start`
 */
function findCircle(start, table) {
  /** @type {Set<string>} */
  const seen = new Set();
  /**
   * @param {string} id
   * @param {string[]} way
   * @returns {string[] | undefined}
   */
  const walk = (id, way) => {
    const targets = table[id]?.mayImport;
    if (targets === undefined || targets === "everything") return undefined;
    for (const target of targets) {
      if (target === start) return [...way, target];
      if (seen.has(target)) continue;
      seen.add(target);
      const found = walk(target, [...way, target]);
      if (found) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

/**
 * The table as lines for people.
 * @param {Record<string, Row>} table
 * @returns {string[]}
 */
export function describeTable(table) {
  const width = Math.max(...Object.keys(table).map((id) => id.length));
  const jobWidth = Math.max(...Object.values(table).map((row) => row.job.length));
  return Object.entries(table).map(([id, row]) => {
    const targets = row.mayImport === "everything" ? ["everything above"] : [...row.mayImport, ...npmPackages(row)];
    const where = row.runsIn === "node" ? "node" : "any ";
    return `  ${id.padEnd(width)}  ${where}  ${row.job.padEnd(jobWidth)}  → ${targets.join(", ") || "nothing"}`;
  });
}

/** @param {Row} row */
const npmPackages = (row) => [...row.thirdParty, ...(row.bundled ?? [])];

/** @param {string[]} names */
const list = (names) => (names.length === 0 ? "nothing" : names.join(", "));
