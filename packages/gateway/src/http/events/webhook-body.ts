import { createHmac } from "node:crypto";
import type { JsonObject } from "@toolglot/core";
import { visibleText } from "@toolglot/internal";

/** What a webhook tells, before it has the form that its receiver wants. */
export interface WebhookEvent {
  type: "approval.requested" | "approval.decided" | "operation.in_doubt" | "audit.head" | "upstream.changed";
  /** The same however often it is sent: receivers can pass over what they know. */
  id: string;
  /** ISO 8601. */
  at: string;
  /** One sentence, for people. */
  summary: string;
  /** Where it can be looked at, and decided. */
  url?: string;
  /** What else programs need. */
  facts: JsonObject;
}

/** How the body is written: for programs, or for a chat. */
export type WebhookFormat = "json" | "slack" | "teams";

/**
 * Returns the body of a request. In chats a link leads to the page: a button there would decide for whoever can press it, and
 * nobody would see the arguments.
 */
export function webhookBody(event: WebhookEvent, format: WebhookFormat): string {
  const { type, id, at, summary, url, facts } = event;
  const sentence = visibleText(summary);
  if (format === "slack") {
    const plain = sentence.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    return JSON.stringify({ text: url === undefined ? plain : `${plain} <${url}|${linkText}>` });
  }
  if (format === "teams") {
    const plain = sentence.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&");
    const text = url === undefined ? plain : `${plain} [${linkText}](${url})`;
    const content = {
      ...{ $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4" },
      body: [{ type: "TextBlock", text, wrap: true }],
    };
    const card = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
    return JSON.stringify({ type: "message", attachments: [card] });
  }
  return JSON.stringify({ type, id, at, summary, ...(url !== undefined && { url }), ...facts });
}

const linkText = "Look at it";

/** Returns the value of `toolglot-signature`: the time in seconds, and HMAC-SHA256 over that, a dot and the body. */
export function signatureOf(secret: string, body: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}
