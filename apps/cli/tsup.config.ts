import { defineConfig } from "tsup";

const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ["src/main.ts", "src/index.ts", "src/parts.ts"],
  format: ["esm"],
  target: "node20",
  platform: "node",
  clean: true,
  treeshake: true,
});

export default config;
