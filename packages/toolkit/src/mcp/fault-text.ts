import { isObject, parseJson } from "@toolglot/internal";

/** Returns the message, and that of its cause, where `fetch` reports what happened; of HTTP the status, not the page. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, code, status, statusText } = error as Error &
    Partial<Record<"code" | "status" | "statusText", unknown>>;
  // The question for the newest revision got no answer: what the answer would have been to is of no interest.
  if (code === "ERA_NEGOTIATION_FAILED" && cause instanceof Error) return messageOf(cause);
  if (code === "INVALID_RESULT") return `it is no result as MCP has it${firstFault(error.message)}`;
  // Node's own words for both.
  if (code === "ENOENT" && error.message.startsWith("spawn "))
    return `${error.message}: there is no such program, or no folder that it starts in`;
  if (typeof status === "number")
    return typeof statusText === "string" ? `HTTP ${status} ${statusText}` : `HTTP ${status}`;
  return cause instanceof Error && !error.message.includes(cause.message) && cause.message !== ""
    ? `${error.message}: ${cause.message}`
    : error.message;
}

/** Returns where the first fault is and what it is: not every fault of every field. */
function firstFault(message: string): string {
  const [fault] = [parseJson(message.slice(message.indexOf("[")))].flat();
  return isObject(fault) && Array.isArray(fault.path) ? ` (${fault.path.join(".")}: ${fault.message})` : "";
}
