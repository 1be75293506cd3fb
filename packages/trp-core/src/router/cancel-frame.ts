import { operationOfCall } from "../calls/keyed/effect-key.ts";
import { begunAnyway } from "../calls/keyed/read-operation.ts";
import { busy } from "../calls/outcome.ts";
import { replyTo } from "../frames/replies.ts";
import type { CancelResPayload, RequestOf, ResponseFrame } from "../frames/types.ts";
import type { CallRecord } from "../store/frame-types.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { standingOf } from "./known-calls.ts";

const ends = { success: "SUCCESS", failed: "FAILED", unknown: "UNKNOWN", refused: "CANCELLED" } as const;

/** Answers a `CANCEL_REQ`: stops the call here, and marks it in the store for the router that has it. */
export async function answerCancel(
  deps: FrameDependencies,
  { frame, head, session }: AdmittedFrame<RequestOf<"CANCEL_REQ">>,
): Promise<ResponseFrame> {
  const { call_id } = frame.payload;
  const { store, cancellations } = deps;
  // The mark is written first: every start after it, in any router, sees it. Earlier starts are found below.
  const call = await store.sessions.cancelCall(session.id, call_id);
  // A call that arrives after this frame has no mark. If it were stopped here, it could be sent again and run.
  const here = call && cancellations.cancel(session.id, call_id);
  const status = call === undefined ? "NOT_FOUND" : await statusOf();
  return replyTo(head, "CANCEL_RES", { call_id, status }, { now: store.now() });

  async function statusOf(): Promise<CancelResPayload["status"]> {
    const of = call as CallRecord;
    if (here === "started") return "CANCELLING";
    if (here !== undefined) {
      const record = (await operationOfCall(store.operations, of))?.record;
      const mayRun = here === "again" && of.operation === undefined;
      const otherwise = mayRun ? busy() : { kind: "refused" as const };
      const { kind } = (await begunAnyway(store.sessions, of, record)) ?? otherwise;
      return kind === "in-progress" ? "CANCELLING" : ends[kind];
    }
    const standing = await standingOf(deps, session, of);
    switch (standing.kind) {
      case "outcome": {
        const { type, payload } = standing.outcome;
        if (type === "RESULT") return payload.status;
        return payload.dispatched ? "FAILED" : "CANCELLED";
      }
      case "running":
        // Another router has the call, and this router does not know how far it is.
        return "CANCELLING";
      default:
        // A call without an operation may have run.
        return of.operation === undefined ? "UNKNOWN" : "CANCELLED";
    }
  }
}
