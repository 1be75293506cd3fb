import type { JsonObject, Message } from "@toolglot/core";
import type { Connection } from "./connection.ts";
import { sentOf, withoutWire } from "./exact.ts";
import { messagesOf } from "./prompts.ts";
import type { McpCallOptions, McpPrompt, McpResource, McpResourceContents, McpResourceTemplate } from "./types.ts";

// What a server has besides tools. All reject with a `CallFault`; lists are empty where the server has no such capability.

/** The caches of the official client are not wanted: a list is asked for when somebody wants to know. */
const uncached = { cacheMode: "bypass" } as const;

export async function resourcesOf(connection: Connection): Promise<McpResource[]> {
  if (!has(connection, "resources")) return [];
  const list = await connection.request("resources/list", (client, { _meta, ...options }) =>
    client.listResources(_meta && { _meta }, { ...options, ...uncached }),
  );
  return list.resources as McpResource[];
}

export async function resourceTemplatesOf(connection: Connection): Promise<McpResourceTemplate[]> {
  if (!has(connection, "resources")) return [];
  const list = await connection.request("resources/templates/list", (client, { _meta, ...options }) =>
    client.listResourceTemplates(_meta && { _meta }, { ...options, ...uncached }),
  );
  return list.resourceTemplates as McpResourceTemplate[];
}

export async function resourceOf(
  connection: Connection,
  uri: string,
  options: Pick<McpCallOptions, "signal" | "ask">,
): Promise<McpResourceContents[]> {
  const read = await connection.request(
    "resources/read",
    (client, { _meta, ...sent }, given) =>
      client.readResource({ uri, ...given, ...(_meta && { _meta }) }, { ...sent, ...uncached }),
    options,
  );
  return read.contents as McpResourceContents[];
}

export async function promptsOf(connection: Connection): Promise<McpPrompt[]> {
  if (!has(connection, "prompts")) return [];
  const list = await connection.request("prompts/list", (client, { _meta, ...options }) =>
    client.listPrompts(_meta && { _meta }, { ...options, ...uncached }),
  );
  return list.prompts as McpPrompt[];
}

export async function promptOf(
  connection: Connection,
  name: string,
  args: Readonly<Record<string, string>>,
  options: Pick<McpCallOptions, "signal" | "ask">,
): Promise<Message[]> {
  const prompt = await connection.request(
    "prompts/get",
    (client, { _meta, ...sent }, given) =>
      client.getPrompt({ name, arguments: { ...args }, ...given, ...(_meta && { _meta }) }, sent),
    options,
  );
  return messagesOf(prompt.messages);
}

/** The result of any request that can be made twice. */
export async function answerOf(
  connection: Connection,
  method: string,
  params: JsonObject | undefined,
  options: Pick<McpCallOptions, "signal" | "ask" | "person">,
): Promise<JsonObject> {
  const { resourceStreams: streams } = connection;
  const read = await connection.request(
    method,
    async (client, { _meta, ...sent }, given): Promise<unknown> => {
      if (client.getProtocolEra() === "modern" && /^resources\/(?:un)?subscribe$/.test(method)) {
        const uri = String(params?.uri);
        if (method === "resources/subscribe") await streams.subscribe(uri, sent.timeout);
        else streams.unsubscribe(uri);
        return {};
      }
      const all =
        _meta || given
          ? { ...params, ...given, ...(_meta && { _meta: { ...(params?._meta as JsonObject | undefined), ..._meta } }) }
          : params;
      return client.request({ method, ...(all && { params: all }) }, anyResult, sent);
    },
    options,
  );
  return withoutWire(sentOf(read) ?? (read as JsonObject));
}

/** Schema of results of any shape: what is read of them is for those who asked. */
const anyResult = {
  "~standard": { version: 1, vendor: "toolglot", validate: (value: unknown) => ({ value }) },
} as const;

function has({ facts }: Connection, capability: string): boolean {
  return facts.capabilities.includes(capability);
}
