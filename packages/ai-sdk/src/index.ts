/** toolglot in the AI SDK. */
export { type ToolglotMiddleware, type ToolglotMiddlewareOptions, toolglotMiddleware } from "./middleware.ts";
