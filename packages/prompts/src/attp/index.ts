/** The system prompt that teaches a model ATTP, the Agentic TOML Tool-use Protocol. */
export { attpPrompt } from "./prompt.ts";
