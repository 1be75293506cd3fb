import type { MaybePromise } from "@toolglot/schema";
import type { RequestOf, ResponseFrame } from "../frames/types.ts";
import { answerCall } from "./call-frame.ts";
import { answerCancel } from "./cancel-frame.ts";
import { answerCapQuery, answerSync } from "./control-frames.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { answerGroup, isGroup } from "./group-frame.ts";
import { answerResultQuery } from "./query-frame.ts";
import type { Numbered } from "./sent-calls.ts";

/** Frames that are no calls. */
type Control = Exclude<Numbered, RequestOf<"CALL_REQ" | "CALL_BATCH_REQ" | "CALL_DAG_REQ">>;

/** Does what an admitted frame asks for, and records the answer. */
export function runFrame(deps: FrameDependencies, admitted: AdmittedFrame<Numbered>): MaybePromise<ResponseFrame> {
  return admitted.frame.frame_type === "CALL_REQ"
    ? answerCall(deps, admitted as AdmittedFrame<RequestOf<"CALL_REQ">>)
    : runOther(deps, admitted);
}

async function runOther(deps: FrameDependencies, admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
  const { store, inFlight } = deps;
  const { frame, session } = admitted;
  const end = inFlight.begin(session.id, "frame", frame.frame_id);
  try {
    if (isGroup(admitted)) return await answerGroup(deps, admitted);
    const reply = await answerControl(deps, admitted as AdmittedFrame<Control>);
    await store.sessions.answer({ sessionId: session.id, frameId: frame.frame_id, reply, outcomes: [] });
    return reply;
  } finally {
    end();
  }
}

function answerControl(deps: FrameDependencies, admitted: AdmittedFrame<Control>): Promise<ResponseFrame> {
  switch (admitted.frame.frame_type) {
    case "CATALOG_SYNC_REQ":
      return answerSync(deps, admitted as AdmittedFrame<RequestOf<"CATALOG_SYNC_REQ">>);
    case "CAP_QUERY_REQ":
      return answerCapQuery(deps, admitted as AdmittedFrame<RequestOf<"CAP_QUERY_REQ">>);
    case "RESULT_QUERY_REQ":
      return answerResultQuery(deps, admitted as AdmittedFrame<RequestOf<"RESULT_QUERY_REQ">>);
    case "CANCEL_REQ":
      return answerCancel(deps, admitted as AdmittedFrame<RequestOf<"CANCEL_REQ">>);
  }
}
