import { expect, it } from "vitest";
import type { Row } from "../lib/architecture.mjs";
import {
  checkManifest,
  checkSources,
  checkTable,
  describeTable,
  isNamedForNode,
  type Member,
  packageOf,
} from "../lib/arrows.mjs";

const table: Record<string, Row> = {
  core: { job: "the contract", runsIn: "any", mayImport: [], thirdParty: [] },
  parser: { job: "parses", runsIn: "any", mayImport: ["core"], thirdParty: ["smol-toml"] },
  runner: { job: "runs", runsIn: "node", mayImport: ["core"], thirdParty: [] },
  app: { job: "wires it together", runsIn: "node", mayImport: "everything", thirdParty: [] },
};
const member = (id: string): Member => ({
  id,
  folder: `packages/${id}`,
  manifest: { name: `@toolglot/${id}`, exports: { ".": {}, "./strict": {}, "./package.json": "./package.json" } },
});
const members = Object.keys(table).map(member);

/** What is wrong with one file of a package. */
const problems = (id: string, source: string, file = "src/index.ts") =>
  checkSources(member(id), [{ path: `packages/${id}/${file}`, source }], table, members).problems.map(
    ({ where, problem }) => `${where} ${problem}`,
  );

it("should accept the arrows of the table, in subpaths too", () => {
  expect(problems("parser", 'import { a } from "@toolglot/core";')).toEqual([]);
  expect(problems("parser", 'import { a } from "@toolglot/core/strict";')).toEqual([]);
  expect(problems("parser", 'import { parse } from "smol-toml";')).toEqual([]);
});

it("should refuse an arrow that the table doesn't have, w/ place and rule", () => {
  expect(problems("parser", '\nimport type { A } from "@toolglot/runner";')).toEqual([
    "packages/parser/src/index.ts:2 imports @toolglot/runner (runs), but parser may import only core",
  ]);
});

it("should refuse any import in core", () => {
  expect(problems("core", 'import "@toolglot/parser";')).toHaveLength(1);
  expect(problems("core", 'import "smol-toml";')).toEqual([
    "packages/core/src/index.ts:1 imports smol-toml, but core may use only nothing from npm",
  ]);
});

it("should refuse the internals of another package, by name and by path", () => {
  expect(problems("parser", 'import "@toolglot/core/src/span.ts";')[0]).toContain("is an internal of @toolglot/core");
  expect(problems("parser", 'import "../../core/src/span.ts";')[0]).toContain("reaches out of its package");
  expect(problems("app", 'import "../../core/src/span.ts";')[0]).toContain("reaches out of its package");
});

it("should let a test use what builds the packages, and nothing else do so", () => {
  const source = 'import { scripts } from "../../../bundled-script.ts";';
  expect(problems("app", source, "test/a/b.test.ts")[0]).toContain("reaches out of its package");
  expect(problems("app", source, "test/b.test.ts")).toEqual([]);
  expect(problems("app", source, "src/b.ts")[0]).toContain("reaches out of its package");
  const started = 'import { startPostgres } from "../../../scripts/lib/postgres.mjs";';
  expect(problems("app", started, "test/b.test.ts")).toEqual([]);
  expect(problems("app", started, "src/b.ts")[0]).toContain("reaches out of its package");
});

it("should refuse a package that imports itself by name", () => {
  expect(problems("parser", 'import "@toolglot/parser";')[0]).toContain("imports its own package by name");
});

it("should allow node: modules where the name says so", () => {
  expect(problems("runner", 'import "node:fs";')).toEqual([]);
  expect(problems("parser", 'import "node:fs";', "src/node.ts")).toEqual([]);
  expect(problems("parser", 'import "node:fs";', "src/node/files.ts")).toEqual([]);
  expect(problems("parser", 'import "node:fs";')[0]).toContain("this package runs in browsers too");
  expect(problems("parser", 'import "node:fs";', "src/nodes.ts")).toHaveLength(1);
});

it("should refuse a builtin without its prefix", () => {
  expect(problems("runner", 'import "fs";')[0]).toContain('imports "fs" without its prefix');
});

it("should refuse a Node file behind a file for every runtime, unless only its types are used", () => {
  expect(problems("parser", 'import { read } from "./node.ts";')[0]).toContain("is for Node only");
  expect(problems("parser", 'import type { Reader } from "./node.ts";')).toEqual([]);
  expect(problems("parser", 'import { read } from "../node.ts";', "src/node/files.ts")).toEqual([]);
});

it("should ask for a row when a package has none", () => {
  expect(problems("stranger", "")[0]).toContain('"stranger" has no row');
});

it("should compare package.json with the imports", () => {
  const manifest = {
    name: "@toolglot/parser",
    dependencies: { "@toolglot/core": "^1.0.0", unused: "1" },
    devDependencies: { zod: "4" },
  };
  const used = new Set(["@toolglot/core", "smol-toml"]);
  const found = checkManifest({ ...member("parser"), manifest }, used, new Set(["zod", "vitest", "valibot"]), {
    ...(table.parser as Row),
  });
  expect(found.map(({ problem }) => problem)).toEqual([
    "the sources import smol-toml, which is no dependency",
    "the tests import valibot, which is no dependency",
    "depends on unused, which the sources never import",
    'takes @toolglot/core as "^1.0.0"',
  ]);
});

it("should want a bundled package among the devDependencies", () => {
  const row: Row = { job: "", runsIn: "any", mayImport: [], thirdParty: [], bundled: ["converter"] };
  const check = (manifest: object) =>
    checkManifest(
      { ...member("parser"), manifest: { name: "@toolglot/parser", ...manifest } },
      new Set(["converter"]),
      new Set(),
      row,
    );
  expect(check({ devDependencies: { converter: "1" } })).toEqual([]);
  expect(check({})).toHaveLength(1);
});

it("should refuse a circle, an unknown target, and Node below a package for every runtime", () => {
  const row = (mayImport: string[], runsIn: Row["runsIn"] = "any"): Row => ({
    job: "",
    runsIn,
    mayImport,
    thirdParty: [],
  });
  const wrong = checkTable({ a: row(["b"]), b: row(["a", "c", "gone"]), c: row([], "node") }).map((p) => p.problem);
  expect(wrong).toContain("a circle: a → b → a");
  expect(wrong).toContain('b may import "gone", which has no row');
  expect(wrong).toContain("b runs anywhere but may import c, which needs Node");
  expect(checkTable(table)).toEqual([]);
});

it("should print the table for people", () => {
  expect(describeTable(table)).toEqual([
    "  core    any   the contract       → nothing",
    "  parser  any   parses             → core, smol-toml",
    "  runner  node  runs               → core",
    "  app     node  wires it together  → everything above",
  ]);
});

it("should know package names and files named for Node", () => {
  expect(packageOf("@toolglot/prompts/attp")).toBe("@toolglot/prompts");
  expect(packageOf("zod/v4")).toBe("zod");
  expect(["src/node.ts", "src/a.node.ts", "src/node/a.ts", "node.mjs"].every(isNamedForNode)).toBe(true);
  expect(["src/nodes.ts", "src/nodejs/a.ts", "src/knode.ts"].some(isNamedForNode)).toBe(false);
});
