import { isObject } from "@toolglot/internal";
import { contentItems, nameOf, objectsOf, textOf, timeOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/**
 * Sessions of Gemini CLI: a head, a line for each message, and lines that change what came before. A message is written anew whenever
 * there is more to it: its tokens, then its calls, which stand beside their results. Older sessions are one document with the same messages.
 * A checkpoint is one with a `history` in Gemini's own shape, and how the person had logged in.
 */
export const geminiCli: LogReader = {
  name: "Gemini CLI",
  read(record) {
    const { id, type } = record;
    if (typeof record.sessionId === "string" && typeof record.projectHash === "string") return { items: [] };
    // A change of the head, or of messages that stand in lines before.
    if (isObject(record.$set) || typeof record.$rewindTo === "string") return { items: [] };
    if (typeof record.authType === "string" && Object.keys(record).length === 1) return { items: [] };
    const time = timeOf(record.timestamp);
    if (typeof id !== "string" || typeof type !== "string" || time === undefined || !("content" in record))
      return undefined;
    if (type === "user") return { items: [{ type: "turn" }], time };
    if (type !== "gemini") return told.has(type) ? { items: [], time } : undefined;
    // In newer sessions calls stand in the content, too.
    const texts = contentItems(record.content, "/content", true).filter((item) => item.type === "text");
    const calls = objectsOf(record.toolCalls).flatMap(([call, index]) => callItems(call, `/toolCalls/${index}/args`));
    const entry: LogEntry = { items: [...texts, ...calls], time, answer: id, record: id };
    const model = textOf(record.model);
    return model === undefined ? entry : { ...entry, model };
  },
};

/** What the program itself says. */
const told = new Set(["info", "warning", "error"]);
/** States of a call that is over. */
const ended = new Set(["success", "error", "cancelled"]);

function callItems(call: Record<string, unknown>, path: string): LogItem[] {
  const id = textOf(call.id);
  const item: LogItem = { type: "call", id, name: nameOf(call.name), input: call.args, path };
  return id !== undefined && ended.has(nameOf(call.status)) ? [item, { type: "result", id }] : [item];
}
