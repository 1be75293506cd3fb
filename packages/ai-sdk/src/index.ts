/** toolglot in the AI SDK. */

export { type ToolglotMiddleware, type ToolglotMiddlewareOptions, toolglotMiddleware } from "./middleware.ts";
export { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from "./model/ai-sdk-model.ts";
