/** Nothing happens twice: any function once for a key, doubts that stay doubts, and tools that do so. */
export { settleOnce } from "./once/doubt.ts";
export { OnceError, type OnceErrorCode } from "./once/error.ts";
export { judgeHttp, judgeMcp } from "./once/judge.ts";
export { type Once, type OnceContext, once } from "./once/once.ts";
export { checkOnceOptions, type OnceCall, type OnceCallOptions, onceCall } from "./once/once-call.ts";
export { type OnceToolOptions, onceTool } from "./once/once-tool.ts";
export type { OnceOptions, ProbeAnswer, ProbeContext, Verdict } from "./once/options.ts";
