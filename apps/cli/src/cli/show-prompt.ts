import type { AgentEvent } from "@toolglot/agent";
import { messageText } from "@toolglot/core";
import type { RunView } from "../view/run-view.ts";
import type { Screen } from "../view/screen.ts";
import { visible } from "../view/visible.ts";

type RequestEvent = Extract<AgentEvent, { type: "request" }>;

/** A view that also shows what the model is asked: all messages at first, then only the new ones. */
export function withPrompt(view: RunView, { write, style }: Screen): RunView {
  return {
    event(event) {
      if (event.type === "request") write(requestText(event, style.dim, style.strong));
      view.event(event);
    },
    modelText: (text) => view.modelText(text),
    task: (event) => view.task(event),
  };
}

function requestText(
  { messages, tools }: RequestEvent,
  dim: (text: string) => string,
  strong: (text: string) => string,
): string {
  const parts = messages.map((message) => {
    const extra = message.parts.filter(({ type }) => type !== "text").map((part) => JSON.stringify(part));
    const text = [messageText(message), ...extra].filter(Boolean).join("\n");
    return `  ${strong(`→ ${message.role}`)} ${dim(`(${message.trust})`)}\n${indent(text, dim)}\n`;
  });
  if (tools) parts.unshift(`  ${strong("→ tools")}\n${indent(JSON.stringify(tools, null, 2), dim)}\n`);
  return `${parts.join("\n")}\n`;
}

function indent(text: string, dim: (text: string) => string): string {
  return visible(text)
    .split("\n")
    .map((line) => `  ${dim(`│ ${line}`)}`)
    .join("\n");
}
