import { copyJson } from "@toolglot/internal";
import type { ResponseFrame } from "../frames/types.ts";

/** {@link copyJson} of an answer; of a RESULT, of which there are many, four times as fast. */
export function copyReply(reply: ResponseFrame): ResponseFrame {
  if (reply.frame_type !== "RESULT") return copyJson(reply);
  const { payload } = reply;
  const { result, error, usage, policy_proof } = payload;
  // Spreads of objects whose members are known to be flat; what isn't is put in its place after them.
  const copy = { ...payload, usage: { ...usage } };
  if (result) {
    const { data, artifacts, warnings } = result;
    copy.result = { ...result, data: copyJson(data), artifacts: copyList(artifacts), warnings: copyList(warnings) };
  }
  if (error) copy.error = copyJson(error);
  if (policy_proof) copy.policy_proof = { ...policy_proof };
  return { ...reply, payload: copy };
}

function copyList<Item>(items: Item[]): Item[] {
  return Array.isArray(items) && items.length === 0 ? [] : copyJson(items);
}
