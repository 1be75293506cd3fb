/** Which prompts there are. Each lives in its own subpath, so that a program loads only the texts it sends. */
export { type PromptInfo, promptList } from "./list.ts";
