import type { Attributes } from "@opentelemetry/api";
import type { ModelInfo, Usage } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { TracedRun } from "../tracing.ts";

/** Options of `otelTracing`. */
export interface OtelTracingOptions {
  /** Whether messages, system texts and tools are recorded that models get. Default false. */
  recordInputs?: boolean;
  /** Whether messages are recorded that models write. Default false. */
  recordOutputs?: boolean;
  /** UTF-16 units of a recorded list; of a longer one the newest messages stay, and texts in them are cut. Default 4,096. */
  maxLength?: number;
  /** A name of few different values; it is part of the span's name. Default: none. */
  agentName?: string;
  agentId?: string;
  /** Id that runs of one conversation share. Default: the run's id. */
  conversationId?: string;
}

/** Attributes of all spans of a run. */
export type Identity = Attributes & { "gen_ai.provider.name": string };

export function identityOf({ agentName, agentId, conversationId }: OtelTracingOptions, run: TracedRun): Identity {
  return {
    "gen_ai.provider.name": run.model?.provider ?? "_OTHER",
    "gen_ai.conversation.id": conversationId ?? run.runId,
    ...defined({ "gen_ai.agent.name": agentName, "gen_ai.agent.id": agentId }),
  };
}

/** Returns attributes of the model, and of a request. */
export function requestAttributes(
  model: ModelInfo | undefined,
  { maxTokens, stop }: { maxTokens?: number; stop?: readonly string[] },
): Attributes {
  return defined({
    "gen_ai.request.model": model?.modelId,
    "gen_ai.request.max_tokens": maxTokens,
    "gen_ai.request.stop_sequences": stop && [...stop],
  });
}

export function usageAttributes(usage: Usage = {}): Attributes {
  return defined({
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  });
}
