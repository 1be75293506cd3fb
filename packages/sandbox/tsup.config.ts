import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = { ...(base as Options), entry: { index: "src/node/index.ts" }, platform: "node" };

export default config;
