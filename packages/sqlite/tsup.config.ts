import type { Options } from "tsup";
import { scripts } from "../../bundled-script.ts";
import base from "../../tsup.base.ts";

const config: Options = { ...(base as Options), platform: "node", esbuildPlugins: [scripts] };

export default config;
