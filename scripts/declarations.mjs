// Writes the declarations of the package in the current folder, one file for each entry. Our sources name the types of all that they export
// (`isolatedDeclarations`), so those of a file are taken from its text alone: a package takes a second of processor time, where a compiler that
// knows all types takes six.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { root } from "./lib/workspace.mjs";

/** @typedef {{ exports: Record<string, string | { source?: string, types?: string }>, dependencies?: object, peerDependencies?: object }} Manifest */

/** @param {string} folder @returns {Manifest} */
const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const scope = "@toolglot/";
const built = /^\.\/dist\/(.+)\.d\.ts$/;
/** What makes a source's name that of its declarations. */
const ending = ".d.ts";

/** Of packages that are no dependencies: what a package's declarations take from them lies in them. @returns {import("rollup").Plugin} */
function declarationsOfSources() {
  return {
    name: "declarations-of-sources",
    resolveId(id, from) {
      if (from === undefined) return id;
      if (id.startsWith(".")) return join(dirname(from), id) + ending;
      if (!id.startsWith(scope)) return undefined;
      const [name = "", ...path] = id.slice(scope.length).split("/");
      const home = join(root, "packages", name);
      const entry = readManifest(home).exports[[".", ...path].join("/")];
      const source = typeof entry === "string" ? entry : entry?.source;
      return source === undefined ? undefined : join(home, source) + ending;
    },
    load(id) {
      const fileName = id.slice(0, -ending.length);
      const compilerOptions = { target: ts.ScriptTarget.ESNext, declaration: true, isolatedDeclarations: true };
      return ts.transpileDeclaration(readFileSync(fileName, "utf8"), { fileName, compilerOptions }).outputText;
    },
  };
}

const folder = process.cwd();
const { exports, dependencies, peerDependencies } = readManifest(folder);
/** @type {Record<string, string>} */
const input = {};
for (const entry of Object.values(exports)) {
  if (typeof entry === "string" || entry.source === undefined) continue;
  const name = built.exec(entry.types ?? "")?.[1];
  if (name !== undefined) input[name] = join(folder, entry.source) + ending;
}
const others = Object.keys({ ...dependencies, ...peerDependencies });
/** @param {string} id */
const isDependency = (id) => id.startsWith("node:") || others.some((name) => id === name || id.startsWith(`${name}/`));
const bundle = await rollup({
  input,
  external: (id) => isDependency(id) || !/^[./]|^@toolglot\//.test(id),
  plugins: [declarationsOfSources(), dts()],
  onwarn({ plugin, message }) {
    // Each file may speak of what another one exports; API Extractor tells what none does.
    if (plugin !== "dts") throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: join(folder, "dist"),
  entryFileNames: `[name]${ending}`,
  chunkFileNames: ({ name }) => `${name.split(".")[0]}-[hash]${ending}`,
});
// What is taken in is not installed, so nobody's compiler finds it.
const absent = output
  .flatMap((file) => ("imports" in file ? file.imports : []))
  .filter((id) => !/\.d\.ts$/.test(id) && !isDependency(id));
if (absent.length > 0) throw new Error(`the declarations name ${absent.join(", ")}, no dependency`);
