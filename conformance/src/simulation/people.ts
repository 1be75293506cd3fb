import { ToolglotError } from "@toolglot/core";
import type { Router } from "@toolglot/trp-core";
import { nameOf, type Operation } from "./agent.ts";
import { boss, type Node } from "./node.ts";
import type { Outside } from "./outside.ts";
import type { Random } from "./random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What somebody wanted to decide, and what they were told of it. */
export interface Decision {
  id: string;
  operation: Operation;
  verdict: "approved" | "denied";
  attempts: number;
  /** `not-pending`: somebody else has decided; only the first attempt can tell that. */
  told: "done" | "not-pending" | undefined;
}

/** Those who decide about requests for approval, and who find out what became of operations in doubt. */
export class People {
  readonly decisions = new Map<string, Decision>();
  readonly #verdicts = new Map<string, Decision["verdict"]>();
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #nodes: readonly Node[];

  constructor(time: VirtualTime, random: Random, nodes: readonly Node[]) {
    this.#time = time;
    this.#random = random.fork();
    this.#nodes = nodes;
  }

  /** Decides about a request, through any router, as often as it takes. */
  ask(id: string, operation: Operation): void {
    if (this.decisions.has(id)) return;
    // Who has said no says so again when the first word is forgotten.
    const verdict = this.#verdicts.get(operation.name) ?? (this.#random.chance(0.75) ? "approved" : "denied");
    this.#verdicts.set(operation.name, verdict);
    const decision: Decision = { id, operation, verdict, attempts: 0, told: undefined };
    this.decisions.set(id, decision);
    this.#time.after(this.#random.mostlyNear(10, 5_000), undefined, () => this.#decide(decision));
  }

  #decide(decision: Decision): void {
    decision.attempts += 1;
    const act = decision.verdict === "approved" ? "approve" : "deny";
    this.#through(this.#random.pick(this.#nodes), async (router) => {
      try {
        await router.approvals[act](boss, decision.id);
        decision.told = "done";
      } catch (error) {
        const code = ToolglotError.isInstance(error) ? error.code : String(error);
        if (code === "trp/approval-not-pending") decision.told ??= decision.attempts === 1 ? "not-pending" : "done";
      }
      this.#time.note(`a person: ${decision.verdict} ${decision.operation.name}: ${decision.told}`);
    });
    this.#time.after(this.#random.between(500, 3_000), undefined, () => {
      if (decision.told === undefined) this.#decide(decision);
    });
  }

  /** Finds out what became of all operations in doubt, and says so. What goes wrong with that is added to `wrong`. */
  settleAll(outside: Outside, wrong: string[]): void {
    const node = this.#random.pick(this.#nodes.filter(({ router }) => router !== undefined));
    this.#through(node, async (router) => {
      try {
        for (const record of await router.operations.inDoubt(boss)) {
          const [receipt] = outside.receiptsOf(nameOf(record));
          const isDone = receipt !== undefined;
          this.#time.note(`a person: ${record.key} is ${isDone ? "done" : "not applied"}`);
          const result = isDone ? { state: "done" as const, value: { receipt } } : { state: "not-applied" as const };
          await router.operations.resolve(boss, record, result);
        }
      } catch (error) {
        wrong.push(`doubt: what is in doubt could not be settled: ${error}`);
      }
    });
  }

  #through(node: Node, act: (router: Router) => Promise<void>): void {
    this.#time.after(1, node.process, () => {
      if (node.router !== undefined) void act(node.router);
    });
  }
}
