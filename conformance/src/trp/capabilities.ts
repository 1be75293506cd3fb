import { ToolError } from "@toolglot/core";
import { type AnyCapability, CapabilityError, type ExecuteContext, type ProbeResult } from "@toolglot/trp-core";
import type { Behaviour, CapabilityData } from "./vector.ts";

/** What the test capabilities of one vector have done, over all routers on its store. */
export class Ledger {
  readonly #executions = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #open = new Set<string>();

  count(capId: string): number {
    return this.#executions.get(capId) ?? 0;
  }

  add(capId: string): number {
    const count = this.count(capId) + 1;
    this.#executions.set(capId, count);
    return count;
  }

  hold(capId: string): Promise<void> {
    if (this.#open.has(capId)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(capId, [...(this.#waiting.get(capId) ?? []), resolve]));
  }

  release(capId: string): void {
    for (const resolve of this.#waiting.get(capId) ?? []) resolve();
    this.#waiting.delete(capId);
  }

  releaseAll(): void {
    for (const capId of [...this.#waiting.keys()]) {
      this.#open.add(capId);
      this.release(capId);
    }
  }
}

/** The capability that the data describes. */
export function capabilityOf(data: CapabilityData, ledger: Ledger): AnyCapability {
  const { adapt, rule, probe } = data;
  return {
    capId: data.cap_id,
    name: data.name,
    description: data.desc,
    riskTier: data.risk_tier,
    ioClass: data.io_class,
    effect: data.effect,
    args: data.schema,
    execute: (args: unknown, context: ExecuteContext) =>
      behave(data.does, data.cap_id, ledger, ledger.add(data.cap_id), args, context),
    ...(adapt === undefined ? {} : { adapt: (args: Record<string, unknown>) => adapted(adapt, args) }),
    ...(probe === undefined ? {} : { probe: () => probed(probe) }),
    ...(rule === undefined
      ? {}
      : {
          rules: [
            {
              name: rule.name,
              check: (args: Record<string, unknown>) =>
                Number(args[rule.argument]) > rule.max ? `${rule.argument} must not be above ${rule.max}` : undefined,
            },
          ],
        }),
    ...(data.roles === undefined ? {} : { roles: data.roles }),
    ...(data.examples === undefined ? {} : { examples: data.examples as AnyCapability["examples"] & object }),
    ...(data.max_concurrency === undefined ? {} : { maxConcurrency: data.max_concurrency }),
    ...(data.max_timeout_ms === undefined ? {} : { maxTimeoutMs: data.max_timeout_ms }),
    ...(data.output === undefined ? {} : { output: data.output }),
    ...(data.adapter_version === undefined ? {} : { adapterVersion: data.adapter_version }),
  };
}

async function behave(
  does: Behaviour,
  capId: string,
  ledger: Ledger,
  count: number,
  args: unknown,
  context: ExecuteContext,
): Promise<unknown> {
  if (does === "echo") return { echo: args };
  if (does === "count") return { count };
  if (does === "key") return { key: context.operationKey ?? null };
  if (does === "never") {
    return new Promise((_, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason));
    });
  }
  if (does === "hold") {
    await ledger.hold(capId);
    return { echo: args };
  }
  if ("value" in does) return does.value;
  if ("text" in does) return "lorem ipsum ".repeat(Math.ceil(does.text / 12)).slice(0, does.text);
  if ("fail" in does) throw new ToolError(does.fail);
  if ("not_applied" in does) throw new CapabilityError(does.not_applied, { outcome: "not-applied" });
  if ("throw" in does) throw new Error(does.throw);
  if ("say" in does) {
    for (const text of does.say) context.progress(text);
    return behave(does.then, capId, ledger, count, args, context);
  }
  const turn = does.in_turn[Math.min(count, does.in_turn.length) - 1];
  if (turn === undefined) throw new TypeError(`${capId}: nothing to do in turn`);
  return behave(turn, capId, ledger, count, args, context);
}

function adapted(adapt: Record<string, string> | "throw", args: Record<string, unknown>): Record<string, unknown> {
  if (adapt === "throw") throw new Error("adapter internals at /srv/secret.ts");
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [adapt[name] ?? name, value]));
}

function probed(answer: NonNullable<CapabilityData["probe"]>): ProbeResult {
  if (answer === "done") return { state: "done", value: { probed: true } };
  if (answer === "failed") return { state: "failed", message: "it was refused downstream" };
  return { state: answer };
}
