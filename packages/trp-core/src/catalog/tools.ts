import { nearest, ToolError } from "@toolglot/core";
import type { Principal } from "../identity/types.ts";
import { firstSentence } from "./first-sentence.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";
import type { Capability, CapabilityRegistry, ExecuteContext, RegisteredCapability } from "./types.ts";

/** Lists that differ (one for each set of roles, mostly), with an index each. */
const maxIndexes = 16;
const defaultLimit = 8;

/**
 * The capabilities `cap.trp.catalog.search.v1` and `cap.trp.catalog.describe.v1`, for catalogs too big to be shown whole.
 * Both see what the principal sees, nothing else: also the weights of words come from those capabilities alone, so that a
 * score reveals nothing of hidden ones. They return `cap_id`s; the session's catalog has their `idx`.
 */
export function catalogCapabilities(registry: Pick<CapabilityRegistry, "visible">): Capability[] {
  const indexes = new Map<string, SearchIndex>();
  const indexOf = (visible: readonly RegisteredCapability[]): SearchIndex => {
    const key = visible.map(({ capId, schemaDigest }) => `${capId} ${schemaDigest}`).join("\n");
    const index = indexes.get(key) ?? createSearchIndex(visible);
    // The one used last stands last.
    indexes.delete(key);
    indexes.set(key, index);
    const [oldest] = indexes.keys();
    if (indexes.size > maxIndexes && oldest !== undefined) indexes.delete(oldest);
    return index;
  };
  return [searchCapability(registry, indexOf), describeCapability(registry)];
}

type Visible = Pick<CapabilityRegistry, "visible">;

function searchCapability(
  registry: Visible,
  indexOf: (visible: readonly RegisteredCapability[]) => SearchIndex,
): Capability {
  return {
    capId: "cap.trp.catalog.search.v1",
    name: "catalog_search",
    description:
      "Find capabilities by what they do. Gives the best matches, best first; describe one before calling it.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: {
      type: "object",
      properties: {
        query: { type: "string", description: "A few words on what is to be done.", minLength: 1, maxLength: 500 },
        limit: { type: "integer", minimum: 1, maximum: 20, default: defaultLimit },
      },
      required: ["query"],
      additionalProperties: false,
    },
    examples: [{ args: { query: "send an email" } }],
    execute({ query, limit = defaultLimit }: Record<string, unknown>, { principal }: ExecuteContext): unknown {
      const visible = registry.visible(principal);
      const found = indexOf(visible).search(query as string, limit as number);
      return { query, matches: found.map(row), searched: visible.length };
    },
    shape(value: unknown) {
      const { matches, searched } = value as { matches: { name: string }[]; searched: number };
      const names = matches.map(({ name }) => name).join(", ");
      return {
        summary: matches.length === 0 ? `nothing found among ${searched} capabilities` : `found ${names}`,
        data: { matches },
      };
    },
  };
}

function describeCapability(registry: Visible): Capability {
  return {
    capId: "cap.trp.catalog.describe.v1",
    name: "catalog_describe",
    description: "Tell all about one capability: arguments with their schema, risk, whether it needs a key, examples.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: {
      type: "object",
      properties: {
        cap_id: { type: "string", description: "As search gives it; its name does too.", minLength: 1, maxLength: 200 },
      },
      required: ["cap_id"],
      additionalProperties: false,
    },
    examples: [{ args: { cap_id: "cap.trp.catalog.search.v1" } }],
    execute({ cap_id: wanted }: Record<string, unknown>, { principal }: ExecuteContext): unknown {
      return describe(find(registry, wanted as string, principal));
    },
    shape(value: unknown) {
      const { cap_id, description } = value as { cap_id: string; description: string };
      return { summary: `${cap_id}: ${firstSentence(description)}`, data: value };
    },
  };
}

/** By `cap_id`, else by a name that only one has. Hidden ones look like unknown ones. */
function find(registry: Visible, wanted: string, principal: Principal): RegisteredCapability {
  const visible = registry.visible(principal);
  const byId = visible.find(({ capId }) => capId === wanted);
  const byName = visible.filter(({ definition }) => definition.name === wanted);
  const found = byId ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) return found;
  const near = nearest(
    wanted,
    visible.map(({ capId }) => capId),
  );
  const many = byName.length > 1 ? byName.map(({ capId }) => capId) : near;
  const hint = many.length > 0 ? `; did you mean ${many.join(" or ")}?` : "; search the catalog first";
  throw new ToolError(`there is no capability ${JSON.stringify(wanted.slice(0, 80))}${hint}`);
}

function row({ definition, capId, argTemplate }: RegisteredCapability): Record<string, unknown> {
  const { name, description, riskTier, ioClass } = definition;
  return {
    cap_id: capId,
    name,
    desc: firstSentence(description),
    risk_tier: riskTier,
    io_class: ioClass,
    arg_template: argTemplate,
  };
}

function describe({ definition, capId, schema, schemaDigest, keyRequired }: RegisteredCapability): unknown {
  const { name, description, riskTier, ioClass, effect, examples = [] } = definition;
  return {
    cap_id: capId,
    name,
    description,
    risk_tier: riskTier,
    io_class: ioClass,
    effect,
    idempotency_required: keyRequired,
    canonical_schema: schema,
    schema_digest: schemaDigest,
    examples,
  };
}
