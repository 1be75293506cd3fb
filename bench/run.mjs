// Builds what is measured, bundles this package's own TypeScript, and runs it: `node run.mjs attp|sandbox|all`.
// `attp` and `sandbox` print their tables; `all` measures both and writes docs/benchmarks.md.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { root, run, toolEnvironment } from "../scripts/lib/workspace.mjs";

const filters = { attp: ["@toolglot/attp..."], sandbox: ["@toolglot/sandbox..."] };
filters.all = [...filters.attp, ...filters.sandbox];

const what = process.argv[2] ?? "all";
if (!Object.hasOwn(filters, what)) {
  console.error(`no benchmark ${what}; there are ${Object.keys(filters).join(", ")}`);
  process.exit(2);
}

const built = await run("turbo", ["run", "build", ...filters[what].map((name) => `--filter=${name}`)], {
  env: toolEnvironment(),
});
if (built.code !== 0) {
  console.error(built.output);
  process.exit(1);
}

const outfile = join(import.meta.dirname, "node_modules/.cache/bench.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "src/main.ts")],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, ["--expose-gc", outfile, what, root], { stdio: "inherit" });
process.exitCode = status ?? 1;
