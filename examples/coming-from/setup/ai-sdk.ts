import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool } from "ai";
import { z } from "zod";
import { type Answer, scripted } from "./scripted.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** Returns a model of the AI SDK that asks a scripted server. */
export const modelOver = (fetch: ReturnType<typeof scripted>) =>
  createOpenAICompatible({ name: "local", baseURL: "http://local/v1", fetch })("any");

/** Returns a model that gives these answers, in the place of yours. */
export const model = (...answers: Answer[]) => modelOver(scripted(...answers));

export const tools = {
  write: tool({
    description: "Writes a file.",
    inputSchema: z.object({ path: z.string(), content: z.string() }),
    execute: async ({ path, content }) => {
      console.log(`${path} is now: ${content}`);
      return "written";
    },
  }),
};
