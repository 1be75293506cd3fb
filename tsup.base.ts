import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { defineConfig } from "tsup";

/**
 * The program of a thread as a text, bundled from sources with all that it imports: `new Worker(text, { eval: true })` needs no file
 * beside the package's own, also where somebody bundles the package.
 */
export async function bundledScript(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "es2022",
    conditions: ["source"],
  });
  return outputFiles[0]?.text ?? "";
}

/** `import text from "./program.ts?script"`: see {@link bundledScript}. */
export const scripts: Plugin = {
  name: "scripts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?script$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?script$/, "")),
      namespace: "script",
    }));
    onLoad({ filter: /./, namespace: "script" }, async ({ path }) => ({
      contents: await bundledScript(path),
      loader: "text",
    }));
  },
};

/**
 * What every library package builds with: ESM only, declarations. No source maps: with the sources in them they would be two thirds of
 * what a user installs, and the code is not minified.
 */
const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ["src/index.ts"],
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  // tsup 8.5 sets baseUrl for the d.ts build, which TypeScript 6 deprecates.
  dts: { compilerOptions: { noCheck: true, skipLibCheck: true, ignoreDeprecations: "6.0" } },
  clean: true,
  treeshake: true,
  esbuildPlugins: [scripts],
});

export default config;
