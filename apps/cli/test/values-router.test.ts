import { executorContext } from "@toolglot/core/executing";
import { rounds } from "@toolglot/internal/testing";
import { maskingExecutor, openSecrets } from "@toolglot/secrets";
import { createClient, inProcessTransport, routerExecutor } from "@toolglot/trp-client";
import { createRouter, defineCapability, principal, type RouterEvent } from "@toolglot/trp-core";
import fc from "fast-check";
import { expect, it } from "vitest";

const value = fc
  .string({
    unit: fc.constantFrom(..."abcdefghijkmnopqrstuvwyz0123456789-_.'\"$`\\ é漢\n"),
    minLength: 8,
    maxLength: 60,
  })
  .filter((text) => new Set(text).size > 5 && text.trim() === text);

it("a router's answers, events, approvals and audit hold no value that a model used, or that a tool came upon", async () => {
  await fc.assert(
    fc.asyncProperty(value, async (secret) => {
      const secrets = await openSecrets();
      await secrets.set("TOKEN", secret);
      const taken: unknown[] = [];
      const shared = { riskTier: "LOW", ioClass: "READ", effect: "pure", args: { text: "string" } } as const;
      const take = defineCapability({
        ...{ ...shared, capId: "cap.test.take.v1", name: "take", description: "Takes." },
        execute: (args) => taken.push(args),
      });
      const show = defineCapability({
        ...{ ...shared, capId: "cap.test.show.v1", name: "show", description: "Shows what it found." },
        async *execute() {
          yield { found: secret };
          yield { found: [secret, JSON.stringify(secret), Buffer.from(secret).toString("base64")] };
        },
      });
      const ask = defineCapability({
        ...{ ...shared, capId: "cap.test.ask.v1", name: "ask", description: "Asks first.", riskTier: "HIGH" },
        ...{ ioClass: "WRITE", effect: "keyed" },
        execute: () => "done",
      });
      const router = createRouter({ capabilities: [take, show, ask], allowVolatile: true });
      const events: RouterEvent[] = [];
      router.subscribe((event) => events.push(event));
      const client = createClient({
        transport: inProcessTransport(router, principal({ id: "agent" })),
        agentId: "agent",
      });
      const executor = maskingExecutor(routerExecutor(client), secrets);
      const reported: unknown[] = [];
      const context = executorContext({ emit: (event) => reported.push(event) });
      const calls = ["take", "show", "ask"].map((name, idx) => ({
        ...{ id: name, name: "router", protocol: "trp" },
        input: { calls: [{ idx, name, args: { text: "with $KARYI{TOKEN}" } }] },
      }));
      const results = await executor.execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
      expect(results).toHaveLength(3);
      // A value is filled in by the tools of this machine alone: the router gets the name.
      expect(taken).toEqual([{ text: "with $KARYI{TOKEN}" }]);
      const approvals = await router.approvals.list(principal({ id: "boss", roles: ["approver"] }));
      expect(approvals).toHaveLength(1);
      const audit = await router.audit.read();
      expect(audit.length).toBeGreaterThan(2);
      const forms = [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString("base64").slice(0, -4)];
      for (const [name, seen] of Object.entries({ results, reported, approvals, audit, events })) {
        const text = JSON.stringify(seen);
        for (const form of forms) expect(text.includes(form), `${name} ${JSON.stringify(form)}`).toBe(false);
      }
      await client.close();
      await router.close();
    }),
    { numRuns: rounds(10, 40) },
  );
});
