import { toolglotMiddleware } from "@toolglot/ai-sdk";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { generateText, stepCountIs, wrapLanguageModel } from "ai";
import { model, tools } from "../setup/ai-sdk.ts";

const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
const middleware = toolglotMiddleware({ protocol, specificationVersion: "v3" }); // ai 6; ai 7 needs no version

const call = '<tools>\n<write path="two.js">\n<content>const a = "x", b = "y";</content>\n</write>\n</tools>';
for (const script of [[call], [{ text: call.slice(0, 60), isCutOff: true }, call]]) {
  const { text, steps } = await generateText({
    model: wrapLanguageModel({ model: model(...script, "Done."), middleware }),
    tools,
    prompt: "Write two.js.",
    stopWhen: stepCountIs(5),
  });
  console.log(`The answer is "${text}" in ${steps.length} steps.`);
}
