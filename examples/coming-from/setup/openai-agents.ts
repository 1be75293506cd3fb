import { tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { type Answer, scripted } from "./scripted.ts";

/** Returns OpenAI's client of a scripted server. */
export const clientOver = (fetch: ReturnType<typeof scripted>) =>
  new OpenAI({ apiKey: "none", baseURL: "http://local/v1", fetch });

/** Returns a client that gets these answers, in the place of yours. */
export const client = (...answers: Answer[]) => clientOver(scripted(...answers));

export const write = tool({
  name: "write",
  description: "Writes a file.",
  parameters: z.object({ path: z.string(), content: z.string() }),
  execute: async ({ path, content }) => {
    console.log(`${path} is now: ${content}`);
    return "written";
  },
});
