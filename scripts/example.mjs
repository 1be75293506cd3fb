// `npm run example 01`: installs one of examples/ with the packages of this checkout, in a folder of its own, and runs it.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTarballs } from "./lib/tarballs.mjs";
import { root, run, toolEnvironment } from "./lib/workspace.mjs";

const examples = join(root, "examples");
const names = ["", "recipes/"].flatMap((place) =>
  readdirSync(join(examples, place))
    .filter((name) => existsSync(join(examples, place, name, "main.mjs")))
    .map((name) => place + name),
);
const [wanted = ""] = process.argv.slice(2);
const found = names.filter((name) => name.split("/").at(-1)?.startsWith(wanted));
const [name] = found;
if (name === undefined || found.length > 1) {
  console.error(`usage: npm run example ${names[0]?.slice(0, 2)}\nThere are:\n  ${names.join("\n  ")}`);
  process.exit(2);
}

Object.assign(process.env, toolEnvironment());
const scratch = mkdtempSync(join(tmpdir(), "toolglot-example-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const { packages, pack, closure } = createTarballs(join(scratch, "tarballs"));
const project = join(scratch, "project");
cpSync(join(examples, name), project, { recursive: true });
const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const ours = packages.filter(({ manifest }) => manifest.name in dependencies).flatMap(closure);
const tarballs = await Promise.all([...new Set(ours)].map(pack));
const installed = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], {
  cwd: project,
});
if (installed.code !== 0) {
  console.error(installed.output);
  process.exit(1);
}
console.error(`examples/${name}\n`);
process.exitCode = (await run(process.execPath, ["main.mjs"], { cwd: project, stream: true })).code;
