import { isJsonContentType, readRequestBody } from "@modelcontextprotocol/server";
import { isObject, parseJson } from "@toolglot/internal";

/** Returns the body of a POST as JSON; undefined where it has none that could be read, which is answered further down. */
export async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== "POST" || !isJsonContentType(request.headers.get("content-type"))) return undefined;
  const body = await readRequestBody(request.clone()).catch(() => undefined);
  return body === undefined || body.tooLarge ? undefined : parseJson(body.text);
}

/** The one field of a request that `Mcp-Name` repeats. */
const nameFields: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Returns the headers of a request of 2026-07-28 as its body wants them. */
export function headersAsBody(given: Headers, body: unknown): Headers {
  const { method, params } = (isObject(body) ? body : {}) as { method?: unknown; params?: unknown };
  const { _meta, ...rest } = (isObject(params) ? params : {}) as Record<string, unknown>;
  const revision = isObject(_meta) ? _meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  const headers = new Headers(given);
  if (typeof method !== "string" || typeof revision !== "string") return headers;
  headers.set("mcp-protocol-version", revision);
  headers.set("mcp-method", method);
  const name = Object.hasOwn(nameFields, method) ? rest[nameFields[method] as string] : undefined;
  headers.delete("mcp-name");
  if (typeof name === "string") headers.set("mcp-name", headerText(name));
  return headers;
}

/** Returns a text as a header has it: in base64 where it holds what a header can't. */
function headerText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?")) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
