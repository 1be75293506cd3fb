import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";
import { bundled } from "../../tsup.bundled.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  ...bundled,
  platform: "node",
  // With the official client, which the toolkit leaves to its user.
  noExternal: ["@toolglot/toolkit/mcp"],
  entry: {
    index: "src/index.ts",
    store: "src/store/index.ts",
    // A program of its own: `verify` starts several of it.
    "verify-process": "src/verify/process/main.ts",
  },
});

export default config;
