import { type Attributes, type Context, type MetricOptions, metrics } from "@opentelemetry/api";
import type { Usage } from "@toolglot/core";
import { quietly, type Scope } from "@toolglot/internal/otel";
import manifest from "../../package.json" with { type: "json" };

/** The maker of spans and metrics, and the schema of the conventions' commit that docs/tracing.md names. */
export const scope: Scope = {
  name: manifest.name,
  version: manifest.version,
  schemaUrl: "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev",
};

/** Returns numbers that double from the first; the conventions' boundaries. */
const doubling = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => Number((first * 2 ** at).toFixed(2)));

const calls = doubling(0.01, 14);

type DurationName =
  | "gen_ai.client.operation.duration"
  | "gen_ai.client.operation.time_to_first_chunk"
  | "gen_ai.invoke_agent.duration"
  | "gen_ai.execute_tool.duration";

const durations: Record<DurationName, [description: string, boundaries: number[]]> = {
  "gen_ai.client.operation.duration": ["GenAI operation duration.", calls],
  "gen_ai.client.operation.time_to_first_chunk": ["Time to receive the first chunk of a streamed answer.", calls],
  "gen_ai.invoke_agent.duration": ["The duration of a single agent invocation.", doubling(0.1, 13)],
  "gen_ai.execute_tool.duration": ["The duration of a single tool execution.", calls],
};

/** Records a time in milliseconds. */
export function recordDuration(name: DurationName, ms: number, attributes: Attributes, at: Context): void {
  const [description, explicitBucketBoundaries] = durations[name];
  record(name, { unit: "s", description, advice: { explicitBucketBoundaries } }, ms / 1000, attributes, at);
}

/** Records the tokens that the provider counted. */
export function recordTokens(usage: Usage | undefined, attributes: Attributes, at: Context): void {
  const options: MetricOptions = {
    unit: "{token}",
    description: "Number of input and output tokens used.",
    advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, power) => 4 ** power) },
  };
  for (const [type, tokens] of [
    ["input", usage?.inputTokens],
    ["output", usage?.outputTokens],
  ] as const) {
    if (tokens === undefined) continue;
    record("gen_ai.client.token.usage", options, tokens, { ...attributes, "gen_ai.token.type": type }, at);
  }
}

/** Records a value. The instrument is not kept: the process may install its meter after this module is loaded. */
function record(name: string, options: MetricOptions, value: number, attributes: Attributes, at: Context): void {
  const { name: meter, version, schemaUrl } = scope;
  quietly(() =>
    metrics
      .getMeter(meter, version, schemaUrl === undefined ? {} : { schemaUrl })
      .createHistogram(name, options)
      .record(value, attributes, at),
  );
}
