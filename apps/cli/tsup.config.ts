import { defineConfig } from "tsup";
import { bundled } from "../../tsup.bundled.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...bundled,
  entry: ["src/main.ts", "src/index.ts", "src/parts.ts"],
  // With the official client, which the toolkit leaves to its user.
  noExternal: ["@toolglot/toolkit/mcp"],
  format: ["esm"],
  target: "node20",
  platform: "node",
  clean: true,
  treeshake: true,
});

export default config;
