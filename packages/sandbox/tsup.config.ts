import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = {
  ...(base as Options),
  // `browser/index` stands as deep as its source: it names the worker's script relative to itself.
  entry: { index: "src/node/index.ts", "browser/index": "src/browser/index.ts" },
  platform: "node",
};

export default config;
