import { toolglotMiddleware } from "@toolglot/ai-sdk";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { generateText, stepCountIs, wrapLanguageModel } from "ai";
import { model, tools } from "../setup/ai-sdk.ts";

const middleware = toolglotMiddleware({
  protocol: toolsxmlProtocol({ prompt: toolsxmlPrompt }),
  specificationVersion: "v3", // ai 6; ai 7 needs no version
  onDiagnostic: ({ code, message }) => console.log(`${code}: ${message}`),
});

const block = (content: string) =>
  `<tools>\n<write>\n<path>a.md</path>\n<content>${content}</content>\n</write>\n</tools>`;
for (const damaged of [
  block("An element ends with </content>, never without."),
  { text: `I write.\n${block("half a te").slice(0, -30)}`, isCutOff: true },
  `${block("one")}\n<tool_response>written</tool_response>\n${block("two")}`,
]) {
  const { text } = await generateText({
    model: wrapLanguageModel({ model: model(damaged, "Done."), middleware }),
    tools,
    prompt: "Write a.md.",
    stopWhen: stepCountIs(5),
  });
  console.log(`The answer is ${JSON.stringify(text)}.\n`);
}
