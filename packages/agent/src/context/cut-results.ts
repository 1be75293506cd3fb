import type { Message, MessagePart, ToolResult } from "@toolglot/core";
import {
  cutEnds,
  cuttableTexts,
  type ResultForm,
  type ResultTexts,
  shareBudget,
  withTexts,
} from "@toolglot/core/results";
import { artifactOf } from "./artifacts.ts";

/** The texts of a result that may be cut. */
type TextName = Exclude<keyof ResultTexts, "isJson">;

const textNames: readonly TextName[] = ["message", "value", "stdout", "stderr"];

/**
 * Returns how much of each text of a message's results fits when they may have `max` UTF-16 units together; undefined when all of them fit.
 * Pieces of artifacts stay whole.
 */
export function textRooms(
  { parts }: Message,
  max: number,
  form: ResultForm,
): Map<ToolResult, Partial<Record<TextName, number>>> | undefined {
  if (!parts.some(({ type }) => type === "result")) return undefined;
  const texts = new Map<readonly [ToolResult, TextName], string>();
  let left = max;
  for (const part of parts) {
    if (part.type !== "result") continue;
    const found = cuttableTexts(part.result, form);
    for (const name of textNames) {
      const text = found[name];
      if (text === undefined) continue;
      if (artifactOf(part.result) === undefined) texts.set([part.result, name], text);
      else left -= text.length;
    }
  }
  const rooms = shareBudget(texts, Math.max(0, left));
  const cut = new Map<ToolResult, Partial<Record<TextName, number>>>();
  for (const [key, text] of texts) {
    const room = rooms.get(key) ?? 0;
    const [result, name] = key;
    if (room < text.length) cut.set(result, { ...cut.get(result), [name]: room });
  }
  return cut.size === 0 ? undefined : cut;
}

/**
 * Returns a result as requests have it: of each text that has more than its room the beginning, a `note` about the rest (how many
 * characters are left out, of which text, from where on), and the end. Images and files stay.
 */
export async function cutResult(
  result: ToolResult,
  rooms: Partial<Record<TextName, number>>,
  form: ResultForm,
  note: (left: number, text: string, from: number) => Promise<string>,
): Promise<ToolResult> {
  const texts = cuttableTexts(result, form);
  const changed: Omit<ResultTexts, "isJson"> = {};
  for (const [name, room] of Object.entries(rooms) as [TextName, number][]) {
    const text = texts[name] ?? "";
    const { head, tail } = cutEnds(text, room);
    const left = text.length - head.length - tail.length;
    changed[name] = `${head}\n\n${await note(left, text, head.length)}\n\n${tail}`;
  }
  return withTexts(result, changed, form);
}

/** Returns the message with some of its results changed; the same message when none is. */
export function changeResults(
  message: Message,
  isMeant: (result: ToolResult) => boolean,
  change: (result: ToolResult) => Promise<ToolResult>,
): Message | Promise<Message> {
  const isChanged = (part: MessagePart): part is MessagePart & { type: "result" } =>
    part.type === "result" && isMeant(part.result);
  if (!message.parts.some(isChanged)) return message;
  return (async () => {
    const parts: MessagePart[] = [];
    for (const part of message.parts)
      parts.push(isChanged(part) ? { ...part, result: await change(part.result) } : part);
    return { ...message, parts };
  })();
}
