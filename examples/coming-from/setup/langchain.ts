import { ChatOpenAI } from "@langchain/openai";
import { tool } from "langchain";
import { z } from "zod";
import { type Answer, scripted } from "./scripted.ts";

/** Returns a chat model of LangChain that asks a scripted server. */
export const modelOver = (fetch: ReturnType<typeof scripted>) =>
  new ChatOpenAI({ model: "any", apiKey: "none", configuration: { baseURL: "http://local/v1", fetch } });

/** Returns a model that gives these answers, in the place of yours. */
export const model = (...answers: Answer[]) => modelOver(scripted(...answers));

export const write = tool(
  async ({ path, content }) => {
    console.log(`${path} is now: ${content}`);
    return "written";
  },
  {
    name: "write",
    description: "Writes a file.",
    schema: z.object({ path: z.string(), content: z.string() }),
  },
);
