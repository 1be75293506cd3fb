import { errorTypes } from "../errors.ts";
import type { Progress } from "./attempt.ts";
import { ToolResponse } from "./response.ts";

const interruptedNotice = "The tool call was interrupted before it ended.";

/** Returns the final response of a call that was aborted: what came before, then a notice. */
export function interruption(progress: Progress, metadata: ToolResponse["metadata"]): ToolResponse {
  const error = { type: errorTypes.interrupted, message: interruptedNotice };
  const content = [...progress.content, { type: "text" as const, text: interruptedNotice }];
  return new ToolResponse({ content, status: "interrupted", error, stream: progress.chunks > 0, metadata });
}
