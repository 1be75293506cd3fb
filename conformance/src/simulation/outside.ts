import { type AnyCapability, CapabilityError, defineCapability, type Effect, type ExecuteContext } from "@toolglot/trp-core";
import type { Random } from "./random.ts";
import type { Process, VirtualTime } from "./virtual-time.ts";

/** The kinds of capabilities: one for each effect, and one that needs a person's approval. */
export const kinds = ["opaque", "probe", "keyed", "idempotent", "approved"] as const;
export type Kind = (typeof kinds)[number];

export const capIdOf = (kind: Kind): string => `cap.sim.${kind}.v1`;

/** What was done outside, once for each time that it was done. */
export interface Done {
  op: string;
  kind: Kind;
  callId: string;
  receipt: number;
}

/** What a request outside comes to. */
type Fate = "done" | "done, unanswered" | "done, error" | "refused" | "not applied" | "nothing, error";

/** The world behind the routers, where effects happen. It never forgets, and counts. */
export class Outside {
  readonly done: Done[] = [];
  readonly #time: VirtualTime;
  readonly #random: Random;
  /** What was done with a key, by key. */
  readonly #byKey = new Map<string, number>();
  /** Of each probed operation: requests with this fence or a lower one are refused from now on. */
  readonly #barriers = new Map<string, number>();
  /** How often something goes wrong: 0 to 1. */
  readonly #trouble: number;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random.fork();
    this.#trouble = this.#random.pick([0, 0.1, 0.4]);
  }

  receiptsOf(op: string): number[] {
    return this.done.filter((each) => each.op === op).map(({ receipt }) => receipt);
  }

  /** The capabilities of one router. */
  capabilities(process: Process): AnyCapability[] {
    return kinds.map((kind) => {
      const effect: Effect = kind === "approved" ? "opaque" : kind;
      const execute = ({ op }: { op: string }, context: ExecuteContext): Promise<{ receipt: number }> =>
        this.#request(process, kind, op, context);
      const probe = ({ op }: { op: string }, { fence = 0 }: { fence?: number }) => this.#ask(process, op, fence);
      return defineCapability({
        capId: capIdOf(kind),
        name: kind,
        description: `Does something whose effect is ${effect}.`,
        riskTier: kind === "approved" ? "HIGH" : "MEDIUM",
        ioClass: "WRITE",
        effect,
        args: { op: "string" },
        execute,
        ...(effect === "probe" && { probe }),
      }) as AnyCapability;
    });
  }

  #fate(): Fate {
    if (!this.#random.chance(this.#trouble)) return "done";
    return this.#random.pick(["done, unanswered", "done, error", "refused", "not applied", "nothing, error"] as const);
  }

  /** A request on its way, which arrives whatever becomes of its sender. */
  #request(process: Process, kind: Kind, op: string, context: ExecuteContext): Promise<{ receipt: number }> {
    const fate = this.#fate();
    this.#time.note(`runs ${op} as ${context.callId}, fence ${context.fence}`);
    return new Promise((resolve, reject) => {
      this.#time.after(this.#travel(), undefined, () => {
        let receipt: number | undefined;
        if (fate.startsWith("done")) receipt = this.#do(kind, op, context);
        this.#time.note(`outside ${op}: ${fate}${receipt === undefined ? "" : ` ${receipt}`}`);
        if (fate === "done, unanswered") return;
        this.#time.after(this.#travel(), process, () => {
          if (receipt !== undefined && fate === "done") resolve({ receipt });
          else if (fate === "refused") reject(new CapabilityError("It was refused.", { outcome: "failed" }));
          else if (fate === "not applied") reject(new CapabilityError("It was not applied.", { outcome: "not-applied" }));
          else reject(new Error("the connection was reset"));
        });
      });
    });
  }

  #do(kind: Kind, op: string, { fence = 0, operationKey = "", callId }: ExecuteContext): number | undefined {
    if (kind === "probe" && fence <= (this.#barriers.get(op) ?? 0)) return undefined;
    const known = kind === "keyed" || kind === "idempotent" ? this.#byKey.get(operationKey) : undefined;
    // The second time, an idempotent effect happens again, and changes nothing.
    const receipt = known ?? this.done.length + 1;
    if (known === undefined) this.done.push({ op, kind, callId, receipt });
    this.#byKey.set(operationKey, receipt);
    return receipt;
  }

  #ask(
    process: Process,
    op: string,
    fence: number,
  ): Promise<{ state: "done"; value: { receipt: number } } | { state: "not-applied" | "unknown" }> {
    const isSilent = this.#random.chance(this.#trouble / 2);
    return new Promise((resolve) => {
      this.#time.after(this.#travel(), undefined, () => {
        const [receipt] = this.receiptsOf(op);
        // Who says that it was not done sees to it that it won't be.
        if (receipt === undefined) this.#barriers.set(op, Math.max(fence, this.#barriers.get(op) ?? 0));
        this.#time.after(this.#travel(), process, () => {
          if (isSilent) resolve({ state: "unknown" });
          else resolve(receipt === undefined ? { state: "not-applied" } : { state: "done", value: { receipt } });
        });
      });
    });
  }

  /** Mostly a few milliseconds, sometimes longer than a lease. */
  #travel(): number {
    return this.#random.mostlyNear(1, this.#random.chance(0.1) ? 6_000 : 150);
  }
}
