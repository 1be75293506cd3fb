// A stranger's project: an empty folder outside the repository where the packed packages get installed and used.
import { copyFileSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { fastest, previous } from "./compilers.mjs";
import { root, run } from "./workspace.mjs";

const nodeTypes = join(root, "node_modules/@types");

/**
 * Runs a command in the project; a failing one throws with its output.
 * @param {string} project
 * @param {string} command
 * @param {string[]} args
 */
async function inProject(project, command, args) {
  const { code, output, stdout } = await run(command, args, { cwd: project, timeoutMs: 10 * 60_000 });
  if (code !== 0) throw new Error(`${output.trimEnd()}\n  from: ${command} ${args.join(" ")}`);
  return { output, stdout };
}

/**
 * Runs a command line as a reader of the documentation does.
 * @param {string} folder @param {string} command
 */
export const inShell = (folder, command) => inProject(folder, "sh", ["-c", command]);

/** @param {string} folder @param {Record<string, string>} [overrides] As npm takes them. @returns {string} the folder */
export function createProject(folder, overrides) {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "stranger", private: true, type: "module", overrides };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

/**
 * As npm does it, which finds its own way through peers, and takes several times as long as pnpm.
 * @param {string} project
 * @param {string[]} what Tarballs or `name@range`.
 */
export async function installWithNpm(project, what) {
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await inProject(project, "npm", ["install", ...flags, ...what]);
}

/** By project: what pnpm takes in the place of what. @type {Map<string, Record<string, string>>} */
const overridesOf = new Map();

/**
 * With pnpm a package finds what it declares and nothing else; npm puts everything side by side.
 * @param {string} project
 * @param {string[]} what Tarballs or `name@range`.
 */
export async function install(project, what) {
  // What a tarball depends on is found among the tarballs, too: those of this time, and of those before.
  const tarballs = what.filter((one) => one.endsWith(".tgz"));
  const overrides = Object.fromEntries(
    tarballs.map((file) => [basename(file, ".tgz").replace("toolglot-", "@toolglot/"), `file:${file}`]),
  );
  const before = overridesOf.get(project) ?? JSON.parse(readFileSync(join(project, "package.json"), "utf8")).overrides;
  overridesOf.set(project, { ...before, ...overrides });
  writeFileSync(join(project, "pnpm-workspace.yaml"), JSON.stringify({ overrides: overridesOf.get(project) }));
  await inProject(project, "pnpm", ["add", "--prefer-offline", "--ignore-scripts", ...what]);
}

/**
 * What an installed project takes on the disk: whole blocks, every package once.
 * @param {string} project @returns {number}
 */
export const megabytesOf = (project) =>
  readdirSync(join(project, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * 512, 0) / 1e6;

/**
 * The specifiers that a published package offers as code: its name and its subpaths.
 * @param {import("./workspace.mjs").Manifest} manifest
 */
export const entriesOf = ({ name, exports = {}, publishConfig }) =>
  Object.keys(publishConfig?.exports ?? exports)
    .filter((subpath) => !subpath.endsWith(".json") && !subpath.includes("*"))
    .map((subpath) => name + subpath.slice(1));

/** @param {string} project @param {string[]} entries */
export async function importEntries(project, entries) {
  const lines = entries.map(
    (entry) =>
      `if (Object.keys(await import(${JSON.stringify(entry)})).length === 0) throw new Error("${entry} is empty");`,
  );
  writeFileSync(join(project, "import.mjs"), lines.join("\n"));
  await inProject(project, process.execPath, ["import.mjs"]);
}

/** `require()` of ES modules works from Node 20.19 on, if no module awaits at its top level. */
/** @param {string} project @param {string[]} entries */
export async function requireEntries(project, entries) {
  const lines = entries.map(
    (entry) => `if (Object.keys(require(${JSON.stringify(entry)})).length === 0) throw new Error("${entry} is empty");`,
  );
  writeFileSync(join(project, "require.cjs"), lines.join("\n"));
  await inProject(project, process.execPath, ["require.cjs"]);
}

/**
 * Compiles the example and an import of every entry, declarations of dependencies included, but for TypeScript's own, as Node
 * resolves them. It writes JavaScript too, for {@link runExample}.
 * @param {string} project
 * @param {{ entries: string[], types: string[], example: string }} options
 *   `types`: global types to offer. Packages for browsers get none, so that a stray Node type shows.
 */
export async function compile(project, { entries, types, example }) {
  copyFileSync(example, join(project, "example.ts"));
  writeEntries(project, entries);
  const options = { resolution: "nodenext", types, noEmit: false };
  await compileFiles(project, fastest, { ...options, files: ["example.ts", "entries.ts"] });
}

/**
 * As {@link compile}, by the previous compiler and as a bundler resolves: the entries and the programs of many packages at once. It
 * writes nothing.
 * @param {string} project
 * @param {{ entries: string[], types: string[], ids: readonly string[] }} options
 */
export async function compileForPrevious(project, { entries, types, ids }) {
  const files = ids.map((id) => `${id}.ts`);
  for (const file of files) copyFileSync(join(root, "scripts/consumer", file), join(project, file));
  writeEntries(project, entries);
  const options = { resolution: "bundler", types, noEmit: true };
  await compileFiles(project, previous, { ...options, files: [...files, "entries.ts"] });
}

/** @param {string} project @param {string[]} entries */
function writeEntries(project, entries) {
  const lines = entries.map((entry, index) => `export * as entry${index} from ${JSON.stringify(entry)};`);
  writeFileSync(join(project, "entries.ts"), lines.join("\n"));
}

/**
 * @param {string} project
 * @param {import("./compilers.mjs").Compiler} compiler
 * @param {{ resolution: string, types: string[], noEmit: boolean, files: string[] }} options
 */
async function compileFiles(project, { name, args }, { resolution, types, noEmit, files }) {
  const config = `tsconfig.${name.replace(/\W/g, "-")}.${resolution}.json`;
  const compilerOptions = {
    target: "es2022",
    module: resolution === "bundler" ? "esnext" : "nodenext",
    moduleResolution: resolution,
    strict: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit,
    outDir: "out",
    types,
    typeRoots: [nodeTypes],
  };
  writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files }));
  await inProject(project, process.execPath, [...args, "-p", config, "--pretty", "false"]);
}

/**
 * Runs the compiled example on Node: what it returns must be what it says it expects.
 * @param {string} project
 */
export async function runExample(project) {
  writeFileSync(
    join(project, "main.mjs"),
    `import assert from "node:assert/strict";
import { consume, expected } from "./out/example.js";
assert.equal(await consume(), expected);
`,
  );
  await inProject(project, process.execPath, ["main.mjs"]);
}

/**
 * Runs a program of the repository inside the project, so that it sees what is installed there.
 * @param {string} project
 * @param {string} file
 */
export async function runInside(project, file) {
  copyFileSync(file, join(project, "inside.mjs"));
  await inProject(project, process.execPath, ["inside.mjs"]);
}

/**
 * One bundle of every example, as a web page in `web/`.
 * @param {string} project
 * @param {string[]} ids
 */
export async function bundleForBrowser(project, ids) {
  for (const id of ids) copyFileSync(join(root, "scripts/consumer", `${id}.ts`), join(project, `${id}.ts`));
  const lines = ids.flatMap((id, index) => [
    `import * as example${index} from "./${id}.ts";`,
    `run(${JSON.stringify(id)}, example${index});`,
  ]);
  writeFileSync(
    join(project, "page.ts"),
    `const results: Record<string, { got: unknown; expected: unknown }> = {};
(globalThis as { results?: unknown }).results = results;
async function run(id: string, example: { consume(): unknown; expected: unknown }) {
  const got = await Promise.resolve().then(() => example.consume()).catch((error) => String(error));
  results[id] = { got, expected: example.expected };
}
${lines.join("\n")}
`,
  );
  const result = await build({
    entryPoints: [join(project, "page.ts")],
    outdir: join(project, "web"),
    absWorkingDir: project,
    bundle: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
  });
  if (result.warnings.length > 0) throw new Error(result.warnings.map((warning) => warning.text).join("\n"));
  writeFileSync(join(project, "web/index.html"), '<!doctype html><script type="module" src="page.js"></script>');
}

/** How programs of the documentation are compiled, into `out`. */
const programOptions = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  typeRoots: [nodeTypes],
  outDir: "out",
  rootDir: ".",
};

/**
 * Compiles the TypeScript programs of READMEs in one run, each as a separate module: `out/readme-<index>.js`.
 * @param {string} project
 * @param {readonly import("./readme-examples.mjs").Example[]} examples
 * @returns {Promise<Map<number, string>>} What is wrong with a program, by its index.
 */
export async function compileReadmes(project, examples) {
  mkdirSync(join(project, "out"), { recursive: true });
  /** @type {string[]} */
  const files = [];
  for (const [index, { language, program }] of examples.entries()) {
    if (language === "js") writeFileSync(join(project, `out/readme-${index}.js`), program);
    else {
      const file = `readme-${index}.ts`;
      writeFileSync(join(project, file), `${program}\nexport {};\n`);
      files.push(file);
    }
  }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: programOptions, files }));
  const args = [...fastest.args, "-p", ".", "--pretty", "false"];
  const { code, output } = await run(process.execPath, args, { cwd: project });
  const faults = readmeFaults(output);
  if (code !== 0 && faults.size === 0) throw new Error(output);
  return faults;
}

/**
 * Compiles the TypeScript of folders of the repository with the types of what is installed, into `out/<folder>/….js`.
 * @param {string} project
 * @param {string[]} folders
 */
export async function compileFolders(project, folders) {
  for (const folder of folders) cpSync(join(root, folder), join(project, folder), { recursive: true });
  const compilerOptions = {
    ...programOptions,
    noUncheckedIndexedAccess: true,
    // Node 22.18 and later run the files as they are.
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: folders }));
  await inProject(project, process.execPath, [...fastest.args, "-p", ".", "--pretty", "false"]);
}

/**
 * Runs a compiled program, and returns what it prints.
 * @param {string} project
 * @param {string} file Of the repository.
 */
export const runCompiled = async (project, file) =>
  (await inProject(project, process.execPath, [join("out", file.replace(/ts$/, "js"))])).stdout;

/**
 * @param {string} output Of the compiler.
 * @returns {Map<number, string>}
 */
function readmeFaults(output) {
  /** @type {Map<number, string>} */
  const faults = new Map();
  let index = -1;
  for (const line of output.split("\n").filter((each) => each.trim() !== "")) {
    index = Number(/^readme-(\d+)\.ts\(/.exec(line)?.[1] ?? index);
    faults.set(index, `${faults.get(index) ?? ""}${line}\n`);
  }
  return faults;
}

/**
 * Runs a compiled program in its own folder; it must print what the README says.
 * @param {string} project
 * @param {number} index
 * @param {string} output
 */
export async function runReadmeExample(project, index, output) {
  const folder = join(project, `readme-${index}`);
  mkdirSync(folder);
  const printed = (await inProject(folder, process.execPath, [`../out/readme-${index}.js`])).output.trimEnd();
  if (printed !== output.trimEnd()) throw new Error(`it prints\n${printed}\nbut the README says\n${output}`);
}
