import type { ToolDefinition, ToolResult } from "@toolglot/core";
import { plain } from "../bodies.ts";

const text = { type: "string" } as const;

/** Tools of a small company's assistant, as a host declares them. */
export const tools: ToolDefinition[] = [
  {
    name: "search_documents",
    description: "Full-text search over the company's policies, handbooks and letters. Best first.",
    inputSchema: {
      type: "object",
      properties: {
        query: { ...text, description: "Words to look for, in the language of the documents wanted" },
        top_k: { type: "integer", default: 5, description: "How many documents at most" },
      },
      required: ["query"],
    },
  },
  {
    name: "fetch_document",
    description: "One document in full, by the id that search_documents gave.",
    inputSchema: {
      type: "object",
      properties: { document_id: { ...text, description: "As returned by search_documents" } },
      required: ["document_id"],
    },
  },
  {
    name: "create_ticket",
    description: "Opens a ticket in the shop's ticket system. A person is asked first.",
    inputSchema: {
      type: "object",
      properties: {
        title: { ...text, description: "One line" },
        body: { ...text, description: "What is to be done, with all numbers needed" },
        priority: { ...text, enum: ["low", "normal", "high"], default: "normal" },
      },
      required: ["title", "body"],
    },
  },
  {
    name: "write_file",
    description: "Writes a file of the workspace; one that is there is replaced.",
    inputSchema: {
      type: "object",
      properties: {
        path: { ...text, description: "Relative to the workspace" },
        content: { ...text, description: "The whole file", "x-raw-body": true, "x-preserve-whitespace": true },
      },
      required: ["path", "content"],
    },
  },
];

/** A call with what comes back of it. */
export interface Exchange {
  name: string;
  input: Record<string, unknown>;
  data: unknown;
}

/** What a model is to get done with tools. */
export interface Task {
  title: string;
  calls: Exchange[];
  /** What the calls need of each other: nothing, their order, or the result of the one before. */
  needs: "nothing" | "order" | "results";
  /** The Python program that makes all the calls, and its result. */
  program: { code: string; data: unknown };
}

const refundPolicy = {
  document_id: "refund-policy-en",
  title: "Refund policy",
  language: "en",
  updated: "2026-03-14",
  text: "# Refund policy\n\nCustomers may return goods within 30 days. Refunds above 200 EUR need a second person's approval, and every refund is booked on the day that it is approved. Goods that arrive damaged are refunded in full, shipping included; the photo that the customer sends stays with the ticket for two years.\n\n## Exceptions\n\n- Gift cards and opened software are not refunded.\n- Made-to-order goods: only when they are faulty.\n- After 30 days: a voucher, at the manager's discretion.\n",
};
const hits = [
  { document_id: "refund-policy-en", title: "Refund policy", language: "en", score: 7.31 },
  { document_id: "handbook-support-en", title: "Support handbook", language: "en", score: 4.02 },
  { document_id: "letter-2025-11", title: "Letter to retailers", language: "en", score: 2.87 },
];
const ticket = { ticket_id: 214, status: "open", created_at: "2026-11-21T09:30:00Z" };

const search: Exchange = { name: "search_documents", input: { query: "refund policy", top_k: 3 }, data: hits };
const openTicket: Exchange = {
  name: "create_ticket",
  input: { title: "Review: Refund policy", body: "Last changed on 2026-03-14. Check it against the new law." },
  data: ticket,
};
const fetchPolicy: Exchange = {
  name: "fetch_document",
  input: { document_id: "refund-policy-en" },
  data: refundPolicy,
};

/** About 2 KB of Python. */
export const body: string = plain.make(2000);

/** A file whose text is about 2 KB of Python. */
const writeBody: Exchange = {
  name: "write_file",
  input: { path: "jobs/collect.py", content: body },
  data: { written: body.length },
};

export const oneCall: Task = {
  title: "one call",
  calls: [search],
  needs: "nothing",
  program: { code: '__result__ = search_documents("refund policy", top_k=3)\n', data: hits },
};

const knownProgram = {
  code: `hits = search_documents("refund policy", top_k=3)
policy = fetch_document("refund-policy-en")
ticket = create_ticket("Review: Refund policy", "Last changed on 2026-03-14. Check it against the new law.")
__result__ = [hits, policy, ticket]
`,
  data: [hits, refundPolicy, ticket],
};

export const threeCalls: Task[] = [
  {
    title: "three calls, independent of each other",
    calls: [search, fetchPolicy, openTicket],
    needs: "nothing",
    program: knownProgram,
  },
  {
    title: "three calls with all arguments known, to run in order",
    calls: [search, fetchPolicy, openTicket],
    needs: "order",
    program: knownProgram,
  },
  {
    title: "three calls, each in need of the result before",
    calls: [search, fetchPolicy, openTicket],
    needs: "results",
    program: {
      code: `hit = search_documents("refund policy", top_k=3)[0]
policy = fetch_document(hit["document_id"])
__result__ = create_ticket(
    f"Review: {policy['title']}",
    f"Last changed on {policy['updated']}. Check it against the new law.",
)
`,
      data: ticket,
    },
  },
];

export const bodyCall: Task = {
  title: "one call with a 2 KB body",
  calls: [writeBody],
  needs: "nothing",
  // A body of code goes into a string of three quotes, as models write it.
  program: { code: `__result__ = write_file("jobs/collect.py", """${body}""")\n`, data: writeBody.data },
};

/** The result of an exchange, as an executor reports it. */
export function resultOf(data: unknown, name: string, at: number): ToolResult {
  return { callId: `call-${at + 1}`, name, status: "ok", content: [], data };
}
