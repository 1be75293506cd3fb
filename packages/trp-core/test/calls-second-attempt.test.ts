import { expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import { createRouter } from "../src/router/create-router.ts";
import { nackOf, openSession, resultOf } from "./router-rig.ts";

it.each(["idempotent", "keyed"] as const)(
  "keeps a key of an %s capability bound when only the second attempt is proven to have done nothing",
  async (effect) => {
    const effects: string[] = [];
    const answers: (Error | undefined)[] = [
      new Error("the connection broke after the effect"),
      new CapabilityError("connection refused", { outcome: "not-applied" }),
    ];
    const router = createRouter({
      allowVolatile: true,
      capabilities: [
        defineCapability({
          capId: "cap.test.set.v1",
          name: "set",
          description: "Sets.",
          riskTier: "MEDIUM",
          ioClass: "WRITE",
          effect,
          args: { text: "string" },
          execute: ({ text }) => {
            const error = answers.shift();
            if (!CapabilityError.isInstance(error)) effects.push(text);
            if (error !== undefined) throw error;
            return text;
          },
        }),
      ],
    });
    const session = await openSession(router);
    const set = (text: string) =>
      session.call({ cap_id: "cap.test.set.v1", idempotency_key: "k", args: { text }, idx: 0 });

    expect(nackOf(await set("one"))).toMatchObject({ error_code: "TRP_3002", dispatched: true });
    const second = nackOf(await set("one"));
    expect(second).toMatchObject({ error_class: "TRANSIENT", retryable: true, dispatched: true });
    expect(second.fix).not.toMatch(/no effect/);
    expect(nackOf(await set("two")).error_code).toBe("TRP_4004");
    expect(resultOf(await set("one"))).toMatchObject({ status: "SUCCESS", result: { data: "one" } });
    expect(effects).toEqual(["one", "one"]);
    await router.close();
  },
);
