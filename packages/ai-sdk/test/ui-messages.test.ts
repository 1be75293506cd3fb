import {
  convertToModelMessages,
  jsonSchema,
  readUIMessageStream,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { expect, it } from "vitest";
import { toolglotMiddleware } from "../src/index.ts";
import { toolsxml, write } from "./support/protocols.ts";
import { scriptedProvider } from "./support/scripted-provider.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

it("a history that a browser kept as UI messages is the same text again, refusals too", async () => {
  const block = write(toolsxml, ["weather", { city: "Rome", days: 2 }]);
  const broken = `I look.\n\n${block.slice(0, block.indexOf("Rome") + 2)}`;
  const { model, asked } = scriptedProvider([broken, `Again.\n\n${block}`, "Warm.", "Still warm."]);
  const tools = {
    weather: tool({
      inputSchema: jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      }),
      execute: async ({ city }) => `${city} is warm.`,
    }),
  };
  const middleware = toolglotMiddleware({ protocol: toolsxml, specificationVersion: "v3" });
  const wrapped = wrapLanguageModel({ model, middleware });
  const ask: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "Weather?" }] };
  const run = streamText({
    model: wrapped,
    tools,
    stopWhen: stepCountIs(5),
    messages: await convertToModelMessages([ask]),
  });
  let answer: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: run.toUIMessageStream() })) answer = message;
  const kept = JSON.parse(
    JSON.stringify([ask, answer, { id: "u2", role: "user", parts: [{ type: "text", text: "And now?" }] }]),
  );
  const again = streamText({ model: wrapped, tools, messages: await convertToModelMessages(kept, { tools }) });
  expect(await again.text).toBe("Still warm.");
  const texts = (prompt: { content: { text?: string }[] | string }[]) =>
    prompt.map(({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join("")));
  const [, , third, fourth] = asked;
  expect(texts(fourth.prompt).slice(0, 6)).toEqual(texts(third.prompt).slice(0, 6));
  expect(texts(fourth.prompt)[2]).toContain("<weather ");
  expect(texts(fourth.prompt)[3]).toMatch(/nothing of it was run/);
});
