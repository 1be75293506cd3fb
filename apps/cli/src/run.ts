import { resolve } from "node:path";
import type { Locale } from "@toolglot/core";
import type { Command } from "commander";
import { exitCodes } from "./cli/exit-codes.ts";
import { buildCommand, languageIn, valuesOf } from "./cli/flags.ts";
import { type Run, runCommand } from "./cli/run-command.ts";
import { UsageError } from "./cli/usage-error.ts";
import type { Host } from "./host.ts";
import { wordsFor } from "./words/index.ts";

type Subcommand = (run: Run, host: Host, locale: Locale) => Command;

/** Each is loaded when it is asked for: a start loads what it uses. */
const subcommands: ReadonlyMap<string, () => Promise<Subcommand>> = new Map([
  ["config", async () => (await import("./config/config-command.ts")).configCommand],
  ["models", async () => (await import("./models/models-command.ts")).modelsCommand],
  ["check", async () => (await import("./check/check-command.ts")).checkCommand],
  ["parse", async () => (await import("./parse/parse-command.ts")).parseCommand],
  ["tools", async () => (await import("./tools-command/tools-command.ts")).toolsCommand],
  ["router", async () => (await import("./router/router-command.ts")).routerCommand],
  ["approvals", async () => (await import("./router/approvals-command.ts")).approvalsCommand],
  ["audit", async () => (await import("./router/audit-command.ts")).auditCommand],
  ["gateway", async () => (await import("./gateway/gateway-command.ts")).gatewayCommand],
  ["scan", async () => (await import("./scan/scan-command.ts")).scanCommand],
  ["sessions", async () => (await import("./sessions/sessions-command.ts")).sessionsCommand],
  ["undo", async () => (await import("./project/undo-command.ts")).undoCommand],
  ["var", async () => (await import("./var/var-command.ts")).varCommand],
]);

/** Commands of the conversation that are flags, too. */
const flagCommands: readonly string[] = ["resume", "tour"];
/** Flags that people write as a word, with which other words are not compared: `hello` is like `help`. */
const flagWords: readonly string[] = [...flagCommands, "help", "version"];

/**
 * Runs the command line with the arguments after its name, and resolves with its exit code; `host` is all that it reads and writes. Modules
 * may stand before a subcommand, too: `--tools FILE router`.
 */
export async function main(args: readonly string[], host: Host): Promise<number> {
  const { tools, rest } = leadingTools(args, host.folder);
  const own: Host = { ...host, tools: [...host.tools, ...tools] };
  try {
    const subcommand = subcommands.get(rest[0] ?? "");
    if (subcommand) return await runCommand(await subcommand(), rest.slice(1), own);
    const [first = "", ...others] = rest;
    if (flagWords.includes(first)) return await converse([`--${first}`, ...others], own);
    await checkWord(rest, own);
    return await converse(rest, own);
  } catch (error) {
    const { message, name } = error as Error;
    if (name === "Cancelled") return exitCodes.cancelled;
    const isUsage = error instanceof UsageError;
    const more = isUsage ? `\n${wordsFor(languageIn(args), host.command).help.more(host.command)}` : "";
    host.stderr.write(`${message}${more}\n`);
    return isUsage ? exitCodes.usage : exitCodes.error;
  }
}

/** A word that stands alone is meant as a command, if it is like one. Throws `UsageError`. */
async function checkWord(args: readonly string[], host: Host): Promise<void> {
  const [word = "", next = "-"] = args;
  if (!/^[\p{L}-]+$/u.test(word) || word.startsWith("-") || !next.startsWith("-")) return;
  const { nearest } = await import("@toolglot/internal");
  const [near] = nearest(word, [...subcommands.keys(), ...flagCommands], 1);
  if (near === undefined) return;
  throw new UsageError(wordsFor(languageIn(args), host.command).help.meant(word, near));
}

/** What needs no more than this file is answered at once. */
async function converse(args: readonly string[], host: Host): Promise<number> {
  const beforeText = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const has = (...flags: string[]): boolean => beforeText.some((arg) => flags.includes(arg));
  if (has("-V", "--version")) {
    host.stdout.write(`${(await import("../package.json", { with: { type: "json" } })).default.version}\n`);
    return exitCodes.answered;
  }
  if (has("-h", "--help") && host.tools.length === 0 && valuesOf(args, "--tools").length === 0) {
    buildCommand(languageIn(args), host)
      .configureOutput({ writeOut: (text) => void host.stdout.write(text) })
      .outputHelp();
    return exitCodes.answered;
  }
  return (await import("./cli/conversation.ts")).conversation(args, host);
}

function leadingTools(args: readonly string[], folder: string): { tools: string[]; rest: string[] } {
  const tools: string[] = [];
  const rest = [...args];
  for (;;) {
    const [first = "", second] = rest;
    const isApart = first === "--tools" && second !== undefined;
    if (!isApart && !first.startsWith("--tools=")) return { tools, rest };
    tools.push(resolve(folder, isApart ? second : first.slice("--tools=".length)));
    rest.splice(0, isApart ? 2 : 1);
  }
}
