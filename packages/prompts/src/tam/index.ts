/** The system prompt that teaches a model TAM, the Tavern Action Manifest. */
export { tamPrompt } from "./prompt.ts";
