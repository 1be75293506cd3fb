import {
  type AnyCapability,
  CapabilityError,
  defineCapability,
  type Effect,
  type ExecuteContext,
} from "@toolglot/trp-core";
import type { Random } from "./random.ts";
import type { Process, VirtualTime } from "./virtual-time.ts";

/** The kinds of capabilities: one for each effect, and one that needs a person's approval. */
export const kinds = ["opaque", "probe", "keyed", "idempotent", "approved"] as const;
export type Kind = (typeof kinds)[number];

export const capIdOf = (kind: Kind): string => `cap.sim.${kind}.v1`;

/** What was done outside, once for each time that it was done. */
export interface Done {
  /** What downstream knows the operation by. */
  id: string;
  /** The operation's key, without what all keys begin with: `op1`, or `op1/again`. */
  name: string;
  kind: Kind;
  receipt: number;
}

/** What a request outside comes to. */
type Fate = "done" | "done, unanswered" | "done, error" | "refused" | "not applied" | "nothing, error";

/** The world behind the routers, where effects happen. It never forgets, and counts. */
export class Outside {
  readonly done: Done[] = [];
  /** Requests that have not arrived. */
  underWay = 0;
  readonly #time: VirtualTime;
  readonly #random: Random;
  /** Whose claim has which fence, by whom it was given. */
  readonly nameOfFence = new Map<number, string>();
  /** What became of each downstream key: a receipt, or a refusal. */
  readonly #byKey = new Map<string, number | "refused">();
  /** Of each probed operation: requests with this fence or a lower one are refused from now on. */
  readonly #barriers = new Map<string, number>();
  /** How often something goes wrong: 0 to 1. */
  readonly #trouble: number;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random.fork();
    this.#trouble = this.#random.pick([0, 0.1, 0.4]);
  }

  /** The receipts of an operation, under the key with this name. */
  receiptsOf(name: string): number[] {
    return this.done.filter((each) => each.name === name).map(({ receipt }) => receipt);
  }

  /** The capabilities of one router, of these kinds. */
  capabilities(process: Process, wanted: ReadonlySet<Kind>): AnyCapability[] {
    return kinds
      .filter((kind) => wanted.has(kind))
      .map((kind) => {
        const effect: Effect = kind === "approved" ? "opaque" : kind;
        const execute = ({ op }: { op: string }, context: ExecuteContext): Promise<{ receipt: number }> =>
          this.#request(process, kind, op, context);
        const probe = (_: unknown, context: Partial<ExecuteContext>) => this.#ask(process, context);
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
    const { callId, fence = 0 } = context;
    const fate = this.#fate();
    this.#time.note(`runs ${op} as ${callId}, fence ${fence}`);
    this.underWay += 1;
    return new Promise((resolve, reject) => {
      this.#time.after(this.#travel(), undefined, () => {
        this.underWay -= 1;
        const end = this.#arrives(kind, this.nameOfFence.get(fence) ?? op, context, fate);
        this.#time.note(`outside ${op}: ${fate}, ${end}`);
        if (fate === "done, unanswered") return;
        this.#time.after(this.#travel(), process, () => {
          if (fate.endsWith("error") || end === "nothing") reject(new Error("the connection was reset"));
          else if (end === "refused") reject(new CapabilityError("It was refused.", { outcome: "failed" }));
          else if (end === "not applied")
            reject(new CapabilityError("It was not applied.", { outcome: "not-applied" }));
          else resolve({ receipt: end });
        });
      });
    });
  }

  #arrives(
    kind: Kind,
    name: string,
    { fence = 0, operationKey = "" }: ExecuteContext,
    fate: Fate,
  ): number | "refused" | "not applied" | "nothing" {
    const isKeyed = kind === "keyed" || kind === "idempotent";
    const known = isKeyed ? this.#byKey.get(operationKey) : undefined;
    if (known !== undefined) return known;
    if (kind === "probe" && fence <= (this.#barriers.get(operationKey) ?? 0)) return "refused";
    if (fate === "not applied") return fate;
    if (fate === "nothing, error") return "nothing";
    const end = fate === "refused" ? fate : this.done.length + 1;
    if (typeof end === "number") this.done.push({ id: operationKey, name, kind, receipt: end });
    this.#byKey.set(operationKey, end);
    return end;
  }

  #ask(
    process: Process,
    { operationKey: id = "", fence = 0 }: Partial<ExecuteContext>,
  ): Promise<{ state: "done"; value: { receipt: number } } | { state: "not-applied" | "unknown" }> {
    const isSilent = this.#random.chance(this.#trouble / 2);
    return new Promise((resolve) => {
      this.#time.after(this.#travel(), undefined, () => {
        const receipt = this.done.find((each) => each.id === id)?.receipt;
        // Who says that it was not done sees to it that it won't be.
        if (receipt === undefined) this.#barriers.set(id, Math.max(fence, this.#barriers.get(id) ?? 0));
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
