import type { Tool, ToolAnnotations } from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import type { InferInput, InputSchema, InputSource } from "@toolglot/schema";
import type { RiskTier } from "../frames/types.ts";
import type { AdapterFacts, AnyCapability, Capability } from "./types.ts";

/** The fields of a capability that a tool does not have. */
const capabilityKeys = [
  'capId:text name:text description:string riskTier:"LOW"|"MEDIUM"|"HIGH"|"CRITICAL" ioClass:"READ"|"WRITE" effect:"pure"|"idempotent"|"keyed"|"probe"|"opaque" rules:object[] openInput:boolean adapt:function adapterVersion:string execute:function probe:function output:object',
  'shape:function roles:string[] examples:object[] maxTimeoutMs:number maxConcurrency:number concurrencyGroup:text repeats:"guarded"|"free" effectKey:function effectScope:"principal"|"tenant"',
] as const;

/** The fields of an adapter. */
const adapterKeys = [
  "name:text cost:number when:function health:function system:string version:string maxTimeoutMs:number maxFailures:number coolDownMs:number adapt:any execute:any probe:any",
] as const;

/**
 * The capability as it is: for its types, so that `execute` knows its arguments from `input` or `args`. `TypeError` for a
 * field that no capability has: a misspelt limit would be none.
 *
 * @example
 * ```ts
 * const refund = defineCapability({
 *   capId: "cap.billing.refund.v1",
 *   name: "refund",
 *   description: "Refunds an order.",
 *   riskTier: "HIGH",
 *   ioClass: "WRITE",
 *   effect: "keyed",
 *   args: { order: "string", cents: "integer" },
 *   execute: ({ order, cents }, { operationKey }) => bank.refund(order, cents, operationKey),
 * });
 * ```
 */
export function defineCapability<const Source extends InputSource, Native = InferInput<Source>>(
  capability: Capability<Source, Native>,
): Capability<Source, Native> {
  checkKeys("defineCapability", capability as AnyCapability, [
    ...capabilityKeys,
    "input:any args:any adapters:object[]",
  ]);
  const { capId, adapters } = capability;
  // A value that is no list of adapters is refused when it is registered.
  const list: readonly Partial<AdapterFacts & Record<"adapt" | "execute" | "probe", unknown>>[] = Array.isArray(
    adapters,
  )
    ? adapters
    : [];
  for (const adapter of list) checkKeys(`${capId}: an adapter`, adapter, adapterKeys);
  return capability;
}

/**
 * Returns a capability of a tool: any of `defineTool`, or whatever else has a name, a description, an input schema and `execute`.
 * `execute` gets the context of the router, which has more than a tool's: `operationKey`, `principal`, `attempt`.
 *
 * The second argument adds what a tool does not have, and replaces words of the tool. Defaults, from the annotations:
 * - `ioClass`: READ with `readOnlyHint`, else WRITE.
 * - `effect`: `pure` with `readOnlyHint`, `idempotent` with `idempotentHint`, else `opaque`.
 * - `riskTier`: that of the annotations; else LOW with `readOnlyHint`, CRITICAL with `destructiveHint`, HIGH with
 *   `requiresApproval`, else MEDIUM.
 * - `examples`: the inputs of the tool's examples.
 *
 * `TypeError` for a field that no capability has.
 *
 * @example
 * ```ts
 * const capability = capabilityOf(createTicket, { capId: "cap.ticket.create.v1", effect: "keyed" });
 * ```
 */
export function capabilityOf<Input = Record<string, unknown>>(
  tool: Tool<Input> & { readonly schema?: InputSchema<Input> },
  facts: Partial<Omit<Capability<InputSchema<Input>, Input>, "input" | "args" | "adapters">> & { capId: string },
): Capability<InputSchema<Input>, Input> {
  checkKeys("capabilityOf", facts as Omit<AnyCapability, "input" | "args" | "adapters">, capabilityKeys);
  const { name, description, inputSchema, schema, annotations = {}, examples = [] } = tool;
  const { readOnlyHint: isRead = false, idempotentHint = false } = annotations;
  const inputs = examples.flatMap(({ input }) => (input === undefined ? [] : [{ args: input }]));
  const capability: AnyCapability = {
    name,
    description,
    riskTier: annotations.riskTier ?? riskOf(annotations),
    ioClass: isRead ? "READ" : "WRITE",
    effect: isRead ? "pure" : idempotentHint ? "idempotent" : "opaque",
    execute: (args, context) => tool.execute(args, context),
    ...(inputs.length === 0 ? {} : { examples: inputs as NonNullable<AnyCapability["examples"]> }),
    ...defined(facts as Partial<AnyCapability> & { capId: string }),
    input: schema ?? inputSchema,
  };
  return capability;
}

function riskOf({ readOnlyHint, destructiveHint, requiresApproval }: ToolAnnotations): RiskTier {
  if (destructiveHint === true) return "CRITICAL";
  if (requiresApproval === true) return "HIGH";
  return readOnlyHint === true ? "LOW" : "MEDIUM";
}
