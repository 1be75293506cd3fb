import type { Options } from "tsup";
import base from "../../tsup.base.ts";

const config: Options = {
  ...(base as Options),
  esbuildPlugins: [],
  entry: [
    "src/index.ts",
    "src/bridge-layer.ts",
    "src/check-call-layer.ts",
    "src/diagnostics.ts",
    "src/executing-layer.ts",
    "src/explain.ts",
    "src/manual.ts",
    "src/memory-operation-log.ts",
    "src/results-layer.ts",
    "src/storage-layer.ts",
    "src/stubs-layer.ts",
    "src/text-layer.ts",
    // A file of its own: bundlers keep a class that extends a global one, also where nobody uses it.
    "src/text/event-stream.ts",
    "src/transcript.ts",
  ],
};

export default config;
