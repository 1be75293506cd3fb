import { isObject } from "@toolglot/internal";
import { contentItems, nameOf, objectsOf, textOf, timeOf } from "./fields.ts";
import type { LogItem, LogReader } from "./log-reader.ts";

/** Sessions of pi: a head of the type `session`, then an entry a line. */
export const pi: LogReader = {
  name: "pi",
  read(record) {
    const { type, message } = record;
    if (typeof type !== "string" || typeof record.timestamp !== "string") return undefined;
    const time = timeOf(record.timestamp);
    if (type !== "message" || !isObject(message)) {
      if (!entries.has(type)) return undefined;
      const model = textOf(record.modelId);
      return model === undefined ? { items: [], time } : { items: [], time, model };
    }
    const { role } = message;
    if (typeof role !== "string") return undefined;
    if (role === "toolResult") {
      const id = textOf(message.toolCallId);
      return { items: id === undefined ? [] : [{ type: "result", id }], time };
    }
    if (role !== "assistant") return { items: [{ type: "turn" }], time };
    const path = "/message/content";
    // An answer that was broken off has calls that nobody was to make.
    const isWhole = message.stopReason !== "aborted" && message.stopReason !== "error";
    const items = objectsOf(message.content).flatMap(([part, index]): LogItem[] =>
      part.type === "toolCall"
        ? [
            {
              type: "call",
              id: isWhole ? textOf(part.id) : undefined,
              name: nameOf(part.name),
              input: part.arguments,
              path: `${path}/${index}/arguments`,
            },
          ]
        : part.type === "text" && typeof part.text === "string"
          ? [{ type: "text", text: part.text, path: `${path}/${index}/text` }]
          : [],
    );
    if (typeof message.content === "string") items.push(...contentItems(message.content, path, true));
    const model = textOf(message.model);
    return model === undefined ? { items, time, isAnswer: true } : { items, time, model, isAnswer: true };
  },
};

const entries = new Set([
  "session",
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
  "context_transform",
  "ephemeral",
]);
