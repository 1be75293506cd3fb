import { createRouter, defineCapability, MemoryStore } from "@toolglot/trp-core";
import { type CallKind, describeExecutor, suiteTools } from "../../core/test/executing/executor-suite.ts";
import { createClient, inProcessTransport, routerExecutor } from "../src/index.ts";
import { agent, boss } from "./support.ts";

const span = { start: 0, end: 0 };

describeExecutor(
  "routerExecutor",
  () => {
    const effects: string[] = [];
    const tools = suiteTools(effects).filter(({ external }) => !external);
    const capabilities = tools.map((tool) => {
      const onlyReads = tool.annotations?.readOnlyHint === true;
      return defineCapability({
        capId: `cap.${tool.name}.v1`,
        name: tool.name,
        description: tool.description,
        riskTier: tool.annotations?.requiresApproval ? "HIGH" : onlyReads ? "LOW" : "MEDIUM",
        ioClass: onlyReads ? "READ" : "WRITE",
        effect: onlyReads ? "pure" : "opaque",
        args: { n: "integer" },
        execute: tool.execute,
      });
    });
    const router = createRouter({ store: new MemoryStore(), allowVolatile: true, capabilities });
    const client = createClient({ transport: inProcessTransport(router, agent), agentId: "test" });
    return {
      effects,
      executor: routerExecutor(client, {
        approvals: {
          async decide({ approvalId }, decision) {
            const { approved, reason } = decision;
            await router.approvals[approved ? "approve" : "deny"](boss, approvalId as string, reason);
          },
        },
      }),
      action: (kinds: readonly CallKind[]) => ({
        kind: "calls",
        calls: kinds.map((name, n) => ({ id: `c${n}`, name, input: { n }, protocol: "native" })),
        span,
      }),
    };
  },
  {
    without: { outside: "a router runs its capabilities itself" },
    noProgress: "the draft has no parts of a call before its end yet",
    undecided: { status: "pending", why: "the request stays open at the router" },
  },
);
