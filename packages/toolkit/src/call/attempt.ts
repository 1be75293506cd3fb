import type { ContentBlock, ToolCall, ToolErrorInfo, Usage } from "@toolglot/core";
import { iteratorOf, release } from "@toolglot/core/executing";
import { isThenable, sleep, unsettled } from "@toolglot/internal";
import { errorInfo, errorTypes, isToolError, ToolkitError } from "../errors.ts";
import type { CallOptions } from "../types.ts";
import { CallScope } from "./call-scope.ts";
import { ToolResponse, toResponse } from "./response.ts";
import type { CallableTool } from "./types.ts";

/** Output of a tool so far. */
export interface Progress {
  /** All content: of the newest chunk when chunks are cumulative, else of all of them. */
  content: ContentBlock[];
  /** The data of each chunk, when chunks are incremental. */
  data: unknown[];
  chunks: number;
  /** The usage that the tool has reported, in all attempts. */
  used?: Usage;
}

/** End of an attempt. */
export type Outcome =
  | { kind: "done"; response: ToolResponse }
  | { kind: "interrupted" }
  | { kind: "failed"; error: unknown; info: ToolErrorInfo; retry: boolean; fromPostprocess: boolean };

/**
 * Milliseconds that a stream of chunks may keep the event loop busy. Then timers and signals get to run: otherwise nothing could
 * stop it.
 */
const busyMs = 20;

/** The chunks of a stream as they come; the final response is not yielded but returned. */
export type Chunks = AsyncGenerator<ToolResponse, Outcome, undefined>;

/** Runs a tool once, to its end, or until it returns a stream of chunks. */
export async function attemptCall(
  tool: CallableTool,
  input: unknown,
  call: ToolCall,
  options: CallOptions,
  progress: Progress,
): Promise<Outcome | Chunks> {
  const scope = new CallScope(call.id, options.signal, tool.timeoutMs, options, progress.used);
  let streams = false;
  let done = false;
  try {
    const given: unknown = tool.execute(input, scope);
    const value = isThenable(given) ? await scope.settle(given) : given;
    if (value === unsettled) return stopOutcome(tool, scope);
    const iterator = iteratorOf(value);
    if (iterator !== undefined) {
      streams = true;
      return streamed(tool, iterator, call, scope, progress);
    }
    const response = toResponse(value, false, true);
    // Most tools have no post-processing, and an `await` would cost as much as the rest of the call.
    const outcome: Outcome =
      tool.postprocess === undefined ? { kind: "done", response } : await conclude(tool, call, response, scope);
    done = outcome.kind === "done";
    return outcome;
  } catch (error) {
    return failedOutcome(tool, scope, error);
  } finally {
    if (!streams) scope.close(!done);
  }
}

async function* streamed(
  tool: CallableTool,
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  call: ToolCall,
  scope: CallScope,
  progress: Progress,
): Chunks {
  let done = false;
  try {
    const outcome = yield* drain(tool, iterator, call, scope, progress);
    done = outcome.kind === "done";
    return outcome;
  } catch (error) {
    return failedOutcome(tool, scope, error);
  } finally {
    scope.close(!done);
  }
}

function failedOutcome(tool: CallableTool, scope: CallScope, error: unknown): Outcome {
  if (scope.stop !== undefined) return stopOutcome(tool, scope);
  if (isFault(error)) {
    const { cause } = error;
    return { kind: "failed", error: cause, info: errorInfo(cause), retry: false, fromPostprocess: true };
  }
  return { kind: "failed", error, info: errorInfo(error), retry: !isToolError(error), fromPostprocess: false };
}

/** Emits the chunks as they come, and returns the whole response. */
async function* drain(
  tool: CallableTool,
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  call: ToolCall,
  scope: CallScope,
  progress: Progress,
): Chunks {
  let last: ToolResponse | undefined;
  let ended = false;
  let yieldAt = performance.now() + busyMs;
  try {
    for (;;) {
      ended = true; // An iterator that throws has ended by itself.
      const step = await scope.settle(iterator.next());
      ended = step !== unsettled && step.done === true;
      if (step === unsettled) return stopOutcome(tool, scope);
      if (typeof step !== "object" || step === null)
        throw new TypeError("the iterator gave a result that is no object");
      const value = await scope.settle(step.value);
      if (value === unsettled) return stopOutcome(tool, scope);
      if (ended) {
        if (last !== undefined && value === undefined) return { kind: "done", response: whole(tool, last, progress) };
        return await conclude(tool, call, toResponse(value, last !== undefined, true), scope);
      }
      const chunk = await postprocess(tool, call, toResponse(value, true, false), scope);
      if (chunk === unsettled) return stopOutcome(tool, scope);
      last = chunk;
      collect(tool, chunk, progress);
      yield chunk;
      if (performance.now() > yieldAt) {
        await sleep(0);
        yieldAt = performance.now() + busyMs;
      }
      if (scope.stop !== undefined) return stopOutcome(tool, scope);
    }
  } finally {
    if (!ended) release(iterator);
  }
}

function collect(tool: CallableTool, chunk: ToolResponse, progress: Progress): void {
  progress.chunks += 1;
  if (tool.chunks === "cumulative") {
    progress.content = chunk.content;
    return;
  }
  progress.data.push(chunk.data);
  for (const block of chunk.content) {
    const before = progress.content.at(-1);
    if (block.type === "text" && before?.type === "text") {
      progress.content[progress.content.length - 1] = { type: "text", text: before.text + block.text };
    } else {
      progress.content.push(block);
    }
  }
}

/** Returns the final response of a stream: all its chunks together. Each of them went through post-processing. */
function whole(tool: CallableTool, last: ToolResponse, progress: Progress): ToolResponse {
  const { id: _, ...fields } = last;
  if (tool.chunks === "cumulative") return new ToolResponse({ ...fields, isLast: true });
  const { content, data } = progress;
  const joined = data.every((item) => typeof item === "string") ? data.join("") : data;
  const known = data.some((item) => item !== undefined);
  return new ToolResponse({ ...fields, content, data: known ? joined : undefined, isLast: true });
}

async function conclude(
  tool: CallableTool,
  call: ToolCall,
  response: ToolResponse,
  scope: CallScope,
): Promise<Outcome> {
  const processed = await postprocess(tool, call, response, scope);
  return processed === unsettled ? stopOutcome(tool, scope) : { kind: "done", response: processed };
}

/** An error of the post-processing, to distinguish it from an error of the tool. */
class PostprocessFault extends Error {
  constructor(cause: unknown) {
    super("post-processing failed", { cause });
  }
}

function isFault(error: unknown): error is PostprocessFault {
  try {
    return error instanceof PostprocessFault;
  } catch {
    return false;
  }
}

/** Returns the response after post-processing. Throws a {@link PostprocessFault}. */
export async function postprocess(
  tool: CallableTool,
  call: ToolCall,
  response: ToolResponse,
  scope: CallScope,
): Promise<ToolResponse | typeof unsettled> {
  if (tool.postprocess === undefined) return response;
  try {
    const given = await scope.settle(tool.postprocess(call, response));
    if (given === unsettled) return unsettled;
    return given === undefined || given === null ? response : toResponse(given, response.stream, response.isLast);
  } catch (error) {
    throw new PostprocessFault(error);
  }
}

function stopOutcome(tool: CallableTool, scope: CallScope): Outcome {
  if (scope.stop !== "timeout") return { kind: "interrupted" };
  const { name, timeoutMs } = tool;
  const message = `The tool "${name}" did not end within ${timeoutMs} ms.`;
  const error = new ToolkitError("toolkit/timeout", message, { name, timeoutMs });
  return { kind: "failed", error, info: { type: errorTypes.timeout, message }, retry: true, fromPostprocess: false };
}
