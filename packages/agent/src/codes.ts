/** Code of the error a replay ends in when the run asks for something else than the recording holds. */
export const REPLAY_DIVERGENCE = "agent/replay-divergence";

/** The text layer's code for a result that the model wrote itself. */
export const FABRICATED_RESULT = "core/fabricated-result";

/** The text layer's code for a call in a format that isn't the protocol's. */
export const FOREIGN_FORMAT = "core/foreign-format";

/** A block that was copied from an untrusted part of the conversation. */
export const ECHOED_BLOCK = "core/echoed-block";
