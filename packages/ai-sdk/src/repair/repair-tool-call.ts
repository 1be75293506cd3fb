import { checkKeys, nearest, ToolError } from "@toolglot/core";
import { checkCall } from "@toolglot/core/check-call";
import { isObject } from "@toolglot/internal";
import { type JsonRepair, readLeniently } from "./lenient-json.ts";

/** A call as the AI SDK's repair functions get it. */
interface RepairableCall {
  toolCallId: string;
  toolName: string;
  input: string;
}

/** What {@link repairToolCall} did with a call. */
export interface RepairEvent {
  toolName: string;
  toolCallId: string;
  /** What was repaired; none when the call goes back to the model. */
  repairs: JsonRepair[];
  /** What the model reads of a call that can't be repaired. */
  message?: string;
}

/** Options of {@link repairToolCall}. */
export interface RepairToolCallOptions {
  /** Called for each call that came to the function. What it throws is ignored. */
  log?(event: RepairEvent): void;
}

/**
 * Creates a function for `experimental_repairToolCall` of `generateText`, `streamText` and agents (ai 6 and 7). It repairs what changes no
 * value: a code fence, trailing commas, Python's `True`, `False` and `None`, control characters in strings. A call that was cut off is never
 * completed, a misspelt tool is never guessed: what can't be repaired fails, and the model reads why, so that it writes the call again.
 *
 * @throws `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const options = { model, tools, prompt, experimental_repairToolCall: repairToolCall() };
 * ```
 */
export function repairToolCall(
  options: RepairToolCallOptions = {},
): <Call extends RepairableCall>(given: { toolCall: Call; tools: object; error: unknown }) => Promise<Call> {
  checkKeys("repairToolCall", options, "log:function");
  const log = (event: RepairEvent): void => {
    try {
      options.log?.(event);
    } catch {
      // A failing listener must not affect the answer.
    }
  };
  return async ({ toolCall, tools, error }) => {
    const { toolName, toolCallId, input } = toolCall;
    const refuse = (message: string): never => {
      log({ toolName, toolCallId, repairs: [], message });
      throw new ToolError(message);
    };
    if (!Object.hasOwn(tools, toolName)) return refuse(unknownTool(toolName, Object.keys(tools)));
    const reading = readLeniently(input);
    if ("fault" in reading) return refuse(unreadable(toolName, input, reading.fault));
    const { value, text, repairs } = reading;
    if (!isObject(value)) return refuse(`The arguments of ${JSON.stringify(toolName)} must be a JSON object. ${again}`);
    // It was JSON all along: it does not fit the tool's schema, and no repair makes it.
    if (repairs.length === 0) return refuse(`${reasonOf(error, toolName)} ${again}`);
    log({ toolName, toolCallId, repairs });
    return { ...toolCall, input: text };
  };
}

const again = "Write the call again.";

function unknownTool(name: string, tools: string[]): string {
  const [near] = nearest(name, tools, 1);
  const cure =
    near === undefined ? `The tools are: ${tools.join(", ") || "none"}.` : `Did you mean ${JSON.stringify(near)}?`;
  return `There is no tool ${JSON.stringify(name)}. ${cure}`;
}

function unreadable(name: string, input: string, fault: string): string {
  // Words in place of arguments: those of a middleware, which are for the model.
  if (!/^\s*[{["`]/.test(input)) return input;
  const [finding] = checkCall({ name, input });
  if (finding) return finding.hint;
  return `The arguments of ${JSON.stringify(name)} are no JSON: ${fault}. ${again}`;
}

/** The SDK's reason, without the text of the arguments, which the model has. */
function reasonOf(error: unknown, name: string): string {
  const { cause } = (error ?? {}) as { cause?: unknown };
  const inner = isObject(cause) && cause.cause instanceof Error ? cause.cause : cause;
  const message = inner instanceof Error ? inner.message : "they do not fit its schema";
  return `The arguments of ${JSON.stringify(name)} do not fit: ${message.replace(/^[\s\S]*?Error message: /, "")}.`;
}
