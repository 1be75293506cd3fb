import type { ResponseFrame } from "../frames/types.ts";

/**
 * A deep copy of JSON data, several times faster than `structuredClone`. Keys like `__proto__` stay plain data; what is
 * undefined stays so.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  // Spreading defines properties, so that an own `__proto__` is one in the copy too, and the assignment below finds it.
  const copy = { ...value } as Record<string, unknown>;
  // All of them are its own; `for in` is the quickest way through them.
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === "object" && inner !== null) copy[key] = copyJson(inner);
  }
  return copy as T;
}

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
