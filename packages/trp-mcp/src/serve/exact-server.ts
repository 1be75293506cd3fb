import { Server, type Transport } from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";

/** Stands in `_meta` of a result for the one that goes out in its place. */
const exactKey = "toolglot/exact";

/** Returns a result that the official server takes for any tool's; the given one goes out, exactly as it is. */
export function exactly(result: object): { content: []; _meta: { [exactKey]: object } } {
  return { content: [], _meta: { [exactKey]: result } };
}

/**
 * The official server, but for results of tools: it refuses a result with a field or block that it doesn't know, though the tool has
 * run, and leaves fields out. It gets a hollow result, and the true one takes its place on the way out.
 */
export class ExactServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send("result" in message ? restored(message) : message, options);
    await super.connect(transport);
  }
}

function restored<Message extends { result: Record<string, unknown> }>(message: Message): Message {
  const { _meta, ...result } = message.result;
  const { [exactKey]: exact, ...meta } = isObject(_meta) ? _meta : {};
  if (!isObject(exact)) return message;
  const all = { ...meta, ...(isObject(exact._meta) && exact._meta) };
  return { ...message, result: { ...result, ...exact, ...(Object.keys(all).length > 0 && { _meta: all }) } };
}
