import type { Message } from "@toolglot/core";
import type { Connection } from "./connection.ts";
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
    (client, { _meta, ...sent }) => client.readResource({ uri, ...(_meta && { _meta }) }, { ...sent, ...uncached }),
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
): Promise<Message[]> {
  const prompt = await connection.request("prompts/get", (client, { _meta, ...options }) =>
    client.getPrompt({ name, arguments: { ...args }, ...(_meta && { _meta }) }, options),
  );
  return messagesOf(prompt.messages);
}

function has({ facts }: Connection, capability: string): boolean {
  return facts.capabilities.includes(capability);
}
