import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = {
  ...(base as Options),
  platform: "node",
  entry: {
    index: "src/index.ts",
    "file-system": "src/file-system/index.ts",
    raw: "src/raw/index.ts",
    secrets: "src/secrets/index.ts",
  },
};

export default config;
