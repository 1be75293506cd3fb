import type { ToolResult } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";

/**
 * A result as requests have it when its text has more than `maxChars` UTF-16 units: the beginning, what `note` says of the rest (how many
 * are left out, and from where on), the end. Images and files stay; data that was cut is shown as text.
 */
export function cutResult(
  { data: _, ...result }: ToolResult,
  text: string,
  maxChars: number,
  note: (left: number, from: number) => string,
): ToolResult {
  const head = cutText(text, Math.floor(maxChars * 0.6));
  const from = text.length - Math.floor(maxChars * 0.4);
  // No character is cut in two.
  const tail = text.slice(/[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from);
  const left = text.length - head.length - tail.length;
  const others = result.content.filter(({ type }) => type === "image" || type === "audio");
  const shown = `${head}\n\n${note(left, head.length)}\n\n${tail}`;
  return { ...result, content: [{ type: "text", text: shown }, ...others] };
}
