// The folders of examples/: what each needs, which programs it has, and which page shows them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { packageOf } from "./arrows.mjs";
import { findImports } from "./imports.mjs";
import { shownFiles } from "./readme-examples.mjs";
import { root } from "./workspace.mjs";

/**
 * @typedef {object} Example
 * @property {string} name Its folder below `examples`, such as `recipes/langchain`.
 * @property {string} path
 * @property {Record<string, string>} dependencies
 * @property {Record<string, string>} overrides What the checks install in place of large packages that only run where a service is.
 * @property {string[]} programs The files that are run, in this order.
 */

const names = ["main.mjs", "main.ts", "before.ts", "after.ts", "beside.ts", "back.ts"];

/** @returns {Example[]} */
export function examples() {
  const folder = join(root, "examples");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("package.json"))
    .map(dirname)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const { dependencies, overrides = {} } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
      return { name, path, dependencies, overrides, programs: names.filter((file) => existsSync(join(path, file))) };
    });
}

/**
 * Returns the packages that a program imports, itself or through files beside it.
 * @param {string} file
 * @returns {string[]}
 */
export const packagesImportedBy = (file) =>
  findImports(file, readFileSync(file, "utf8"))
    .map(({ specifier }) => specifier)
    .filter((specifier) => !isBuiltin(specifier))
    .flatMap((specifier) =>
      specifier.startsWith(".") ? packagesImportedBy(join(dirname(file), specifier)) : [packageOf(specifier)],
    );

/** The pages that show files of examples/ whole. */
export const pagesOfExamples = [
  "docs/coming-from.md",
  ...readdirSync(join(root, "docs/recipes"))
    .filter((name) => name !== "README.md")
    .map((name) => `docs/recipes/${name}`),
];

/** Returns what those pages show; `file` is below the root. @returns {import("./readme-examples.mjs").ShownFile[]} */
export const shownExamples = () =>
  pagesOfExamples.flatMap((page) =>
    shownFiles(readFileSync(join(root, page), "utf8")).map((shown) => ({
      ...shown,
      file: relative(root, join(root, dirname(page), shown.file)),
    })),
  );
