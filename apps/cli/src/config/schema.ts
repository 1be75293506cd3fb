import { z } from "zod";
import { isProtocol, type ProtocolName, protocolNames } from "../cli/protocol-names.ts";

const text = z.string().min(1);
const above0 = z.number().positive().finite();
const count = z.int().min(1);
const url = z.string().regex(/^https?:\/\/\S+$/i, "must begin with http:// or https://");

const limits = z.object({ turns: count, tokens: count, seconds: above0, cost: above0 }).partial();

const notNegative = z.number().min(0).finite();
const price = z
  .object({ input: notNegative, output: notNegative })
  .extend(z.object({ cachedInput: notNegative, cacheWrite: notNegative, currency: text }).partial().shape);

const provider = z.object({
  baseUrl: url,
  kind: z.enum(["openai", "anthropic"]).optional(),
  keyVariable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, "must be the name of a variable, never a key itself")
    .optional(),
});

const model = z
  .object({ provider: text, id: text })
  .extend(z.object({ price, contextWindow: count, maxTokens: count }).partial().shape);

/** What a configuration file may hold. Every key is optional. */
export const configSchema = z
  .object({
    model: text,
    system: text,
    protocol: z.custom<ProtocolName>(
      (name) => typeof name === "string" && isProtocol(name),
      `must be one of ${protocolNames.join(", ")}`,
    ),
    lang: z.enum(["zh", "en"]),
    mode: z.enum(["loop", "single"]),
    timeout: above0.max(86_400),
    sandbox: z.enum(["bwrap", "off"]),
    plain: z.boolean(),
    keep: z.boolean(),
    tools: z.array(text),
    mcp: z.array(text),
    limits,
    providers: z.record(text, provider),
    models: z.record(text, model),
  })
  .partial();

/** A configuration, as one file has it or as several come to. */
export type Config = z.infer<typeof configSchema>;
/** What ends a run. */
export type ConfigLimits = z.infer<typeof limits>;
/** Money for a million tokens. */
export type ConfigPrice = z.infer<typeof price>;
/** A server of models. */
export type ConfigProvider = z.infer<typeof provider>;

/** All keys, by what they belong to. */
export const configKeys = {
  root: Object.keys(configSchema.shape),
  limits: Object.keys(limits.shape),
  price: Object.keys(price.shape),
  provider: Object.keys(provider.shape),
  model: Object.keys(model.shape),
} as const;

/**
 * What the file of a folder may say: somebody else may have written it, so it chooses among what the user has, and neither names
 * servers that get keys nor what is run.
 */
export const folderKeys: readonly string[] = [
  "model",
  "system",
  "protocol",
  "lang",
  "mode",
  "timeout",
  "plain",
  "limits",
];
