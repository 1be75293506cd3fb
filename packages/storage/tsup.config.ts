import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = {
  ...(base as Options),
  platform: "node",
  entry: { index: "src/index.ts", testing: "src/testing/index.ts" },
};

export default config;
