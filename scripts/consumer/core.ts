// What a stranger who installs only @toolglot/core might write. Compiled against the packed declarations, then run.
import { type Diagnostic, type Message, messageText, requiresApproval, ToolError, textMessage } from "@toolglot/core";

export function consume(): string {
  const question: Message = textMessage("user", "Which invoices are open?");
  const finding: Diagnostic = {
    code: "mine/example",
    severity: "warning",
    affects: "none",
    message: "an example",
    span: { start: 0, end: 5 },
    source: "mine",
  };
  const deletes = requiresApproval({
    name: "delete",
    description: "",
    inputSchema: { type: "object" },
    annotations: { destructiveHint: true },
  });
  const error = new ToolError("no such invoice");
  return [messageText(question), finding.code, deletes, error instanceof Error].join(" | ");
}

export const expected = "Which invoices are open? | mine/example | true | true";
