import { checkKeys, type Locale, type ToolDefinition } from "@toolglot/core";
import { type CallFinding, CallGuard } from "@toolglot/core/check-call";
import { defined } from "@toolglot/internal";
import type { ToolglotMiddleware } from "../middleware.ts";
import { asWritten } from "../refused-calls.ts";
import type { CallParams, GenerateResult, Part, SpecificationVersion, StreamResult } from "../spec.ts";
import { guardStream } from "./guard-stream.ts";

/** Where a finding of {@link guardCalls} belongs to. */
export interface FoundCall {
  toolName: string;
  toolCallId: string;
  modelId: string;
  /** The call was refused; else it runs. */
  refused: boolean;
}

/** Options of {@link guardCalls}. */
export interface GuardCallsOptions<Version extends SpecificationVersion = "v4"> {
  /** What tools of the AI SDK can't say, by name: `annotations.readOnlyHint` of a tool that changes nothing, so that its calls run. */
  definitions?: readonly ToolDefinition[];
  /** `v3` for ai 6, `v4` for ai 7. For types. Default `v4`. */
  specificationVersion?: Version;
  /** Language of what the model reads. Default `en`. */
  locale?: Locale;
  /** Called for each finding. What it throws is ignored. */
  onFinding?(finding: CallFinding, call: FoundCall): void;
}

/**
 * Sees calls that a model or its provider damaged: one argument that swallowed the next ones, closing marks at the end of a value,
 * arguments that came twice or cut. Such a call fails with an explanation, and the model writes it again; a call of a tool that only reads
 * runs. Healthy calls pass as they are. Keep one for a program: a text that does end in a closing mark passes when it is sent a second time.
 *
 * @throws `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({
 *   model: provider,
 *   middleware: guardCalls({ specificationVersion: "v3" }), // ai 6; leave it out for ai 7
 * });
 * ```
 */
export function guardCalls<Version extends SpecificationVersion = "v4">(
  options: GuardCallsOptions<Version> = {},
): ToolglotMiddleware<Version> {
  const kinds = 'definitions:object[] specificationVersion:"v3"|"v4" locale:"zh"|"en" onFinding:function';
  checkKeys("guardCalls", options, kinds);
  const { definitions = [], specificationVersion = "v4" as Version, locale, onFinding } = options;
  const guard = new CallGuard({ uniqueIds: true, ...defined({ locale }) });

  /** Returns a call as it may be made. */
  const judge = (part: Part, { tools = [] }: CallParams, modelId = ""): Part => {
    const { toolCallId, toolName, input } = part as Part & { toolCallId: string; toolName: string; input: string };
    const declared = tools.find((tool) => tool.type === "function" && tool.name === toolName);
    const known = definitions.find(({ name }) => name === toolName);
    const tool = declared || known ? ({ description: "", ...known, ...declared } as ToolDefinition) : undefined;
    const verdict = guard.check({ id: toolCallId, name: toolName, input }, tool);
    if (!verdict) return part;
    const { findings, refusal } = verdict;
    for (const finding of findings) {
      try {
        onFinding?.(finding, { toolName, toolCallId, modelId, refused: refusal !== undefined });
      } catch {
        // A failing listener must not affect the answer.
      }
    }
    const found = findings.map(({ code, path, at }) => ({ code, path, ...defined({ at }) }));
    const about = { findings: found, ...defined({ refusal, text: refusal && input }) };
    const providerMetadata = { ...part.providerMetadata, toolglot: { ...part.providerMetadata?.toolglot, ...about } };
    // No JSON: the SDK then shows the model this text as an error, and its loop continues.
    return { ...part, ...(refusal !== undefined && { input: refusal }), providerMetadata };
  };
  const isGuarded = (part: Part): boolean => part.type === "tool-call" && part.providerExecuted !== true;

  return {
    specificationVersion,
    async transformParams({ params }: { params: CallParams }): Promise<CallParams> {
      const prompt = asWritten(params.prompt, "refusal");
      return prompt === params.prompt ? params : { ...params, prompt };
    },
    async wrapGenerate({ doGenerate, params, model }): Promise<GenerateResult> {
      const result: GenerateResult = await doGenerate();
      const content = result.content.map((part) => (isGuarded(part) ? judge(part, params, model?.modelId) : part));
      return content.every((part, at) => part === result.content[at]) ? result : { ...result, content };
    },
    async wrapStream({ doStream, params, model }): Promise<StreamResult> {
      const result: StreamResult = await doStream();
      const guarded = (part: Part): Part => (isGuarded(part) ? judge(part, params, model?.modelId) : part);
      return { ...result, stream: guardStream(result.stream, guarded) };
    },
  };
}
