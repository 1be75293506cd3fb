import type { AnyTool, ToolContext } from "@toolglot/core";
import { defined } from "@toolglot/internal";
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
      const waiting: McpProgress[] = [];
      let wake = (): void => {};
      const onProgress = (progress: McpProgress): void => {
        waiting.push(progress);
        if (waiting.length > keptProgress) waiting.shift();
        wake();
      };
      const ended: { outcome?: { result: McpCallResult } | { error: unknown } } = {};
      const end = (outcome: NonNullable<typeof ended.outcome>): void => {
        ended.outcome = outcome;
        wake();
      };
      client
        .callTool({ ...request, arguments: input }, { signal, onProgress, isExecution: true, ...defined({ ask }) })
        .then(
          (result) => end({ result }),
          (error: unknown) => end({ error }),
        );
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield progressChunk(next);
        const { outcome } = ended;
        if (outcome !== undefined) {
          if ("error" in outcome) throw outcome.error;
          return responseOf(outcome.result, keepRaw);
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
