import { toolglotMiddleware } from "@toolglot/ai-sdk";
import type { ToolProtocol } from "@toolglot/core";
import { wrapLanguageModel } from "ai";

/** A model of a provider package of the AI SDK. */
type ProviderModel = Parameters<typeof wrapLanguageModel>[0]["model"];

/** Returns a model for agents of Mastra that calls tools in text, in any protocol. For ai 7 leave `specificationVersion` out. */
export const textModel = (model: ProviderModel, protocol: ToolProtocol) =>
  wrapLanguageModel({ model, middleware: toolglotMiddleware({ protocol, specificationVersion: "v3" }) });
