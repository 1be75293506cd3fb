import { guardCalls } from "@toolglot/ai-sdk";
import type { OperationLog } from "@toolglot/core";
import { judgeHttp, onceCall } from "@toolglot/core/once";
import { wrapLanguageModel } from "ai";

/** A model of a provider package of the AI SDK. */
type ProviderModel = Parameters<typeof wrapLanguageModel>[0]["model"];

/** Returns a model for agents of Mastra whose damaged calls fail, and are written again. For ai 7 leave `specificationVersion` out. */
export const safeModel = (model: ProviderModel) =>
  wrapLanguageModel({ model, middleware: guardCalls({ specificationVersion: "v3" }) });

/** Returns a function for `execute` of a tool whose calls happen once: the same input again gets the first result. */
export const onceExecute =
  <Input, Output>(log: OperationLog, scope: string, execute: (input: Input) => Promise<Output>) =>
  async (input: Input, { abortSignal }: { abortSignal?: AbortSignal | undefined } = {}): Promise<Output | string> => {
    const { value, notice } = await onceCall(input, { log, scope, judge: judgeHttp }, abortSignal, () =>
      execute(input),
    );
    return notice === undefined ? (value as Output) : `${notice}\n${JSON.stringify(value)}`;
  };
