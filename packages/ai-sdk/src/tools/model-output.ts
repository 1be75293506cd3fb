import { type ContentBlock, contentText, toJsonText } from "@toolglot/core";
import { cutEnds } from "@toolglot/core/results";
import { isObject } from "@toolglot/internal";
import { resultPart } from "../file-parts.ts";
import { blockOf } from "../result-content.ts";
import type { Part } from "../spec.ts";
import type { ToolOutput } from "./types.ts";

/** Whether files of outputs are written as ai 7 has them; older forms are understood by both. */
let isNewer = false;

/** Learns from the options of a call which version runs. */
export function noteOptions(options: object): void {
  isNewer = "context" in options && !("experimental_context" in options);
}

/** Returns what a tool gave, as content and data. */
export function contentOf(value: unknown): ToolOutput {
  if (typeof value === "string") return { content: [{ type: "text", text: value }], data: value };
  if (isBlocks(value)) return { content: value };
  if (value === undefined) return { content: [{ type: "text", text: "(no output)" }] };
  return { content: [{ type: "text", text: toJsonText(value) }], data: value };
}

function isBlocks(value: unknown): value is ContentBlock[] {
  const types = ["text", "image", "audio", "resource"];
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block) => isObject(block) && types.includes(block.type as string))
  );
}

/** Returns an output as the model gets it: text, data alone as JSON, or content with files. */
export function toModelOutput({ content, data }: ToolOutput, maxChars: number): object {
  if (content.length === 0 && data !== undefined) return { type: "json", value: data };
  const files = content.filter((block) => block.type !== "text");
  if (files.length === 0) return { type: "text", value: cut(contentText(content), maxChars) };
  return {
    type: "content",
    value: content.map((block) => shorten(resultPart(block, isNewer ? "v4" : "v3"), maxChars)),
  };
}

const shorten = (part: Part, maxChars: number): Part =>
  part.type === "text" ? { ...part, text: cut(part.text as string, maxChars) } : part;

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const { head, tail } = cutEnds(text, maxChars);
  return `${head}\n… (${text.length - head.length - tail.length} of ${text.length} characters were left out) …\n${tail}`;
}

/** Returns a result for the model in the SDK's form, as content or a value; throws for an error. */
export function fromModelOutput(output: unknown): { content: ContentBlock[] } | { value: unknown } | { error: string } {
  const { type, value, reason } = (isObject(output) ? output : {}) as {
    type?: string;
    value?: unknown;
    reason?: unknown;
  };
  const text = (of: unknown): string => (typeof of === "string" ? of : toJsonText(of));
  if (type === "error-text" || type === "error-json") return { error: text(value) };
  if (type === "execution-denied") return { error: typeof reason === "string" ? reason : "The call was denied." };
  if (type === "content") return { content: (value as Part[]).map(blockOf) };
  return type === "json" ? { value } : { content: [{ type: "text", text: text(value) }] };
}
