/** Code of the error that ends a replay when the run asks for something else than the recording holds. */
export const replayDivergence = "agent/replay-divergence";

/** The text layer's code for a result that the model wrote itself. */
export const fabricatedResult = "core/fabricated-result";

/** The text layer's code for a call in a format that isn't the protocol's. */
export const foreignFormat = "core/foreign-format";

/** The same of the dialects, whose formats are many. */
export const foreignCall = "dialects/foreign-call";

/** The text layer's codes for what looks like a call and was not read as one that is sent: the model may mean it as its answer. */
export const likeCalls: ReadonlySet<string> = new Set([
  foreignFormat,
  foreignCall,
  "core/shown-block",
  "core/unread-block",
]);
