/** Code of the error a replay ends in when the run asks for something else than the recording holds. */
export const REPLAY_DIVERGENCE = "replay-divergence";
