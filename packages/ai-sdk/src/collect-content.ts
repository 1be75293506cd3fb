import type { ConverterMaker } from "./answer-converter.ts";
import type { GenerateResult, Part } from "./spec.ts";

/** Returns a whole answer with its calls. */
export function collectContent(result: GenerateResult, makeConverter: ConverterMaker): GenerateResult {
  const content: Part[] = [];
  const open = new Map<unknown, { type: string; text: string }>();
  const converter = makeConverter((part) => {
    const [, kind, place] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? [];
    if (kind && place === "start") {
      const made = { type: kind, text: "" };
      open.set(part.id, made);
      content.push(made);
    } else if (kind && place === "delta") {
      const made = open.get(part.id);
      if (made) made.text += part.delta as string;
    } else if (!kind && !part.type.startsWith("tool-input-")) content.push(part);
  });
  for (const part of result.content) {
    if (part.type === "text" && converter.reads) converter.text(part.text as string);
    else converter.pass(part);
  }
  const { finishReason, warnings, providerMetadata } = converter.end(result.finishReason, result.providerMetadata);
  return {
    ...result,
    content,
    finishReason,
    ...(providerMetadata && { providerMetadata }),
    warnings: [...result.warnings, ...converter.warnings, ...warnings],
  };
}
