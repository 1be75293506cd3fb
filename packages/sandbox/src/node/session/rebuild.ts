import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { unfinishedErrors } from "../../durable/replay-errors.ts";
import { sessionError } from "./errors.ts";
import type { ImageHead } from "./image.ts";
import type { SessionLog } from "./session-log.ts";
import type { SessionPrograms } from "./session-programs.ts";
import { maxHistory, type SessionTurns, type TurnState } from "./session-turns.ts";

/** Of all programs together. */
const maxGuestMs = 60_000;

/** Parts that rebuild a session. */
export interface RebuildParts {
  turns: SessionTurns;
  programs: SessionPrograms;
  log: SessionLog;
  /** Of an image that is made here. */
  here: Pick<ImageHead, "engine" | "guestHash" | "wheelsHash">;
}

/**
 * Makes a session of another version again, by running its programs from its start with the answers that they got; nothing is called.
 * Its newest turn is then of this version, and it can't go back any more. Rejects with `mismatch`, which has the reason why that
 * is not possible; all is then as before.
 */
export async function rebuild({ turns, programs, log, here }: RebuildParts, mismatch: ToolglotError): Promise<void> {
  const { head, name } = turns.now;
  const fail = (turn: number | undefined, reason: string): ToolglotError => {
    const place = turn === undefined ? "" : `turn ${turn}: `;
    const message = `${mismatch.message} It could not be made again from its log: ${place}${reason}.`;
    return sessionError("mismatch", message, { ...mismatch.data, ...(turn !== undefined && { turn }), reason });
  };
  if (head.history?.length !== head.turn) {
    throw fail(undefined, `its turns are not all in a log, or are more than ${maxHistory}`);
  }
  const nothing = { baseHash: "", memoryBytes: 0, pages: 0, lineage: [], variables: [], folders: [], files: [] };
  let state: TurnState = { head: { ...head, ...here, ...nothing, turn: 0, reseed: false }, held: "" };
  let leftMs = maxGuestMs;
  for (const { turn, by } of origins(head.history, head.turn)) {
    state.head = { ...state.head, turn: turn - 1 };
    try {
      const { file } = await log.read(by);
      if (file !== undefined) {
        state = await turns.written(file, by, state);
        continue;
      }
      const start = { settings: log.settings(by), isReplay: true, timeoutMs: Math.max(1, Math.ceil(leftMs)) };
      const { run, lease, memory } = await programs.execute(undefined, {}, state, start);
      leftMs -= run.stats.guestMs;
      const error = run.status === "error" ? run.error : undefined;
      if (memory === undefined || leftMs <= 0 || unfinishedErrors.includes(error?.type)) {
        lease?.release();
        const what = error ? `${error.type}: ${error.message}` : "what the program left can't be kept";
        throw new Error(leftMs <= 0 ? `its programs run longer than ${maxGuestMs / 1000} s` : what);
      }
      state = turns.next(memory, by, state);
      lease?.release(state.held);
    } catch (error) {
      throw fail(turn, ToolglotError.isInstance(error) ? error.message.replace(/\.$/, "") : errorText(error));
    }
  }
  const { turn, history, reseed } = head;
  await turns.adopt({ ...state, head: { ...state.head, turn, history, reseed, lineage: [], was: name } });
}

/** Returns the turns that a turn comes from, the first first, without those that were gone back from. */
function origins(history: readonly (string | number)[], turn: number): { turn: number; by: string }[] {
  const found: { turn: number; by: string }[] = [];
  for (let at = turn; at > 0; ) {
    const by = history[at - 1];
    if (typeof by === "string") found.push({ turn: at--, by });
    else at = by ?? 0;
  }
  return found.reverse();
}
