import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    frames: "src/frames/index.ts",
    metrics: "src/metrics/index.ts",
    node: "src/node/index.ts",
    store: "src/store/index.ts",
    "store-suite": "src/store-suite/index.ts",
    tracing: "src/tracing/index.ts",
    ws: "src/node/ws/index.ts",
  },
});

export default config;
