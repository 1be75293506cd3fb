import type { RegisteredToolFunction } from "./registered.ts";
import type { PreparedCall } from "./types.ts";

/** A call that may run, or why it may not. */
export type Prepared = PreparedCall<RegisteredToolFunction>;
