// `npm run example 01`: installs one of examples/ with the packages of this checkout, in a folder of its own, and runs it.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { examples } from "./lib/examples.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { createTarballs } from "./lib/tarballs.mjs";
import { run, toolEnvironment } from "./lib/workspace.mjs";

const all = examples();
const [wanted = ""] = process.argv.slice(2);
const last = (/** @type {string} */ name) => name.split("/").at(-1) ?? name;
const exact = all.filter(({ name }) => last(name) === wanted);
const found = exact.length > 0 ? exact : all.filter(({ name }) => last(name).startsWith(wanted));
const [example] = found;
if (example === undefined || found.length > 1) {
  const names = all.map(({ name }) => name);
  console.error(`usage: npm run example ${names[0]?.slice(0, 2)}\nThere are:\n  ${names.join("\n  ")}`);
  process.exit(2);
}
const { name, path, dependencies, programs } = example;

Object.assign(process.env, toolEnvironment());
const scratch = mkdtempSync(join(tmpdir(), "toolglot-example-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const { packages, pack, closure } = createTarballs(join(scratch, "tarballs"));
const project = join(scratch, "project");
cpSync(path, project, { recursive: true });
const ours = packages.filter(({ manifest }) => manifest.name in dependencies).flatMap(closure);
/** @type {string[]} */
const tarballs = [];
await inPairs([...new Set(ours)], async (one) => void tarballs.push(await pack(one)));
const installed = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], {
  cwd: project,
});
if (installed.code !== 0) {
  console.error(installed.output);
  process.exit(1);
}
for (const program of programs) {
  console.error(`examples/${name}/${program}\n`);
  const file = join(project, program.replace(/ts$/, "mjs"));
  // Node 20 runs no TypeScript; what stands beside a program in examples/ becomes part of it.
  if (program.endsWith(".ts"))
    await build({
      entryPoints: [join(path, program)],
      outfile: file,
      bundle: true,
      packages: "external",
      format: "esm",
    });
  const { code } = await run(process.execPath, [file], { cwd: project, stream: true });
  if (code !== 0) process.exitCode = code;
}
