import { defineConfig, type Options } from "tsup";
import base from "../../tsup.base.ts";
import { bundled } from "../../tsup.bundled.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  ...bundled,
  esbuildPlugins: [...((base as Options).esbuildPlugins ?? []), ...bundled.esbuildPlugins],
  platform: "node",
  // With what these leave to their user: the official client, and prom-client.
  noExternal: ["@toolglot/toolkit/mcp", "@toolglot/trp-core/metrics"],
  entry: {
    index: "src/index.ts",
    store: "src/store/index.ts",
    // A program of its own: `verify` starts several of it.
    "verify-process": "src/verify/process/main.ts",
  },
});

export default config;
