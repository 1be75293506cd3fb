import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    mcp: "src/mcp/index.ts",
    // A file of its own, which package.json takes out of browser bundles.
    "mcp-stdio": "src/mcp/stdio-transport.ts",
    node: "src/node/index.ts",
  },
});

export default config;
