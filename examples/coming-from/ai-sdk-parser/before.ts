import { morphXmlToolMiddleware } from "@ai-sdk-tool/parser";
import { generateText, stepCountIs, wrapLanguageModel } from "ai";
import { model, tools } from "../setup/ai-sdk.ts";

const block = (content: string) => `<write>\n<path>a.md</path>\n<content>${content}</content>\n</write>`;
for (const damaged of [
  block("An element ends with </content>, never without."),
  { text: `I write.\n${block("half a te").slice(0, -21)}`, isCutOff: true },
  `${block("one")}\n<tool_response>written</tool_response>\n${block("two")}`,
]) {
  const { text } = await generateText({
    model: wrapLanguageModel({ model: model(damaged, "Done."), middleware: morphXmlToolMiddleware }),
    tools,
    prompt: "Write a.md.",
    stopWhen: stepCountIs(5),
  });
  console.log(`The answer is ${JSON.stringify(text)}.\n`);
}
