import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  platform: "node",
  entry: {
    index: "src/index.ts",
    store: "src/store/index.ts",
    // A program of its own: `verify` starts several of it.
    "verify-process": "src/verify/process/main.ts",
  },
});

export default config;
