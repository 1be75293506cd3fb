// Bundles the slips with the parsers, from sources, and runs them: `node slips.mjs` prints the tables and writes slips/results.md,
// `node slips.mjs --quick` prints them for every 25th case. With `--dialects` it is about the formats of open models, and slips/dialects.md.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const outfile = join(import.meta.dirname, "node_modules/.cache/slips.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "src/slips/main.ts")],
  outfile,
  bundle: true,
  conditions: ["source"],
  external: Object.keys(devDependencies),
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "error",
});
const { main, mainOfDialects } = await import(pathToFileURL(outfile).href);
const run = process.argv.includes("--dialects") ? mainOfDialects : main;
await run(import.meta.dirname, process.argv.includes("--quick"));
