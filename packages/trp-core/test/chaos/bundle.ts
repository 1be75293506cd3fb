import { mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { scripts } from "../../../../bundled-script.ts";

/** Processes as files that plain Node runs. */
export interface Bundled {
  path(name: string): string;
  remove(): void;
}

/** What is bundled. */
export interface BundleOptions {
  /** A package's tests: what the bundles don't take in is found from there. */
  tests: string;
  /** Below that folder, without `.ts`; their last words are their names. */
  files: readonly string[];
  /** What is left out: drivers of databases. */
  external: string[];
  plugins?: Plugin[];
}

/** The processes of tests, with our sources bundled in. */
export async function bundled({ tests, files, external, plugins = [] }: BundleOptions): Promise<Bundled> {
  const folder = mkdtempSync(join(tests, "../node_modules/.processes-"));
  await build({
    entryPoints: files.map((file) => ({ in: join(tests, `${file}.ts`), out: basename(file) })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    plugins: [scripts, ...plugins],
    external,
    // By which packages in a bundle find the modules of Node that they `require`.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    logLevel: "error",
  });
  return {
    path: (name) => join(folder, `${name}.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
