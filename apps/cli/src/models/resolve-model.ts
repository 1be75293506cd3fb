import type { AgentOptions } from "@toolglot/agent";
import { defined, nearest } from "@toolglot/internal";
import { UsageError } from "../cli/usage-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Config, ConfigPrice, ConfigProvider } from "../config/schema.ts";
import type { ModelServer } from "./list-models.ts";
import { knownProviders } from "./providers.ts";

/** A model by name, and what is known of it. */
export interface ResolvedModel {
  /** As the person named it, and as the server knows it. */
  label: string;
  id: string;
  server: ModelServer;
  /** The variable that the key came from, or would come from. */
  keyVariable?: string;
  price?: ConfigPrice;
  contextWindow?: number;
  maxTokens?: number;
}

/** All providers by name: the known ones, and those of the configuration over them. */
export function providersOf({ providers = {} }: Config): Readonly<Record<string, ConfigProvider>> {
  return { ...knownProviders, ...providers };
}

/**
 * The model of that name: an entry of the configuration, `PROVIDER:ID`, or with a base URL any name there. Throws `UsageError` when there
 * is none, and when its key is missing.
 */
export function resolveModel(
  name: string,
  baseUrl: string | undefined,
  { values, env }: Pick<LoadedConfig, "values" | "env">,
): ResolvedModel {
  if (baseUrl !== undefined && !/^https?:\/\//i.test(baseUrl))
    throw new UsageError(`--base-url must begin with http:// or https://, not "${baseUrl}".`);
  const { models = {} } = values;
  const providers = providersOf(values);
  const entry = Object.hasOwn(models, name) ? models[name] : undefined;
  const colon = name.indexOf(":");
  const { provider: wanted, id } = entry ?? { provider: name.slice(0, Math.max(0, colon)), id: name.slice(colon + 1) };
  const provider = Object.hasOwn(providers, wanted) ? providers[wanted] : undefined;
  if (provider === undefined && entry !== undefined)
    throw new UsageError(`The model ${name} has the provider ${wanted}. ${known("Providers", wanted, providers)}`);
  if (id === "" || name === "") throw new UsageError("--model needs a name.");
  if (provider === undefined) {
    const keyVariable = "OPENAI_API_KEY";
    if (baseUrl !== undefined)
      return { label: name, id: name, keyVariable, server: { baseUrl, key: env[keyVariable] } };
    throw new UsageError(
      `There is no model ${name}. ${known("Configured models", name, models)} A model of a provider is PROVIDER:NAME, as ollama:qwen3; with --base-url URL, an OpenAI-compatible endpoint (https://api.openai.com/v1, http://localhost:11434/v1), any name will do.`,
    );
  }
  const { kind = "openai", keyVariable } = provider;
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  if (keyVariable !== undefined && !key)
    throw new UsageError(`--model ${name} needs a key in ${keyVariable}: in the environment, or in .env.`);
  const { price, contextWindow, maxTokens } = entry ?? {};
  return {
    ...{ label: name, id, server: { kind, baseUrl: baseUrl ?? provider.baseUrl, provider: wanted, key } },
    ...defined({ keyVariable, price, contextWindow, maxTokens }),
  };
}

function known(what: string, name: string, table: object): string {
  const names = Object.keys(table);
  const [near] = nearest(name, names, 1);
  if (near !== undefined) return `Did you mean ${near}?`;
  return names.length === 0 ? `${what}: none.` : `${what}: ${names.join(", ")}.`;
}

/** What a step costs by a price for a million tokens. Tokens without a price of their own have that of all input. */
export function priceOf({
  input,
  output,
  cachedInput = input,
  cacheWrite = input,
}: ConfigPrice): Required<AgentOptions>["price"] {
  return ({ inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 }) => {
    const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
    const sum = plain * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output;
    return sum / 1e6;
  };
}
