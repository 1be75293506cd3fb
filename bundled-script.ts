import { join } from "node:path";
import { build, type Plugin } from "esbuild";

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
    // A script may hold another one.
    plugins: [scripts],
    charset: "utf8",
    // In a text, a user's own bundler can't.
    minify: true,
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
