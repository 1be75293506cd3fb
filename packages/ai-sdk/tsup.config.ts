import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = { ...(base as Options), entry: ["src/index.ts", "src/rescue.ts"] };

export default config;
