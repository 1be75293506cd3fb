import type { Server } from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";

/** Stands in `_meta` of a result for the one that goes out in its place. */
const exactKey = "toolglot/exact";

/** Returns a result that the official server takes for any tool's; the given one goes out, exactly as it is. */
export function exactly(result: object): { content: []; _meta: { [exactKey]: object } } {
  return { content: [], _meta: { [exactKey]: result } };
}

/**
 * Has the official server send results of tools as they are: it refuses a result with a field or block that it doesn't know, though the
 * tool has run, and leaves fields out. It gets a hollow result, and the true one takes its place on the way out.
 */
export function sendExactly(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send("result" in message ? restored(message) : message, options);
    await connect(transport);
  };
}

/** Returns what a result stands for, with the content that each result of a tool has. */
export function exactIn({ _meta, ...result }: { _meta?: unknown }): object {
  return { content: [], ...((isObject(_meta) && (_meta[exactKey] as object)) || { ...result, _meta }) };
}

function restored<Message extends { result: Record<string, unknown> }>(message: Message): Message {
  const { _meta, content, ...result } = message.result;
  const { [exactKey]: exact, ...meta } = isObject(_meta) ? _meta : {};
  if (!isObject(exact)) return message;
  const all = { ...meta, ...(isObject(exact._meta) && exact._meta) };
  // A task's handle is no result of a tool.
  const hollow = exact.resultType === "task" ? {} : { content };
  return { ...message, result: { ...hollow, ...result, ...exact, ...(Object.keys(all).length > 0 && { _meta: all }) } };
}
