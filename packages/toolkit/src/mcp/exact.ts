import type { JsonObject } from "@toolglot/core";
import { copyJson, isJson, isObject } from "@toolglot/internal";

// The official client returns what its schemas know. So what a server sent goes along with what is read of it, in the one place that is
// passed on whole.

/** Key in `_meta` of a result, or a listed tool, under which it stands as it was sent. */
const sentKey = "toolglot/sent";

/** Returns the function that puts what was sent into what is read of it. Called before that is read: reading changes it. */
export function keepSent(method: string | undefined, result: Record<string, unknown>): (read: unknown) => void {
  if (method !== "tools/list" || !Array.isArray(result.tools)) {
    const sent = copyJson(result);
    return (read) => put(read, sent);
  }
  const sent = result.tools.map((tool: unknown) => (isJson(tool) ? copyJson(tool) : undefined));
  return (read) => {
    if (!isObject(read) || !Array.isArray(read.tools)) return;
    for (const [index, tool] of read.tools.entries()) put(tool, sent[index]);
  };
}

function put(read: unknown, sent: unknown): void {
  if (isObject(read) && isObject(sent)) read._meta = { ...(isObject(read._meta) && read._meta), [sentKey]: sent };
}

/** Returns a result, or a tool, as it was sent. Undefined unless it was kept. */
export function sentOf(read: unknown): JsonObject | undefined {
  const sent = isObject(read) && isObject(read._meta) ? read._meta[sentKey] : undefined;
  return isObject(sent) ? (sent as JsonObject) : undefined;
}

/** Returns the answer of a tool as it was sent, with its main members as they are read where they are of no use as they were sent. */
export function exactResult<Result extends object>(read: Result): Result {
  const sent = sentOf(read);
  if (sent === undefined) return withoutWire(read as JsonObject) as Result;
  const exact = withoutWire(sent);
  const { content, isError } = read as { content?: unknown; isError?: unknown };
  if (!areBlocks(exact.content)) Object.assign(exact, { content });
  if (!isFlag(exact.isError)) Object.assign(exact, { isError });
  if (exact._meta !== undefined && !isObject(exact._meta)) delete exact._meta;
  return exact as Result;
}

/** Whether the answer of a tool is of use as it was sent: then nothing has to be read of it. Our own key in it is no server's to set. */
export function isUsable({ content, isError, _meta }: Record<string, unknown>): boolean {
  const isOpen = _meta === undefined || (isObject(_meta) && !Object.hasOwn(_meta, sentKey));
  return isOpen && areBlocks(content) && isFlag(isError);
}

const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";
const areBlocks = (content: unknown): boolean => Array.isArray(content) && content.every(isBlock);
const isBlock = (block: unknown): boolean => isObject(block) && typeof block.type === "string";

/** A server's description of itself in each result of the newest revision. */
const serverInfoKey = "io.modelcontextprotocol/serverInfo";

/** Returns a result without what belongs to this connection, and not to the result. */
export function withoutWire({ resultType: _, ...result }: JsonObject): JsonObject {
  return withoutMeta(result, serverInfoKey);
}

/** Returns a result, or the parameters of a message, without a member of their `_meta`. */
export function withoutMeta(given: JsonObject, key: string): JsonObject {
  const { _meta, ...rest } = given;
  if (!isObject(_meta) || !Object.hasOwn(_meta, key)) return given;
  const { [key]: _, ...meta } = _meta as JsonObject;
  return Object.keys(meta).length === 0 ? rest : { ...given, _meta: meta };
}
