import type { Options } from "tsup";
import { scripts } from "../../bundled-script.ts";
import base from "../../tsup.base.ts";

const shared = base as Options;

const config: Options = {
  ...shared,
  platform: "node",
  esbuildPlugins: [...(shared.esbuildPlugins ?? []), scripts],
  // Tables of Chinese characters take half the room so.
  esbuildOptions: (options) => {
    options.charset = "utf8";
  },
  entry: {
    index: "src/index.ts",
    "file-system": "src/agentscope/file-system/index.ts",
    raw: "src/agentscope/raw/index.ts",
  },
};

export default config;
