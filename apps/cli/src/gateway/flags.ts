import { isIP } from "node:net";
import { resolve } from "node:path";
import type { JsonObject, Locale } from "@toolglot/core";
import { readStoreAddress } from "@toolglot/gateway/store";
import { type Command, Option } from "commander";
import { collected } from "../cli/flags.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import type { GatewayWords } from "../words/gateway.ts";

/** Options of `gateway`; its subcommands have them too. */
export interface GatewayFlags {
  config?: string[];
  stdio?: boolean;
  http?: string;
  store?: string;
  stateDir?: string;
  face?: "tools" | "search" | "code" | "auto";
  principal?: string;
  observe?: boolean;
  allowVolatile?: boolean;
  /** False with `--no-auth`. */
  auth: boolean;
  log?: "pretty" | "json" | "silent";
  lang: Locale;
}

/** What each command of `gateway` works with. */
export interface GatewayRun<Options = unknown> {
  flags: GatewayFlags & Options;
  host: Host;
  say: GatewayWords;
}

/** Adds the options of `gateway` to its command. */
export function addGatewayFlags(command: Command, { flags: say, lang }: GatewayWords): Command {
  return command
    .addOption(new Option("--config <file>", say.config).argParser(collected))
    .option("--stdio", say.stdio)
    .option("--http <address>", say.http)
    .option("--store <store>", say.store)
    .option("--state-dir <dir>", say.stateDir)
    .addOption(new Option("--face <face>", say.face).choices(["tools", "search", "code", "auto"]))
    .option("--principal <name>", say.principal)
    .option("--observe", say.observe)
    .option("--allow-volatile", say.allowVolatile)
    .option("--no-auth", say.noAuth)
    .addOption(new Option("--log <form>", say.log).choices(["pretty", "json", "silent"]))
    .addOption(new Option("--lang <code>", lang).choices(["zh", "en"]).default("en"));
}

/** Returns what the command line says, as under `gateway` of a configuration. Throws `UsageError`. */
export function settingsOf({ flags, host, say }: GatewayRun): JsonObject {
  const { face, observe, http, store } = flags;
  if (flags.stdio && http !== undefined) throw new UsageError(say.oneOf);
  return {
    ...(face !== undefined && { face }),
    ...(observe && { mode: "observe" }),
    ...(store !== undefined && { store: storeOf(store, host) }),
    ...(http !== undefined && { listen: addressOf(http, say) }),
  };
}

/** Reads `[HOST:]PORT`. Throws `UsageError`. */
function addressOf(text: string, say: GatewayWords): { host?: string; port: number } {
  const [, inBrackets, plain, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!(port <= 65_535) || (inBrackets !== undefined && isIP(inBrackets) !== 6)) {
    throw new UsageError(say.badAddress(text));
  }
  const host = inBrackets ?? plain;
  return { ...(host !== undefined && { host }), port };
}

/** A relative file is in the folder where the command line was started. */
function storeOf(text: string, { folder }: Host): string {
  const found = readStoreAddress(text);
  if (!("kind" in found)) throw new UsageError(`--store ${found.message}. ${found.cure}`);
  return found.kind === "sqlite" ? `sqlite:${resolve(folder, found.path)}` : text;
}
