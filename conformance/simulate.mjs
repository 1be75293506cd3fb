// Bundles the simulation from sources and plays it: `node simulate.mjs --seeds 2000 --from 1`; one seed with everything that happened:
// `node simulate.mjs --seed 17 --trace`; a naive store: `--variant "reads, runs, and records"`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const outfile = join(import.meta.dirname, "node_modules/.cache/simulate.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "src/simulation/main.ts")],
  outfile,
  bundle: true,
  conditions: ["source"],
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "error",
});
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(process.argv.slice(2));
