import { createRouter, defineCapability, principal } from "@toolglot/trp-core";
import { parseFrame, type ResponseFrame } from "@toolglot/trp-core/frames";

const lookup = defineCapability({
  capId: "cap.city.lookup.v1",
  name: "lookup",
  description: "Looks a city up.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args: { city: "string", "days?": "integer = 3" },
  // The shorthand gives types: this line is compiled.
  execute: ({ city, days }) => `${city.toUpperCase()} for ${days + 0} days`,
});

export async function consume(): Promise<string> {
  const router = createRouter({ capabilities: [lookup] });
  const head = { trp_version: "0.1", frame_id: "f", trace_id: "t", timestamp_ms: 0, session_id: null, seq: null };
  const send = (frame: object): Promise<ResponseFrame> =>
    router.handle({ ...head, catalog_epoch: null, ...frame }, { principal: principal({ id: "ada" }) });
  const { session_id, catalog_epoch } = await send({
    frame_type: "HELLO_REQ",
    payload: { agent_id: "a", supported_versions: ["0.1"] },
  });
  const call = {
    ...{ frame_type: "CALL_REQ", session_id, catalog_epoch, seq: 1 },
    payload: { call_id: "c", idx: 0, cap_id: "cap.city.lookup.v1", timeout_ms: 1000, args: { city: "Oslo" } },
  };
  const result = await send(call);
  const stale = await send({ ...call, frame_id: "g", payload: { ...call.payload, call_id: "d" } });
  await router.close();
  const unread = parseFrame({ ...head, ...call, payload: {} }, { depth: 64, batchCalls: 64 });
  return [
    result.frame_type === "RESULT" ? result.payload.result?.data : result.frame_type,
    stale.frame_type === "NACK" ? stale.payload.error_code : stale.frame_type,
    "fault" in unread ? unread.fault.code : "read",
  ].join(" | ");
}

export const expected = "OSLO for 3 days | TRP_1004 | TRP_2000";
