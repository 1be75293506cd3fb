import { defineConfig } from "tsup";

const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ["src/main.ts", "src/index.ts", "src/parts.ts"],
  format: ["esm"],
  target: "node20",
  platform: "node",
  // tsup 8.5 sets baseUrl for the d.ts build, which TypeScript 6 deprecates.
  dts: {
    entry: { index: "src/index.ts" },
    compilerOptions: { noCheck: true, skipLibCheck: true, ignoreDeprecations: "6.0" },
  },
  clean: true,
  treeshake: true,
});

export default config;
