import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { scripts } from "../../../../bundled-script.ts";

/** The program of `verify`'s processes as a file that plain Node runs. */
export async function bundleProcess(): Promise<{ file: URL; remove(): void }> {
  const gateway = join(import.meta.dirname, "../..");
  // Inside the package, so that what is left out is found from there.
  const folder = mkdtempSync(join(gateway, "node_modules/.processes-"));
  await build({
    entryPoints: [join(gateway, "src/verify/process/main.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    mainFields: ["module", "main"],
    plugins: [scripts],
    external: ["libsql", "@modelcontextprotocol/*", "hono", "@hono/*", "jose", "prom-client"],
    logLevel: "error",
  });
  return {
    file: pathToFileURL(join(folder, "main.mjs")),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
