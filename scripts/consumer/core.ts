// What a stranger who installs only @toolglot/core might write. Compiled against the packed declarations, then run.
import { type Diagnostic, type Message, messageText, requiresApproval, ToolError, textMessage } from "@toolglot/core";
import { judgeHttp, once } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";

export async function consume(): Promise<string> {
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
  const log = new MemoryOperationLog();
  const which = { scope: "shop/refund", input: { order: 7 }, judge: judgeHttp, allowVolatile: true };
  let refunds = 0;
  for (let time = 0; time < 2; time++) await once(log, which, async () => ({ refund: ++refunds }));
  return [messageText(question), finding.code, deletes, error instanceof Error, refunds].join(" | ");
}

export const expected = "Which invoices are open? | mine/example | true | true | 1";
