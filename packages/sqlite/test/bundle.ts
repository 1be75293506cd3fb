import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { scripts } from "../../../bundled-script.ts";

/**
 * The processes of these tests as files that plain Node runs: our sources bundled in, the database driver left out. `files`: below this
 * folder, without `.ts`; their last words are their names.
 */
export async function bundleProcesses(...files: string[]): Promise<{ path(name: string): string; remove(): void }> {
  // Inside the package, so that the driver is found from there.
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.processes-"));
  await build({
    entryPoints: files.map((file) => join(import.meta.dirname, `${file}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    plugins: [scripts],
    external: ["libsql"],
    logLevel: "error",
  });
  return {
    path: (name) => join(folder, `${name}.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
