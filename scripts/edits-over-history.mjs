// Makes the changes of real commits as edits, each spoiled as models and channels spoil them, and prints what became of them: wrong (none
// may be), exact, forgiven, refused, written as the call has it. Ends with 1 when one is wrong.
//   node scripts/edits-over-history.mjs [git repository, default this one] [commits, default 100]
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { root } from "./lib/workspace.mjs";

const [repository = root, commits = "100"] = process.argv.slice(2);
const folder = join(root, "packages/local-tools");
const outfile = join(folder, "node_modules/.cache/history/main.mjs");
await build({
  entryPoints: [join(folder, "test/edit/history.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["source"],
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, resolve(repository), commits], { stdio: "inherit" });
process.exit(status ?? 1);
