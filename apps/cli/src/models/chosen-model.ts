import type { AgentOptions } from "@toolglot/agent";
import { defined } from "@toolglot/internal";
import type { CliOptions } from "../cli/options.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Words } from "../words/index.ts";
import type { ModelServer } from "./list-models.ts";
import { priceOf, resolveModel } from "./resolve-model.ts";

/** A model of a server, and what the agent knows of it. */
export interface ChosenModel {
  /** As the person named it. */
  label: string;
  agent: Pick<AgentOptions, "model" | "price" | "maxTokens" | "context">;
  /** What its price is in; absent without a price. */
  currency?: string;
  /** Where it is asked, and with which key. */
  server: ModelServer;
}

/**
 * Resolves with the model that was asked for; undefined where none was. The providers' code is loaded only here. Rejects with `UsageError` when
 * there is no such model, when its key is missing, and when a limit of cost could never be reached.
 */
export async function chosenModel(
  { model: label, baseUrl, timeout, limits }: CliOptions,
  config: LoadedConfig,
  words: Words,
  onRetry: (reason: string) => void,
): Promise<ChosenModel | undefined> {
  if (label === undefined) return undefined;
  const resolved = resolveModel(label, baseUrl, config);
  const { server, price, contextWindow, maxTokens } = resolved;
  if (limits.cost !== undefined && price === undefined)
    throw new UsageError(
      `A limit of cost needs the price of ${label}: "price" of its entry among the configured models.`,
    );
  const { chooseModel } = await import("./choose-model.ts");
  const model = chooseModel(resolved, { words, timeoutSeconds: timeout, onRetry });
  const context = contextWindow === undefined ? undefined : { window: contextWindow };
  const agent = { model, ...defined({ maxTokens, price: price && priceOf(price), context }) };
  return { label, server, agent, ...(price && { currency: price.currency ?? "USD" }) };
}
