import { checkKeys } from "@toolglot/core";
import { createBridge } from "@toolglot/core/bridge";
import { AnswerConverter, type ConverterMaker } from "./answer-converter.ts";
import { collectContent } from "./collect-content.ts";
import { convertStream } from "./convert-stream.ts";
import type { ToolglotMiddlewareOptions } from "./options.ts";
import type { CallParams, GenerateResult, SpecificationVersion, StreamResult } from "./spec.ts";
import { type CallState, transformParams } from "./transform-params.ts";

/** A middleware for `wrapLanguageModel` of ai 6 or ai 7. */
export interface ToolglotMiddleware<Version extends SpecificationVersion = SpecificationVersion> {
  readonly specificationVersion: Version;
  // biome-ignore lint/suspicious/noExplicitAny: the types of two specifications, of which the user has one.
  transformParams(options: { type: "generate" | "stream"; params: any; model?: any }): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  wrapGenerate(options: { doGenerate(): PromiseLike<any>; params: any; model?: any }): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  wrapStream(options: { doStream(): PromiseLike<any>; params: any; model?: any }): Promise<any>;
}

const known =
  'protocol:object specificationVersion:"v3"|"v4" locale:"zh"|"en" placement:"first"|"last" programs:object providerTools:"pass"|"drop" unreadable:"feedback"|"text" values:"hold"|"run" definitions:object[] onDiagnostic:function';

/**
 * Lets any model call tools in text, inside `generateText`, `streamText` and agents of the AI SDK: tools become instructions, blocks in
 * the answer become tool calls, and results text again. With a protocol that declares its tools, as `dialectProtocol`, the request stays
 * as it is, and calls are found in the text of answers in which the provider made none.
 *
 * Throws `TypeError` for options that can't be meant. A call throws `ToolglotError` `ai-sdk/tool-choice` when `toolChoice` asks for
 * a tool that is not there.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({
 *   model: provider,
 *   middleware: toolglotMiddleware({
 *     protocol: toolsxmlProtocol({ prompt: toolsxmlPrompt }),
 *     specificationVersion: "v3", // ai 6; leave it out for ai 7
 *   }),
 * });
 * ```
 */
export function toolglotMiddleware<Version extends SpecificationVersion = "v4">(
  options: ToolglotMiddlewareOptions<Version>,
): ToolglotMiddleware<Version> {
  checkKeys("toolglotMiddleware", options, known, ["protocol"], { definitions: "It is a list of tool definitions." });
  checkOptions(options);
  const { specificationVersion = "v4" as Version, onDiagnostic } = options;
  const states = new WeakMap<object, CallState>();
  const converterOf = (params: CallParams, model: Model | undefined): ConverterMaker | undefined => {
    const state = states.get(params);
    if (!state?.bridge && (state?.warnings.length ?? 0) === 0) return undefined;
    return (emit) =>
      new AnswerConverter(state as CallState, emit, (diagnostic) => {
        try {
          onDiagnostic?.(diagnostic, { modelId: model?.modelId ?? "" });
        } catch {
          // A failing listener must not affect the answer.
        }
      });
  };
  return {
    specificationVersion,
    async transformParams({ params, model }: { params: CallParams; model?: Model }): Promise<CallParams> {
      const version = model?.specificationVersion === "v3" || specificationVersion === "v3" ? "v3" : "v4";
      const { params: changed, state } = transformParams(params, options, version);
      states.set(changed, state);
      return changed;
    },
    async wrapGenerate({ doGenerate, params, model }): Promise<GenerateResult> {
      const makeConverter = converterOf(params, model);
      const result: GenerateResult = await doGenerate();
      return makeConverter ? collectContent(result, makeConverter) : result;
    },
    async wrapStream({ doStream, params, model }): Promise<StreamResult> {
      const makeConverter = converterOf(params, model);
      const result: StreamResult = await doStream();
      return makeConverter ? { ...result, stream: convertStream(result.stream, makeConverter) } : result;
    },
  };
}

type Model = { specificationVersion?: string; modelId?: string };

function checkOptions(options: ToolglotMiddlewareOptions<SpecificationVersion>): void {
  const { protocol, programs, locale, unreadable, values } = options;
  if (typeof protocol?.createParser !== "function")
    throw new TypeError(
      "toolglotMiddleware: protocol is a protocol, as toolsxmlProtocol({ prompt }) of @toolglot/toolsxml makes it.",
    );
  // It checks what it is given.
  createBridge(protocol, {
    tools: [],
    ...(programs !== undefined && { programs }),
    ...(locale !== undefined && { locale }),
    ...(unreadable !== undefined && { unreadable }),
    ...(values !== undefined && { values }),
  });
}
