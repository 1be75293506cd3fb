import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  entry: { index: "src/index.ts", otel: "src/otel/index.ts", testing: "src/testing.ts" },
});

export default config;
