import type { JsonObject, JsonValue } from "@toolglot/core";
import { valueAt, wholeResult } from "@toolglot/internal";
import { denied } from "../calls/faults.ts";
import {
  fillReferences,
  misfit,
  placeText,
  pointerText,
  type Reference,
  referencesOf,
} from "../calls/running/references.ts";
import type { Settled } from "../calls/types.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import { type Fault, fault, isFault } from "../frames/fault.ts";
import type { CallItem, RequestOf } from "../frames/types.ts";
import { decide, deniesAlways, policySubject } from "../policy/decide.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";

type DagFrame = AdmittedFrame<RequestOf<"CALL_DAG_REQ">>;

/** The data flow of a graph of calls: what of which result goes where. */
export class Graph {
  readonly #deps: FrameDependencies;
  readonly #admitted: DagFrame;
  readonly #references: ReadonlyMap<string, readonly Reference[]>;
  readonly #ends = new Map<string, Settled>();

  private constructor(deps: FrameDependencies, admitted: DagFrame, references: Map<string, readonly Reference[]>) {
    this.#deps = deps;
    this.#admitted = admitted;
    this.#references = references;
  }

  /** Everything that can be known before the first call runs; what can't work refuses the graph as a whole. */
  static async check(deps: FrameDependencies, admitted: DagFrame): Promise<Graph | Fault> {
    const { frame, session, principal } = admitted;
    const { calls } = frame.payload;
    const references = new Map<string, readonly Reference[]>();
    const capabilities = new Map<string, RegisteredCapability>();
    for (const item of calls) {
      const found = referencesOf(item.args);
      if (isFault(found)) return inCall(item, found);
      references.set(item.call_id, found);
      const capability = await deps.registry.resolve(session, principal, item, frame.catalog_epoch);
      if (isFault(capability)) return inCall(item, capability);
      const denial = await alwaysDenied(deps, admitted, item, capability);
      if (denial !== undefined) return inCall(item, denial);
      capabilities.set(item.call_id, capability);
    }
    for (const item of calls) {
      const own = references.get(item.call_id) ?? [];
      const target = capabilities.get(item.call_id) as RegisteredCapability;
      for (const reference of own) {
        const source = capabilities.get(reference.from);
        if (source === undefined) {
          const name = JSON.stringify(reference.from);
          return inCall(item, fault("TRP_2003", `${placeText(reference.at)}: no call ${name} is in this graph.`));
        }
        const problem = misfit(reference, target, source);
        if (problem !== undefined) return inCall(item, fault("TRP_2001", problem));
      }
      const wrong = await wrongArguments(target, item, own);
      if (wrong !== undefined) return inCall(item, wrong);
    }
    return new Graph(deps, admitted, references);
  }

  /** Returns what a call needs: its dependencies, and what it refers to. */
  dependsOn({ call_id, depends_on = [] }: CallItem): string[] {
    return [...new Set([...depends_on, ...this.#of(call_id).map(({ from }) => from)])];
  }

  /** How a call ended: what refers to it takes its result. */
  ended(callId: string, end: Settled): void {
    this.#ends.set(callId, end);
  }

  /** The arguments of a call whose dependencies have succeeded; a fault when a reference leads to nothing. */
  async fill({ call_id, args }: CallItem): Promise<JsonObject | Fault> {
    const references = this.#of(call_id);
    if (references.length === 0) return args;
    const values = new Map<Reference, JsonValue>();
    const results = new Map<string, JsonObject | undefined>();
    for (const reference of references) {
      const { from, path, at } = reference;
      if (!results.has(from)) results.set(from, await this.#result(from));
      const result = results.get(from);
      if (result === undefined) {
        return fault("TRP_1006", `The result of call ${JSON.stringify(from)} is no longer there as a whole.`);
      }
      const value = valueAt(result, path) as JsonValue | undefined;
      if (value === undefined) {
        const place = `${placeText(at)}: the result of call ${JSON.stringify(from)}`;
        return fault("TRP_2001", `${place} has nothing at ${pointerText(path)}.`);
      }
      values.set(reference, value);
    }
    return fillReferences(args, values);
  }

  #of(callId: string): readonly Reference[] {
    return this.#references.get(callId) ?? [];
  }

  async #result(callId: string): Promise<JsonObject | undefined> {
    const end = this.#ends.get(callId);
    if (end?.kind !== "success") return undefined;
    const { store } = this.#deps;
    const { tenant, id } = this.#admitted.principal;
    const whole = await wholeResult(end.result, async (artifactId) => {
      const found = await store.artifacts.read(artifactId, { tenant, principal: id });
      return found && new TextDecoder().decode(found.bytes);
    });
    return whole as JsonObject | undefined;
  }
}

/** Returns the policy's denial of a capability that the principal may never have. It comes before all other faults. */
async function alwaysDenied(
  { policy, store }: FrameDependencies,
  { principal }: DagFrame,
  { args }: CallItem,
  registered: RegisteredCapability,
): Promise<Fault | undefined> {
  if (!deniesAlways(policy, principal, registered)) return undefined;
  const capability = policySubject(registered);
  const decision = await decide(policy, { principal, capability, args, now: store.now(), phase: "start" });
  return decision.decision === "deny" ? denied(decision) : undefined;
}

/** Names the call of the graph that a fault is about. */
function inCall({ call_id }: CallItem, reason: Fault): Fault {
  const { code, message, fix, retryHint } = reason;
  const whole = "Nothing of the graph was started.";
  return fault(code, `Call ${JSON.stringify(call_id)}: ${message} ${whole}`, { fix, retryHint });
}

/** Returns what is wrong with the arguments, wherever the references lead: a reference may turn out to be anything. */
async function wrongArguments(
  { validate }: RegisteredCapability,
  { args }: CallItem,
  references: readonly Reference[],
): Promise<Fault | undefined> {
  const checked = await validate(args);
  if (checked.success) return undefined;
  const open = references.map(({ at }) => placeText(at));
  const issues = checked.issues.filter((issue) => {
    const place = /^[^:\s]+(?=:)/.exec(issue)?.[0];
    // The value of a whole that holds a reference is not known yet.
    if (place === undefined) return open.length === 0;
    return !open.some((at) => isWithin(at, place) || isWithin(place, at));
  });
  return issues.length === 0 ? undefined : fault("TRP_2001", issues.slice(0, 5).join("; "));
}

function isWithin(place: string, outer: string): boolean {
  return place === outer || place.startsWith(`${outer}.`) || place.startsWith(`${outer}[`);
}
