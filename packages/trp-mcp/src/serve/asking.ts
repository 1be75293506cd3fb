import { randomUUID } from "node:crypto";
import type { ClientCapabilities, ServerContext, StandardSchemaV1 } from "@modelcontextprotocol/server";
import type { Question, QuestionAnswer } from "@toolglot/core";
import { isObject, maxTimerMs } from "@toolglot/internal";
import type { ApprovalDecision, ApprovalQuestion } from "../types.ts";

/** What a client lets itself be asked. */
export interface Askable {
  forms: boolean;
  urls: boolean;
  sampling: boolean;
  roots: boolean;
}

/** Reads what a client declared. Before there were modes, `elicitation: {}` meant forms. */
export function askable({ elicitation, sampling, roots }: ClientCapabilities = {}): Askable {
  const { form, url } = elicitation ?? {};
  return {
    forms: elicitation !== undefined && (form !== undefined || url === undefined),
    urls: url !== undefined,
    sampling: sampling !== undefined,
    roots: roots !== undefined,
  };
}

/** Parameters of `elicitation/create`. */
export type Elicitation = { message: string } & (
  | { requestedSchema: { type: "object"; [key: string]: unknown } }
  | { mode: "url"; url: string }
);

/** Returns what asks about an approval; undefined where the client can't be asked. */
export function approvalElicitation(question: ApprovalQuestion, client: Askable): Elicitation | undefined {
  const { text: message, url, pageOnly = false } = question;
  if (!pageOnly && client.forms) return { message, requestedSchema: approvalSchema };
  return client.urls && url !== undefined ? { message, mode: "url", url } : undefined;
}

const approvalSchema = {
  type: "object" as const,
  properties: {
    decision: { type: "string", title: "Decision", enum: ["approve", "deny"] },
    comment: { type: "string", title: "Comment" },
  },
  required: ["decision"],
};

/** Reads the answer to what {@link approvalElicitation} asked. Nothing is decided by opening a link, or by an answer that is none. */
export function decisionOf(answer: unknown, byLink: boolean): ApprovalDecision {
  if (byLink || !isObject(answer)) return { decision: "cancel" };
  if (answer.action === "decline") return { decision: "deny" };
  const { decision, comment } = isObject(answer.content) ? answer.content : ({} as Record<string, unknown>);
  if (answer.action !== "accept" || (decision !== "approve" && decision !== "deny")) return { decision: "cancel" };
  return { decision, ...(typeof comment === "string" && comment !== "" && { comment }) };
}

/** What a call has asked its client and waits for, by the names that the client's next request has for the answers. */
export type OpenQuestions = Record<string, Question>;

/** What a client is asked, as MCP has it. */
export type InputRequest =
  | { method: "elicitation/create"; params: Elicitation }
  | { method: "sampling/createMessage"; params: Record<string, unknown> }
  | { method: "roots/list"; params: Record<string, unknown> };

/** Returns what passes a server's question on to its client; undefined where that can't be asked. */
export function inputRequestOf(question: Question, client: Askable): InputRequest | undefined {
  const { kind, message = "", mode = "form", schema = { type: "object", properties: {} }, url } = question;
  if (kind === "sampling") {
    return client.sampling ? { method: "sampling/createMessage", params: question.request ?? {} } : undefined;
  }
  if (kind === "roots") return client.roots ? { method: "roots/list", params: {} } : undefined;
  const method = "elicitation/create";
  if (mode === "url") return client.urls && url !== undefined ? { method, params: { message, mode, url } } : undefined;
  return client.forms ? { method, params: { message, requestedSchema: { ...schema, type: "object" } } } : undefined;
}

/** Reads what a client answered to a question of this kind. */
export function questionAnswer(kind: Question["kind"], answer: unknown): QuestionAnswer {
  if (kind !== "elicitation") return isObject(answer) ? { action: "accept", content: answer } : { action: "cancel" };
  const { action, content } = isObject(answer) ? answer : ({} as Record<string, unknown>);
  if (action !== "accept" && action !== "decline") return { action: "cancel" };
  return { action, ...(action === "accept" && content !== undefined && { content }) };
}

/** Asks the client of a session, in revisions where the server may send requests, beside the request that is worked on. */
export class SessionAsking {
  readonly #context: ServerContext;
  readonly #client: Askable;

  constructor(context: ServerContext, client: Askable) {
    this.#context = context;
    this.#client = client;
  }

  async question(question: Question): Promise<QuestionAnswer> {
    const asked = inputRequestOf(question, this.#client);
    if (asked === undefined) return { action: "decline" };
    const { method, params } = asked;
    const answer =
      method === "elicitation/create" ? this.elicit(params, maxTimerMs) : this.#send(method, params, maxTimerMs);
    return questionAnswer(question.kind, await answer);
  }

  /** Rejects when the time is over. */
  elicit(asked: Elicitation, timeout: number): Promise<unknown> {
    const params = "mode" in asked ? { ...asked, elicitationId: randomUUID() } : asked;
    return this.#send("elicitation/create", params, timeout);
  }

  #send(method: string, params: Record<string, unknown>, ms: number): Promise<unknown> {
    const { send, signal } = this.#context.mcpReq;
    const timeout = Math.min(Math.max(1, ms), maxTimerMs);
    return send({ method, params }, anything, { timeout, signal });
  }
}

/** Takes a value as it came: others have their own idea of what fits. */
export const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "toolglot", validate: (value) => ({ value }) },
};
