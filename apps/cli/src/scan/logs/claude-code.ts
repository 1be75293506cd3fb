import { isObject } from "@toolglot/internal";
import { contentItems, textOf, timeOf } from "./fields.ts";
import type { LogEntry, LogReader } from "./log-reader.ts";

/** Sessions of Claude Code: a line for each block of an answer, and for each result, with an id and the session's id. */
export const claudeCode: LogReader = {
  name: "Claude Code",
  read(record) {
    const { type, message } = record;
    if (typeof type !== "string" || !marks.some((mark) => mark in record) || "n" in record) return undefined;
    if (!isObject(message) || (type !== "user" && type !== "assistant"))
      return isTold(record, type) ? { items: [] } : undefined;
    const time = timeOf(record.timestamp);
    const conversation = textOf(record.agentId) ?? (record.isSidechain === true ? "sidechain" : undefined);
    const isModel = type === "assistant";
    const items = contentItems(message.content, "/message/content", isModel && record.isApiErrorMessage !== true);
    if (!isModel && !items.some((item) => item.type === "result")) items.push({ type: "turn" });
    const model = isModel ? textOf(message.model) : undefined;
    const entry: LogEntry = { items, time, conversation, answer: isModel ? textOf(message.id) : undefined };
    // What the program itself says in the model's place.
    return model === "<synthetic>" || model === undefined ? entry : { ...entry, model };
  },
};

/** Each line has one of these. */
const marks = ["uuid", "sessionId", "leafUuid", "messageId"];

/** Whether a line without a message is one of its own: they have all kinds of types, and no id of other formats. */
const isTold = (record: Record<string, unknown>, type: string): boolean =>
  type !== "session" && type !== "message" && !("run_id" in record);
