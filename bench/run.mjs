// Builds what is measured, bundles this package's own TypeScript, and runs it:
// `node run.mjs attp|tam|toolsxml|dialects|tokens|toolkit|agent|ai-sdk|sandbox|sandbox-reuse|sandbox-sessions|tasks|transports|trp|postgres|postgres-bloat|gateway|gateway-memory|local|searches|all`.
// Each prints its tables, and writes bench/results/<name>.md when there is bench/pages/<name>.md; `all` runs the first five. `searches`,
// `sandbox-reuse` and `sandbox-sessions` are parts of others; `postgres-bloat` and `gateway-memory` take minutes (`--calls N`, default
// 100,000). With `--quick` everything runs a time or two, to see that it works, and nothing is written.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const parsers = ["attp", "tam", "toolsxml"];
const measured = {
  ...Object.fromEntries(parsers.map((name) => [name, parsers])),
  dialects: ["dialects"],
  tokens: [...parsers, "prompts", "agent"],
  toolkit: ["toolkit"],
  agent: ["agent", "toolkit"],
  "ai-sdk": ["ai-sdk", "tam", "toolsxml", "prompts"],
  sandbox: ["sandbox"],
  "sandbox-reuse": ["sandbox"],
  "sandbox-sessions": ["sandbox"],
  tasks: ["demo"],
  transports: ["trp-client", "sqlite"],
  trp: ["trp-client", "sqlite"],
  postgres: ["trp-client", "sqlite", "postgres"],
  "postgres-bloat": ["trp-client", "sqlite", "postgres"],
  gateway: ["toolglot"],
  "gateway-memory": ["toolglot"],
  local: ["local-tools"],
  searches: ["local-tools"],
  costs: [...parsers, "dialects", "agent", "toolkit", "sandbox", "trp-client", "sqlite", "postgres", "local-tools"],
  all: [...parsers, "prompts", "agent", "toolkit"],
};
const what = process.argv[2] ?? "all";
if (!Object.hasOwn(measured, what)) {
  console.error(`no benchmark ${what}; there are ${Object.keys(measured).join(", ")}`);
  process.exit(2);
}

const root = join(import.meta.dirname, "..");
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const filters = measured[what].map(
  (name) => `--filter=${["demo", "toolglot"].includes(name) ? name : `@toolglot/${name}`}...`,
);
console.error("· building the packages");
const turbo = ["exec", "turbo", "run", "build", ...filters, "--output-logs=errors-only"];
const built = spawnSync("npx", ["--prefer-offline", "-y", packageManager, ...turbo], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  shell: process.platform === "win32",
});
if (built.status !== 0) {
  console.error(`${built.stdout ?? ""}${built.stderr ?? ""}${built.error?.message ?? ""}`);
  process.exit(1);
}

const outdir = join(import.meta.dirname, "node_modules/.cache/bench");
await build({
  entryPoints: [
    { in: join(import.meta.dirname, "src/main.ts"), out: "main" },
    { in: join(import.meta.dirname, "src/trp/servers.ts"), out: "servers" },
    { in: join(import.meta.dirname, "src/postgres/router-process.ts"), out: "router-process" },
  ],
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // Each part is a separate file, so one benchmark needs only the packages that it measures.
  splitting: true,
  packages: "external",
  alias: { "@toolglot/internal/testing/pages": join(root, "packages/internal/testing/pages.ts") },
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "error",
});
// Costs are counted from the first module on, and what is allocated is seen only while nothing is collected.
const flags = ["--min-semi-space-size=128", "--max-semi-space-size=128", "--expose-gc"];
const counting = [...flags, "--require", join(import.meta.dirname, "src/costs/counting.cjs")];
const main = [...(what === "costs" ? counting : []), join(outdir, "main.mjs")];
const { status } = spawnSync(process.execPath, [...main, what, root, ...process.argv.slice(3)], { stdio: "inherit" });
process.exitCode = status ?? 1;
