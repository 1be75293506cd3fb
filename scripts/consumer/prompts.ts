import { promptList } from "@toolglot/prompts";
import { attpPrompt } from "@toolglot/prompts/attp";
import { dialectsPrompt } from "@toolglot/prompts/dialects";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";

export function consume(): string {
  const text = attpPrompt.build({ toolsText: "def add(a: int, b: int) -> int: ...", locale: "zh", mode: "single" });
  const prompts = [attpPrompt, dialectsPrompt, tamPrompt, toolsxmlPrompt];
  const listed = prompts.every(({ forProtocol }) => promptList.some((prompt) => prompt.forProtocol === forProtocol));
  const taught = [
    text.includes("def add(a: int, b: int) -> int: ...") && text.includes("__result__"),
    dialectsPrompt.build({ toolsText: "### add", locale: "en", mode: "loop" }).includes("### add"),
    tamPrompt.build({ toolsText: "### add", locale: "en", mode: "loop" }).includes("<|[REQUEST_TOOL]|>"),
    toolsxmlPrompt.build({ toolsText: "### add", locale: "en", mode: "loop" }).includes("</tools>"),
  ];
  return [listed, ...taught].join(" | ");
}

export const expected = "true | true | true | true | true";
