import type { Plugin } from "esbuild";
import { defineConfig } from "tsup";

/** What core exports, by its file in the internal package. All other packages depend on core: nobody needs a second copy. */
const exportedByCore = { "check-keys": "checkKeys", nearest: "nearest" };

const fromCore: Plugin = {
  name: "from-core",
  setup({ onLoad }) {
    for (const [file, name] of Object.entries(exportedByCore)) {
      // A name of its own: one that was only passed on would be an export of the package, too.
      const contents = `import { ${name} as ofCore } from "@toolglot/core"; export const ${name} = ofCore;`;
      onLoad({ filter: new RegExp(`[\\\\/]internal[\\\\/]src[\\\\/]${file}\\.ts$`) }, () => ({ contents }));
    }
  },
};

/**
 * What every library package builds with: ESM only; `scripts/declarations.mjs` adds the declarations. No source maps: with the sources in
 * them they would be two thirds of what a user installs, and the code is not minified.
 */
const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ["src/index.ts"],
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  clean: true,
  treeshake: true,
  esbuildPlugins: [fromCore],
});

export default config;
