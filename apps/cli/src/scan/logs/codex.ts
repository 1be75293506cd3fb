import { isObject } from "@toolglot/internal";
import { contentItems, nameOf, textOf, timeOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/** Sessions of Codex: lines with a `payload`, in older ones the items themselves, which are those of OpenAI's Responses API. */
export const codex: LogReader = {
  name: "Codex",
  read(record) {
    const { type, payload } = record;
    const time = timeOf(record.timestamp);
    if (typeof type === "string" && isObject(payload)) {
      if (type === "response_item") return { items: itemsOf(payload, "/payload") ?? [], time };
      if (!lines.has(type)) return undefined;
      const entry: LogEntry = { items: [], time };
      const model = type === "turn_context" ? textOf(payload.model) : undefined;
      return model === undefined ? entry : { ...entry, model };
    }
    if (typeof record.record_type === "string") return { items: [] };
    if (
      type === undefined &&
      typeof record.id === "string" &&
      time !== undefined &&
      heads.some((name) => name in record)
    )
      return { items: [], time };
    const items = itemsOf(record, "");
    return items && { items, time };
  },
};

/** The first line of an older log has one of these. */
const heads = ["instructions", "git", "originator", "cli_version"];
const lines = new Set([
  "session_meta",
  "turn_context",
  "event_msg",
  "compacted",
  "world_state",
  "inter_agent_communication",
]);

/** Returns what is in an item of an answer; undefined when it is none. */
function itemsOf(item: Record<string, unknown>, path: string): LogItem[] | undefined {
  const id = textOf(item.call_id) ?? textOf(item.id);
  switch (item.type) {
    case "message":
      if (!Array.isArray(item.content) || typeof item.role !== "string") return undefined;
      if (item.role !== "assistant") return [{ type: "turn" }];
      return contentItems(item.content, `${path}/content`, true);
    case "function_call":
      return [{ type: "call", id, name: nameOf(item.name), input: item.arguments, path: `${path}/arguments` }];
    case "custom_tool_call":
      // A text by design: no JSON.
      return [{ type: "call", id, name: nameOf(item.name), input: { input: item.input }, path }];
    case "local_shell_call":
      return [{ type: "call", id, name: "local_shell", input: item.action, path: `${path}/action` }];
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return id === undefined ? [] : [{ type: "result", id }];
    case "reasoning":
      return "summary" in item ? [] : undefined;
    case "web_search_call":
    case "ghost_snapshot":
      return [];
    default:
      return undefined;
  }
}
