import type { AnyTool, ToolContext } from "@toolglot/core";
import { defined, streamed } from "@toolglot/internal";
import { fromMcpTool } from "../formats/provider-tools.ts";
import { progressChunk, responseOf } from "./content.ts";
import type { McpCallResult, McpClient, McpListedTool, McpProgress } from "./types.ts";

/** As much progress as is kept for a reader who is slow; of more, the newest. */
const keptProgress = 256;

/** Returns a server's tool as a core tool: progress comes as chunks, then the response. */
export function toolOf(client: McpClient, listed: McpListedTool, keepRaw: boolean): AnyTool {
  const definition = fromMcpTool(listed);
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  const request = {
    name: listed.name,
    inputSchema: listed.inputSchema,
    readOnly: readOnlyHint === true,
    repeatable: readOnlyHint === true || idempotentHint === true,
  };
  return {
    ...definition,
    untrusted: true,
    async *execute(input: Record<string, unknown>, { signal, ask }: ToolContext) {
      const call = (emit: (chunk: ReturnType<typeof progressChunk>) => void): Promise<McpCallResult> => {
        const onProgress = (progress: McpProgress): void => emit(progressChunk(progress));
        const options = { signal, onProgress, isExecution: true, ...defined({ ask }) };
        return client.callTool({ ...request, arguments: input }, options);
      };
      return responseOf(yield* streamed(call, keptProgress), keepRaw);
    },
  };
}
