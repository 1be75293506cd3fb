import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import type { ConfigProvider } from "../config/schema.ts";
import type { Host } from "../host.ts";
import { type Style, styleFor } from "../view/style.ts";
import { listModels } from "./list-models.ts";
import { providersOf } from "./resolve-model.ts";

interface ModelsOptions {
  config?: string | false;
  json: boolean;
}

/** What a provider's server offers, or why that is not known. */
interface Offer {
  provider: string;
  baseUrl: string;
  /** The variable with its key, when it needs one, and whether that is set. */
  keyVariable?: string;
  hasKey?: boolean;
  models?: string[];
  problem?: string;
}

/** Of one provider among others. */
const shownModels = 12;

/** Creates the subcommand `models`: what is configured, and what the providers' servers offer. */
export function modelsCommand(run: Run, host: Host): Command {
  return new Command(`${host.command} models`)
    .description("models by name: those of the configuration, and what the servers of providers offer")
    .argument("[provider]", "ask only this one, and show all of its models")
    .option("--json", "as NDJSON: a line for each model, then one for each provider", false)
    .option("--config <file>", "a configuration file instead of the folder's")
    .option("--no-config", "no configuration files")
    .action((provider: string | undefined, options: ModelsOptions) => run(() => list(provider, options, host)));
}

async function list(only: string | undefined, { config, json }: ModelsOptions, host: Host): Promise<number> {
  const { stdout, env, command } = host;
  const loaded = loadConfig({ file: config || undefined, none: config === false }, host);
  const providers = providersOf(loaded.values);
  if (only !== undefined && !Object.hasOwn(providers, only))
    throw new UsageError(`There is no provider ${only}. There are ${Object.keys(providers).join(", ")}.`);
  const { models = {}, model: chosen } = loaded.values;
  const style = styleFor(stdout, env);
  const asked = Object.entries(providers).filter(([name]) => only === undefined || name === only);
  const offers = await Promise.all(asked.map(([name, provider]) => offerOf(name, provider, loaded)));
  const lines = Object.entries(only === undefined ? models : {}).map(([name, { provider, id, price }]) => {
    if (json) return JSON.stringify({ name, provider, id, ...(price && { price }), chosen: name === chosen });
    const cost = price
      ? style.dim(` ${price.input}/${price.output} ${price.currency ?? "USD"} for a million tokens`)
      : "";
    return `${style.accent(name)}  ${provider}:${id}${cost}${name === chosen ? style.good("  ← model") : ""}`;
  });
  if (!json && only === undefined) lines.push(...(lines.length > 0 ? [""] : ["No models are configured.", ""]));
  lines.push(
    ...offers.map((offer) =>
      json ? JSON.stringify(offer) : offerText(offer, style, only === undefined ? command : undefined),
    ),
  );
  stdout.write(`${lines.join("\n")}\n`);
  return only !== undefined && offers[0]?.models === undefined ? exitCodes.error : exitCodes.answered;
}

async function offerOf(
  name: string,
  { baseUrl, kind, keyVariable }: ConfigProvider,
  { env }: LoadedConfig,
): Promise<Offer> {
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  const offer: Offer = {
    provider: name,
    baseUrl,
    ...(keyVariable !== undefined && { keyVariable, hasKey: Boolean(key) }),
  };
  if (keyVariable !== undefined && !key) return offer;
  return { ...offer, ...(await listModels({ kind, baseUrl, key })) };
}

function offerText(
  { provider, baseUrl, keyVariable, hasKey, models, problem }: Offer,
  style: Style,
  /** Lists a part, and how to see all; absent: all. */
  command: string | undefined,
): string {
  const head = `${style.strong(provider)}  ${style.dim(baseUrl)}`;
  if (keyVariable !== undefined && !hasKey) return `${head}  ${style.dim(`no key in ${keyVariable}`)}`;
  if (models === undefined) return `${head}  ${style.dim(problem ?? "")}`;
  const shown = command === undefined ? models : models.slice(0, shownModels);
  const more =
    models.length > shown.length ? `\n  … ${models.length - shown.length} more: ${command} models ${provider}` : "";
  return `${head}\n${shown.map((id) => `  ${style.accent(`${provider}:${id}`)}`).join("\n")}${style.dim(more)}`;
}
