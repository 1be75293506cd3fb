import type { McpCallResult, McpClient, McpListedTool } from "../../src/index.ts";

/** A client of a server that lists these tools and answers so; what it is asked is noted. */
export function fakeMcp(
  tools: McpListedTool[],
  answer: (name: string, args: Readonly<Record<string, unknown>>) => McpCallResult,
  more: { name?: string; stateful?: boolean } = {},
): McpClient & { calls: string[]; change(next: McpListedTool[]): void } {
  const calls: string[] = [];
  const listeners = new Set<() => void>();
  let listed = tools;
  let connected = false;
  return {
    name: more.name ?? "server",
    stateful: more.stateful ?? true,
    exact: false,
    calls,
    get connected() {
      return connected;
    },
    connect: async () => {
      connected = true;
    },
    listTools: async () => listed,
    callTool: async ({ name, arguments: args }) => {
      calls.push(`${name} ${JSON.stringify(args)}`);
      return answer(name, args);
    },
    followTask: () => Promise.reject(new Error("there are no tasks")),
    revision: "2025-11-25",
    instructions: undefined,
    capabilities: ["tools"],
    listResources: async () => [],
    listResourceTemplates: async () => [],
    readResource: async () => [],
    listPrompts: async () => [],
    getPrompt: async () => [],
    request: async () => ({}),
    finishAuth: async () => {},
    onNotification: () => () => {},
    onEnded: () => () => {},
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      connected = false;
    },
    change(next) {
      listed = next;
      for (const listener of listeners) listener();
    },
  };
}

/** A tool that takes a text. */
export const echo: McpListedTool = {
  name: "echo",
  description: "Echoes.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
