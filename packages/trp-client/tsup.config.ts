import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    node: "src/node/index.ts",
    tracing: "src/tracing/index.ts",
  },
});

export default config;
