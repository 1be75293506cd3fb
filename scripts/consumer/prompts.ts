import { promptList } from "@toolglot/prompts";
import { attpPrompt } from "@toolglot/prompts/attp";

export function consume(): string {
  const text = attpPrompt.build({ toolsText: "def add(a: int, b: int) -> int: ...", locale: "zh", mode: "single" });
  const listed = promptList.some((prompt) => prompt.forProtocol === attpPrompt.forProtocol);
  return [listed, text.includes("def add(a: int, b: int) -> int: ..."), text.includes("__result__")].join(" | ");
}

export const expected = "true | true | true";
