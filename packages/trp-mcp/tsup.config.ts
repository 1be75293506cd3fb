import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  platform: "node",
  entry: {
    index: "src/index.ts",
  },
});

export default config;
