import { isObject } from "@toolglot/internal";
import { nameOf, objectsOf, textOf, timeOf, toolsOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/** What toolglot itself keeps: recordings of runs, session logs of the agent, transcripts, and conversations of the command line. */
export const toolglot: LogReader = {
  name: "toolglot",
  read(record) {
    const { type, role, parts, event } = record;
    if (typeof role === "string" && Array.isArray(parts) && typeof record.trust === "string")
      return { items: messageItems(record, "") };
    if (isObject(record.turns) && Array.isArray(record.messages))
      return {
        items: objectsOf(record.messages).flatMap(([message, index]) => messageItems(message, `/messages/${index}`)),
        time: timeOf(record.at),
        protocol: protocolOf(record.protocol),
      };
    if (record.version === 1 && isObject(record.meta)) return { items: [] };
    if (type === "event" && isObject(event)) return eventEntry(event);
    if (type === "head" && typeof record.runId === "string") return headEntry(record);
    if (typeof record.n === "number" && typeof record.by === "string") return sessionEntry(record);
    return crossings.has(nameOf(type)) || "clock" in record ? { items: [] } : undefined;
  },
};

const crossings = new Set([
  ...["tools", "model-request", "model-part", "model-end", "model-error", "execute", "executor-event", "hook", "timer"],
  ...[
    "executor-approval",
    "executor-question",
    "executor-wait",
    "executor-waited",
    "executor-hook",
    "executor-results",
  ],
  ...["executor-error", "decision", "session-failed", "answer", "price", "estimate", "artifact-put", "artifact-read"],
  ...["condition", "validated", "compacted", "steer", "follow-up", "abort", "declined"],
]);

/** The text protocol by its id, with or without a version; a router's programs are written in ATTP. */
function protocolOf(id: unknown): LogEntry["protocol"] {
  const [, name] = /^(attp|trp|tam|toolsxml|dialects)/.exec(nameOf(id)) ?? [];
  return name === undefined ? "none" : name === "trp" ? "attp" : (name as "attp" | "tam" | "toolsxml" | "dialects");
}

function headEntry(record: Record<string, unknown>): LogEntry {
  const items: LogItem[] = [{ type: "turn" }];
  const tools = toolsOf(record.tools);
  if (tools) items.push({ type: "tools", tools });
  const model = isObject(record.model) ? (textOf(record.model.id) ?? textOf(record.model.name)) : undefined;
  const entry = { items, protocol: protocolOf(record.protocol) };
  return model === undefined ? entry : { ...entry, model };
}

/** Of a recording: each request has the messages that are new, so the texts of all answers but the last one. */
function eventEntry(event: Record<string, unknown>): LogEntry {
  const time = timeOf(event.at);
  const items: LogItem[] = [];
  if (event.type === "request") {
    const tools = toolsOf(event.tools);
    if (tools) items.push({ type: "tools", tools });
    for (const [message, index] of objectsOf(event.messages))
      items.push(...messageItems(message, `/event/messages/${index}`).filter(({ type }) => type === "text"));
  } else if (event.type === "action-start") items.push(...actionItems(event.action, "/event/action"));
  else if (event.type === "action-end") items.push(...resultItems(event.results), { type: "turn" });
  else if (event.type === "run-end" && isObject(event.result)) {
    const text = textOf(event.result.text);
    if (text !== undefined) items.push({ type: "text", text, path: "/event/result/text" });
  }
  return { items, time };
}

/** Of a session's log. */
function sessionEntry(record: Record<string, unknown>): LogEntry {
  const text = textOf(record.text);
  switch (record.type) {
    case "head":
      return headEntry(record);
    case "answer":
      return {
        items: (Array.isArray(record.actions) ? record.actions : []).flatMap((action, index) =>
          actionItems(action, `/actions/${index}`),
        ),
      };
    case "results":
    case "waiting":
      return { items: [...resultItems(record.results), { type: "turn" }] };
    case "call-end":
      return { items: isObject(record.result) ? resultItems([record.result]) : [] };
    case "step":
    case "end":
      return { items: text === undefined ? [] : [{ type: "text", text, path: "/text" }] };
    default:
      return { items: [] };
  }
}

const resultItems = (results: unknown): LogItem[] =>
  objectsOf(results).flatMap(([{ callId }]) => (typeof callId === "string" ? [{ type: "result", id: callId }] : []));

function actionItems(action: unknown, path: string): LogItem[] {
  if (!isObject(action)) return [];
  const { plan } = action;
  if (isObject(plan))
    return objectsOf(plan.steps).map(([step, index]) => ({
      type: "call",
      id: textOf(step.callId),
      name: nameOf(step.tool),
      input: step.params,
      path: `${path}/plan/steps/${index}/params`,
    }));
  return objectsOf(action.calls).map(([call, index]) => callItem(call, `${path}/calls/${index}`));
}

const callItem = (call: Record<string, unknown>, path: string): LogItem => ({
  type: "call",
  id: textOf(call.id),
  name: nameOf(call.name),
  input: call.input,
  path: `${path}/input`,
});

function messageItems(message: Record<string, unknown>, path: string): LogItem[] {
  const isModel = message.role === "assistant";
  const items = objectsOf(message.parts).flatMap(([part, index]): LogItem[] => {
    const at = `${path}/parts/${index}`;
    if (part.type === "call" && isObject(part.call)) return [callItem(part.call, `${at}/call`)];
    if (part.type === "result" && isObject(part.result)) return resultItems([part.result]);
    const text = isModel && part.type === "text" ? textOf(part.text) : undefined;
    return text === undefined ? [] : [{ type: "text", text, path: `${at}/text` }];
  });
  return isModel || items.length > 0 ? items : [{ type: "turn" }];
}
