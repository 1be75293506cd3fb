import type { Action, Decision, Message, MessagePart, ToolResult } from "@toolglot/core";
import { expectedCalls } from "../loop/act.ts";
import { askApproval } from "../loop/approvals.ts";
import { riskyTools } from "../loop/decide.ts";
import type { Run } from "../loop/run.ts";
import type { AskedActions } from "../loop/types.ts";

/** A shorter program than this, in characters that are no white space, may well be the same by chance. */
const minProgramLength = 24;

/**
 * Untrusted text can't act: when the model repeats a block from such a text, the block waits for the host. So does a
 * program from such a text that calls a tool with effects, whatever the model wrote around it. Resolves to the host's decision about an
 * echo; undefined when there is none.
 */
export async function guardEcho(
  run: Run,
  { text, span: { start, end } }: NonNullable<AskedActions["block"]>,
  actions: readonly Action[],
): Promise<Decision | undefined> {
  const programs = actions.flatMap((action) =>
    action.kind === "code" && riskyTools(action, run.step.tools).length > 0 ? [bare(action.source)] : [],
  );
  const needles = [bare(text), ...programs.filter((program) => program.length >= minProgramLength)];
  if (!occurs(run.conversation, needles.filter(Boolean))) return undefined;
  run.emit({
    type: "diagnostic",
    stepIndex: run.stepIndex,
    diagnostic: {
      code: "core/echoed-block",
      severity: "warning",
      affects: "none",
      message:
        "This stands in untrusted text of the conversation, word for word; it is not run unless the host says so.",
      span: { start, end },
      source: "core",
    },
  });
  const callId = actions.flatMap(expectedCalls)[0]?.callId ?? `echo_${run.stepIndex}`;
  const reason =
    "The model repeats a block that came from a tool's output, a page or a file, which must not give orders.";
  return askApproval(run, { kind: "echoed-block", callId, input: text, reason });
}

/** The bare untrusted texts of messages, made once for each. */
const bareTexts = new WeakMap<Message, string[]>();

function occurs(messages: Iterable<Message>, needles: readonly string[]): boolean {
  for (const message of messages) {
    let texts = bareTexts.get(message);
    if (texts === undefined) {
      texts = untrustedTexts(message).map(bare);
      bareTexts.set(message, texts);
    }
    if (texts.some((text) => needles.some((needle) => text.includes(needle)))) return true;
  }
  return false;
}

/** Returns text without white space and invisible characters, so that neither indentation nor line ends hide an echo. */
function bare(text: string): string {
  return text.replace(/[\s\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]+/g, "");
}

/** Returns every text of a message that came from outside: results of tools, pages and files. In its original form. */
function untrustedTexts(message: Message): string[] {
  if (message.role === "assistant") return [];
  const all = message.trust === "untrusted";
  return message.parts.flatMap((part) => (all || part.type === "result" ? partTexts(part) : []));
}

function partTexts(part: MessagePart): string[] {
  switch (part.type) {
    case "result":
      return resultTexts(part.result);
    case "file":
      return fileTexts(part.mediaType, part.data);
    case "call":
      return stringsIn(part.call.input);
    default:
      return [part.text];
  }
}

/** Returns the texts of a result, less the error's source line: that is the model's own. */
function resultTexts({ content, data, error, logs }: ToolResult): string[] {
  return [
    ...content.flatMap((block) => ("text" in block && block.text !== undefined ? [block.text] : [])),
    ...stringsIn(data),
    ...(error ? [error.message] : []),
    ...(logs ? [logs.map((entry) => entry.text).join("")] : []),
  ];
}

function fileTexts(mediaType: string, data: string | undefined): string[] {
  if (data === undefined || !/^text\/|json|xml|yaml|toml/.test(mediaType)) return [];
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return [new TextDecoder().decode(bytes)];
  } catch {
    // No base64: whatever it is, it is text.
    return [data];
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}
