import { type Attributes, type Context, context, SpanKind } from "@opentelemetry/api";
import { checkKeys, defined } from "@toolglot/internal";
import { type Begun, beginSpan, fail, quietly, readTraceparent, traceparentText } from "@toolglot/internal/otel";
import type { RunResult } from "../result.ts";
import type { AgentTracing, RequestTrace, RunTrace, TracedAnswer, TracedRequest, TracedRun } from "../tracing.ts";
import {
  type Identity,
  identityOf,
  type OtelTracingOptions,
  requestAttributes,
  usageAttributes,
} from "./attributes.ts";
import { finishReasons, inputMessages, outputMessages, systemInstructions, toolDefinitions } from "./messages.ts";
import { recordDuration, recordTokens, scope } from "./metrics.ts";

type Settings = Required<Pick<OtelTracingOptions, "recordInputs" | "recordOutputs" | "maxLength">> & OtelTracingOptions;

/**
 * Creates spans and metrics of runs, for `createAgent({ tracing: otelTracing() })`, in the semantic conventions for GenAI (development status):
 *
 * - A run is a span `invoke_agent NAME` of kind internal. Each request to the model is a span `chat MODEL` of kind client below it, and
 *   so are the spans of toolkits (`execute_tool NAME`), sandboxes and routers: one trace for each run. Parents need a context manager,
 *   which every SDK for Node registers.
 * - Histograms: `gen_ai.client.token.usage`, `gen_ai.client.operation.duration`, `gen_ai.client.operation.time_to_first_chunk`,
 *   `gen_ai.invoke_agent.duration`, `gen_ai.execute_tool.duration`, of failed operations as well.
 *
 * No message is recorded unless you ask for it. Without an SDK in the process nothing happens; it may be registered at any time.
 * Throws `TypeError` for options of a wrong type.
 *
 * @example
 * ```ts
 * const tracing = otelTracing({ agentName: "support", recordInputs: true });
 * ```
 */
export function otelTracing(options: OtelTracingOptions = {}): AgentTracing {
  checkKeys(
    "otelTracing",
    options,
    "recordInputs:boolean recordOutputs:boolean maxLength:number agentName:string agentId:string conversationId:string",
  );
  const { recordInputs = false, recordOutputs = false, maxLength = 4096 } = options;
  if (!(maxLength >= 0))
    throw new TypeError(`maxLength must be a number of characters from 0, not ${String(maxLength)}.`);
  const settings: Settings = { ...options, recordInputs, recordOutputs, maxLength };
  return { startRun: (run) => startRun(settings, run) };
}

function startRun(settings: Settings, run: TracedRun): RunTrace {
  const { recordInputs, recordOutputs, maxLength, agentName } = settings;
  const began = performance.now();
  const outside = context.active();
  const identity = identityOf(settings, run);
  const from = readTraceparent(run.resumedFrom);
  const begun = beginSpan(
    scope,
    agentName === undefined ? "invoke_agent" : `invoke_agent ${agentName}`,
    SpanKind.INTERNAL,
    {
      ...identity,
      "gen_ai.operation.name": "invoke_agent",
      ...requestAttributes(run.model, run),
      ...(recordInputs && { "gen_ai.input.messages": inputMessages(run.messages, maxLength) }),
    },
    () => outside,
    from === undefined ? [] : [{ context: from }],
  );
  const inside = begun?.inside ?? outside;
  return {
    ...(begun && defined({ traceparent: quietly(() => traceparentText(begun.span.spanContext())) })),
    within: (work) => context.with(inside, work),
    startRequest: (request) => startRequest(settings, identity, inside, request),
    toolCall({ name, isKnown, status, ms, errorType }) {
      const failed = status !== "ok" && status !== "pending" && { "error.type": errorType ?? status };
      const named = { "gen_ai.tool.name": isKnown ? name : "_OTHER", ...defined({ "gen_ai.agent.name": agentName }) };
      recordDuration("gen_ai.execute_tool.duration", ms, { ...named, ...failed }, inside);
    },
    end(result) {
      const type = errorTypeOf(result);
      const failed = type !== undefined && { "error.type": type };
      const facts: Attributes = { "toolglot.status": result.status, ...usageAttributes(result.usage) };
      const reasons = result.steps.map(({ finish }) => finish);
      if (reasons.length > 0) facts["gen_ai.response.finish_reasons"] = finishReasons(reasons);
      if (result.limit !== undefined) facts["toolglot.limit"] = result.limit;
      if (recordOutputs) {
        facts["gen_ai.output.messages"] = outputMessages({ text: result.text, reasoning: "", calls: [] }, maxLength);
      }
      endSpan(begun, facts, type);
      const model = requestAttributes(run.model, {});
      const named = defined({ "gen_ai.agent.name": agentName });
      recordDuration(
        "gen_ai.invoke_agent.duration",
        performance.now() - began,
        { ...named, ...model, ...failed },
        inside,
      );
    },
  };
}

/** Returns our code of a run that failed; a limit is no error. */
function errorTypeOf({ status, error }: RunResult): string | undefined {
  return status === "aborted" ? "aborted" : error?.code;
}

function startRequest(
  settings: Settings,
  identity: Identity,
  outside: Context,
  { request, tools, model, stepIndex }: TracedRequest,
): RequestTrace {
  const { recordInputs, recordOutputs, maxLength } = settings;
  const began = performance.now();
  const provider = model?.provider ?? identity["gen_ai.provider.name"];
  const common = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    ...defined({ "gen_ai.request.model": model?.modelId }),
  };
  const begun = beginSpan(
    scope,
    model?.modelId === undefined ? "chat" : `chat ${model.modelId}`,
    SpanKind.CLIENT,
    {
      ...identity,
      ...requestAttributes(model, request),
      ...common,
      "toolglot.step_index": stepIndex,
      ...(recordInputs && {
        "gen_ai.input.messages": inputMessages(request.messages, maxLength),
        ...defined({ "gen_ai.system_instructions": systemInstructions(request.messages, maxLength) }),
        "gen_ai.tool.definitions": toolDefinitions(tools, maxLength),
      }),
    },
    () => outside,
  );
  const inside = begun?.inside ?? outside;
  return {
    within: (work) => context.with(inside, work),
    firstPart: () =>
      recordDuration("gen_ai.client.operation.time_to_first_chunk", performance.now() - began, common, inside),
    end(answer: TracedAnswer) {
      const { finish, usage, error } = answer;
      const facts: Attributes = { ...usageAttributes(usage) };
      if (finish !== undefined) facts["gen_ai.response.finish_reasons"] = finishReasons([finish]);
      if (recordOutputs) facts["gen_ai.output.messages"] = outputMessages(answer, maxLength);
      endSpan(begun, facts, error?.code);
      const failed = error !== undefined && { "error.type": error.code };
      const ms = performance.now() - began;
      recordDuration("gen_ai.client.operation.duration", ms, { ...common, ...failed }, inside);
      recordTokens(usage, common, inside);
    },
  };
}

function endSpan(begun: Begun | undefined, facts: Attributes, errorType: string | undefined): void {
  quietly(() => begun?.span.setAttributes(facts));
  if (errorType !== undefined) quietly(() => begun && fail(begun.span, errorType));
  quietly(() => begun?.span.end());
}
