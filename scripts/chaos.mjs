// Routers on one PostgreSQL while everything breaks: routers killed and stopped, backends terminated, locks held, the server crashed, its
// standby promoted. Builds the program from the tests of @toolglot/postgres and runs it, on servers of its own.
//   npm run soak -- --minutes 60            32 callers for an hour, after a naive store that must be found out; the last line is the figure
//   npm run chaos                           2,000 operations of each effect
//   npm run chaos -- naive                  ways to guard effects that look right: each must be found out
//   npm run chaos -- fail-over              a synchronous standby is promoted under load; an asynchronous one: what is lost is told
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { findPostgres } from "./lib/postgres-server.mjs";
import { root } from "./lib/workspace.mjs";

const [what = "chaos", ...rest] = process.argv.slice(2).some((word) => /^[a-z]/.test(word))
  ? process.argv.slice(2)
  : ["chaos", ...process.argv.slice(2)];
const installation = findPostgres();
if ("skip" in installation) {
  console.error(installation.skip);
  process.exit(2);
}
const tests = join(root, "packages/postgres/test");
const outfile = join(root, "packages/postgres/node_modules/.cache/chaos/main.mjs");
await build({
  entryPoints: [join(tests, "chaos/main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["source"],
  // The program bundles its own processes.
  external: ["pg", "esbuild"],
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, tests, what, ...rest], { stdio: "inherit" });
process.exitCode = status ?? 1;
