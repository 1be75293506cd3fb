// `npm run pack:all FOLDER`: the public packages as tarballs that npm installs, for as long as no registry has them.
import { mkdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { inPairs } from "./lib/in-pairs.mjs";
import { createTarballs } from "./lib/tarballs.mjs";
import { toolEnvironment } from "./lib/workspace.mjs";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npm run pack:all FOLDER");
  process.exit(2);
}
Object.assign(process.env, toolEnvironment());
// What an earlier run packed is packed again: the sources may have changed.
const { packages, pack } = createTarballs(resolve(folder), { isFresh: true });
mkdirSync(resolve(folder), { recursive: true });
await inPairs(packages, async (member) => {
  console.log(relative(process.cwd(), await pack(member)));
});
console.log(`\n${packages.length} packages. In your project: npm install ${resolve(folder)}/toolglot*.tgz`);
