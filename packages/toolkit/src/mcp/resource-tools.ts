import { type AnyTool, type ContentBlock, ToolError } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { ToolResponse } from "../call/response.ts";
import { defineTool } from "../registry/define-tool.ts";
import type { McpClient, McpResourceContents } from "./types.ts";

/** Number of resources on one page of the list. */
const pageSize = 100;

/** Returns the two tools with which a model lists and reads the resources of these servers. */
export function resourceTools(clients: readonly McpClient[]): AnyTool[] {
  const names = clients.map(({ name }) => name);
  const server = { type: "string" as const, enum: names, description: "The server." };
  const clientOf = (name: string): McpClient => clients.find((client) => client.name === name) as McpClient;
  const list = defineTool({
    name: "list_mcp_resources",
    description:
      "Lists what can be read with read_mcp_resource, of one server or of all. Addresses with {…} are templates: fill them in first.",
    input: {
      type: "object",
      properties: { server, cursor: { type: "string", description: "From the page before, for the next one." } },
    },
    annotations: { readOnlyHint: true },
    execute: async ({ server: one, cursor }) => {
      const from = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(from) || from < 0) {
        throw new ToolError("The cursor is none that a page gave. Leave it out to begin.", {
          data: { type: "InvalidInput" },
        });
      }
      const chosen = one === undefined ? clients : [clientOf(one as string)];
      const lists = await Promise.all(chosen.map(listOf));
      const all = lists.flat();
      const next = from + pageSize < all.length ? String(from + pageSize) : undefined;
      return { resources: all.slice(from, from + pageSize), ...defined({ cursor: next }) };
    },
  });
  const read = defineTool({
    name: "read_mcp_resource",
    description: "Reads a resource of a server, by an address from list_mcp_resources or from a tool's result.",
    input: {
      type: "object",
      properties: { server, uri: { type: "string", description: "The address." } },
      required: ["server", "uri"],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ server: name, uri }, { signal, ask }) => {
      const contents = await clientOf(name as string).readResource(uri as string, { signal, ...defined({ ask }) });
      if (contents.length === 0) return new ToolResponse({ content: "(nothing)" });
      return new ToolResponse({ content: contents.map(blockOf) });
    },
  });
  return [list, read];
}

async function listOf(client: McpClient): Promise<Record<string, unknown>[]> {
  const { name: server } = client;
  const [resources, templates] = await Promise.all([client.listResources(), client.listResourceTemplates()]);
  return [
    ...resources.map(({ uri, name, title, description, mimeType, size }) => ({
      server,
      uri,
      ...defined({ name: title ?? name, description, mimeType, size }),
    })),
    ...templates.map(({ uriTemplate, name, title, description, mimeType }) => ({
      server,
      uriTemplate,
      ...defined({ name: title ?? name, description, mimeType }),
    })),
  ];
}

function blockOf({ uri, mimeType: mediaType, text, blob }: McpResourceContents): ContentBlock {
  if (text !== undefined) return { type: "text", text };
  return { type: "resource", uri, ...defined({ mediaType, data: blob }) };
}
