import type { OperationLog } from "@toolglot/core";
import { judgeHttp, onceCall } from "@toolglot/core/once";

/** What Mastra says of a call: the id is the same when its workflow runs the step again. */
interface CallContext {
  agent?: { toolCallId: string } | undefined;
  abortSignal?: AbortSignal | undefined;
}

/** Returns a function for `execute` of a tool of a durable agent: a call whose process died after the effect is not made again. */
export const onceStep =
  <Input, Output>(log: OperationLog, scope: string, execute: (input: Input) => Promise<Output>) =>
  async (input: Input, { agent, abortSignal }: CallContext = {}): Promise<Output> => {
    const key = agent && { key: () => agent.toolCallId };
    const { value } = await onceCall(input, { log, scope, ...key, judge: judgeHttp }, abortSignal, () =>
      execute(input),
    );
    return value as Output;
  };
