import type { Locale } from "@toolglot/core";
import type { SecretEntry, Secrets } from "@toolglot/secrets";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { chosenProject } from "../project/chosen-project.ts";
import { openLocal } from "../project/open-local.ts";
import { openProjectSecrets, type ProjectSecrets } from "../project/project-secrets.ts";
import { placeOf, type StoreKind, storeKinds } from "../project/secret-store.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { readValue } from "./read-value.ts";

interface VarOptions {
  lang?: Locale;
  store?: StoreKind;
  dataDir?: string;
  project?: string;
  note?: string;
  global?: boolean;
  json?: boolean;
  purge?: boolean;
}

/** Creates the subcommand `var`: the values that a model may use as `$KARYI{NAME}` and never sees. */
export function varCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} var`).description(
    "values that commands of a model use as $KARYI{NAME}, and that the model never sees",
  );
  const subcommand = (name: string): Command =>
    command
      .command(name)
      .addOption(
        new Option("--store <kind>", "where values are kept (default: keychain where it works, else file)").choices(
          storeKinds,
        ),
      )
      .addOption(new Option("--lang <code>", "language of what is asked and said (default: en)").choices(["zh", "en"]))
      .option("--project <dir>", "the folder that values are for (default: this one)")
      .option("--data-dir <dir>", "where its changes are kept");
  subcommand("set")
    .description("keeps a value: asks for it without showing it, or takes all of standard input less a final line end")
    .argument("<name>")
    .argument("[more...]")
    .option("--note <text>", "what the value is for; kept with it")
    .option("--global", "for all projects, not only for this one", false)
    // Commander's own errors would quote a value that was put among the arguments.
    .allowUnknownOption()
    .action((name: string, more: string[], options: VarOptions) => run(() => set(name, more, options, host)));
  subcommand("list")
    .description(
      "names, where they are known, when they were set, and notes where nobody has to be asked: never a value",
    )
    .option("--json", "as NDJSON", false)
    .action((options: VarOptions) => run(() => list(options, host)));
  subcommand("rm")
    .description("forgets a value")
    .argument("<name>")
    .option("--purge", "also empty what is kept for `undo` where it holds the value; files of the project stay", false)
    .action((name: string, options: VarOptions) => run(() => remove(name, options, host)));
  return command;
}

async function set(name: string, more: readonly string[], options: VarOptions, host: Host): Promise<number> {
  const words = wordsFor(options.lang, host.command).values;
  if (more.length > 0 || name.includes("=")) throw new UsageError(words.misplaced);
  checkName(name, words);
  const value = await readValue(name, host.stdin, words);
  const { secrets, store } = await open(options, host);
  const { note, global } = options;
  const { warnings } = await secrets.set(name, value, { keep: true, ...(note !== undefined && { note }) });
  for (const warning of warnings) host.stderr.write(`${warning}\n`);
  host.stdout.write(`${words.kept(name, global === true, placeOf(store, words))}\n`);
  return exitCodes.answered;
}

async function list(options: VarOptions, host: Host): Promise<number> {
  const { stdout, stderr, env } = host;
  const words = wordsFor(options.lang, host.command).values;
  const { secrets, store } = await open(options, host);
  const entries = await Promise.all((await secrets.list()).map((entry) => withNote(entry, store, env)));
  const style = styleFor(stdout, env);
  const lineOf = ({ name, scope = "", at, note }: SecretEntry): string =>
    [
      style.accent(name.padEnd(20)),
      new Date(at).toLocaleString("sv"),
      visible(scope === "*" ? words.allProjects : scope),
      ...(note === undefined ? [] : [style.dim(visible(note).replaceAll("\n", " "))]),
    ].join("  ");
  if (!options.json) stderr.write(`${words.storeIs(placeOf(store, words))}\n`);
  const lines = entries.map((entry) => (options.json ? JSON.stringify(entry) : lineOf(entry)));
  if (lines.length === 0 && !options.json) lines.push(words.noValues);
  stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

/** An entry with its note, if the store opens without asking anybody. */
async function withNote(
  entry: SecretEntry,
  store: ProjectSecrets["store"],
  env: NodeJS.ProcessEnv,
): Promise<SecretEntry> {
  const opensAlone = store.kind === "keychain" || Boolean(env.TOOLGLOT_VAULT_PASSPHRASE_FILE);
  const note = opensAlone ? (await store.get(entry.name, entry.scope ?? "*"))?.note : undefined;
  return note === undefined ? entry : { ...entry, note };
}

async function remove(name: string, options: VarOptions, host: Host): Promise<number> {
  const { stdout } = host;
  const words = wordsFor(options.lang, host.command).values;
  checkName(name, words);
  const { secrets, store } = await open(options, host);
  // While the value is known: contents are searched for it.
  const purged = options.purge ? await purge(name, secrets, options, host) : "";
  const removed = await secrets.remove(name);
  if (!removed && purged === "") throw new Error(words.unknown(name, placeOf(store, words)));
  if (removed) stdout.write(`${words.forgotten(name, placeOf(store, words))}\n`);
  stdout.write(purged);
  return exitCodes.answered;
}

/** Empties what is kept for `undo` where it holds the value, and returns how much that was. */
async function purge(name: string, secrets: Secrets, options: VarOptions, host: Host): Promise<string> {
  const { lang } = options;
  const local = await openLocal(await chosenProject(options, host), { commands: "ask", sandbox: "off", secrets });
  try {
    const { changes, copies } = await local.forget(name);
    if (changes + copies === 0) return "";
    return `${wordsFor(lang, host.command).values.emptied(changes, copies)}\n`;
  } finally {
    await local.close();
  }
}

function checkName(name: string, words: Words["values"]): void {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) return;
  throw new UsageError(words.badName);
}

async function open(options: VarOptions, host: Host): Promise<ProjectSecrets> {
  const { store, lang, global = false } = options;
  return openProjectSecrets(await chosenProject(options, host), {
    asksPassphrase: true,
    everywhere: global,
    words: wordsFor(lang, host.command),
    env: host.env,
    ...(store && { kind: store }),
  });
}
