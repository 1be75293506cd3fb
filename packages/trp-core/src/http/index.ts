export { createFetchHandler } from "./fetch-handler.ts";
export { bearerToken } from "./headers.ts";
export type { Authenticate, HttpHead, HttpOptions } from "./types.ts";
