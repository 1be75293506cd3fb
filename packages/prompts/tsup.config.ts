import { defineConfig } from "tsup";
import base from "../../tsup.base.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    attp: "src/attp/index.ts",
    dialects: "src/dialects/index.ts",
    tam: "src/tam/index.ts",
    toolsxml: "src/toolsxml/index.ts",
  },
});

export default config;
