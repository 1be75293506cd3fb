import { defineConfig } from "tsup";

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
});

export default config;
