// Bundles the simulation of routers on one database from sources, and plays it (docs/simulation.md):
//   npm run simulate -- --seeds 2000 --from 1     those seeds
//   npm run simulate -- --seed 17 --trace         one, with everything that happens
//   npm run simulate -- --variant "has leases without fences" --seeds 400
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
