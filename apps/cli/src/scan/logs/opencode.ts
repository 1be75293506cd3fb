import { isObject } from "@toolglot/internal";
import { nameOf, objectsOf, textOf, timeOf } from "./fields.ts";
import type { LogItem, LogReader } from "./log-reader.ts";

/** Messages of opencode, as `opencode export` prints them: `{ info, parts }`. A call and its result are one part. */
export const opencode: LogReader = {
  name: "opencode",
  read({ info, parts, conversation }) {
    if (!isObject(info)) return undefined;
    const time = isObject(info.time) ? timeOf(info.time.created) : undefined;
    if (!Array.isArray(parts)) return "directory" in info || "title" in info ? { items: [], time } : undefined;
    const entry = { time, conversation: textOf(conversation), answer: textOf(info.id) };
    if (info.role !== "assistant") return { ...entry, items: [{ type: "turn" }] };
    const model = textOf(info.modelID) ?? (isObject(info.model) ? textOf(info.model.modelID) : undefined);
    // An answer that was broken off has calls that nobody was to make.
    const isWhole = !isObject(info.error);
    const items = objectsOf(parts).flatMap(([part, index]) => partItems(part, `/parts/${index}`, isWhole));
    return model === undefined ? { ...entry, items } : { ...entry, items, model };
  },
};

function partItems(part: Record<string, unknown>, path: string, isWhole: boolean): LogItem[] {
  if (part.type === "text" && typeof part.text === "string")
    return part.synthetic === true ? [] : [{ type: "text", text: part.text, path: `${path}/text` }];
  if (part.type !== "tool" || !isObject(part.state)) return [];
  const { status, input, raw } = part.state;
  const id = isWhole ? textOf(part.callID) : undefined;
  // Of a call whose arguments did not come to their end there is the text so far.
  const key = status === "pending" && textOf(raw) !== undefined ? "raw" : "input";
  const value = key === "raw" ? raw : input;
  const call: LogItem = { type: "call", id, name: nameOf(part.tool), input: value, path: `${path}/state/${key}` };
  const hasResult = status === "completed" || status === "error";
  return id !== undefined && hasResult ? [call, { type: "result", id }] : [call];
}
