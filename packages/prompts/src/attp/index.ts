/** The system prompts that teach a model ATTP, the Agentic TOML Tool-use Protocol. */
export { attpJavascriptPrompt, attpPrompt } from "./prompt.ts";
