import { defineConfig, type Options } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig([
  {
    ...(base as Options),
    // `browser/index` stands as deep as its source: it names the worker's script relative to itself.
    entry: { index: "src/node/index.ts", "browser/index": "src/browser/index.ts" },
    platform: "node",
  },
  {
    ...(base as Options),
    // One file, which a thread loads in half the time.
    entry: { "worker.node": "guest/javascript/worker.node.mjs" },
    platform: "node",
    clean: false,
  },
]);

export default config;
