import type { Locale } from "@toolglot/core";
import type { SecretEntry, Secrets } from "@toolglot/secrets";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { Cancelled } from "../cli/hidden-input.ts";
import { type Run, runCommand } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { dataFolder } from "../data/folder.ts";
import { openLocal } from "../project/open-local.ts";
import { openProjectSecrets, type ProjectSecrets } from "../project/project-secrets.ts";
import { openProject } from "../project/scratch-project.ts";
import { placeOf, type StoreKind, storeKinds } from "../project/secret-store.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { readValue } from "./read-value.ts";
import { type VarWords, varWordsFor } from "./words.ts";

interface VarOptions {
  lang?: Locale;
  store?: StoreKind;
  dataDir?: string;
  note?: string;
  global?: boolean;
  json?: boolean;
  purge?: boolean;
}

/** The subcommand `var`: the values that a model may use as `$KARYI{NAME}` and never sees. Gives the exit code. */
export async function varCommand(args: readonly string[]): Promise<number> {
  try {
    return await runCommand(buildCommand, args);
  } catch (error) {
    if (error instanceof Cancelled) return exitCodes.cancelled;
    throw error;
  }
}

function buildCommand(run: Run): Command {
  const command = new Command("npm run demo -- var").description(
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
      .option("--data-dir <dir>", "where the project lives");
  subcommand("set")
    .description("keeps a value: asks for it without showing it, or takes all of standard input less a final line end")
    .argument("<name>")
    .argument("[more...]")
    .option("--note <text>", "what the value is for; kept with it")
    .option("--global", "for all projects, not only for this one", false)
    // Commander's own errors would quote a value that was put among the arguments.
    .allowUnknownOption()
    .action((name: string, more: string[], options: VarOptions) => run(() => set(name, more, options)));
  subcommand("list")
    .description(
      "names, where they are known, when they were set, and notes where nobody has to be asked: never a value",
    )
    .option("--json", "as NDJSON", false)
    .action((options: VarOptions) => run(() => list(options)));
  subcommand("rm")
    .description("forgets a value")
    .argument("<name>")
    .option("--purge", "also empty what is kept for `undo` where it holds the value; files of the project stay", false)
    .action((name: string, options: VarOptions) => run(() => remove(name, options)));
  return command;
}

async function set(name: string, more: readonly string[], options: VarOptions): Promise<number> {
  const words = varWordsFor(options.lang);
  if (more.length > 0 || name.includes("=")) throw new UsageError(words.misplaced);
  checkName(name, words);
  const value = await readValue(name, process.stdin, words);
  const { secrets, store } = await open(options);
  const { note, global } = options;
  const { warnings } = await secrets.set(name, value, { keep: true, ...(note !== undefined && { note }) });
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  process.stdout.write(`${words.kept(name, global === true, placeOf(store, words))}\n`);
  return exitCodes.answered;
}

async function list(options: VarOptions): Promise<number> {
  const words = varWordsFor(options.lang);
  const { secrets, store } = await open(options);
  const entries = await Promise.all((await secrets.list()).map((entry) => withNote(entry, store)));
  const style = styleFor(process.stdout);
  const lineOf = ({ name, scope = "", at, note }: SecretEntry): string =>
    [
      style.accent(name.padEnd(20)),
      new Date(at).toLocaleString("sv"),
      visible(scope === "*" ? words.allProjects : scope),
      ...(note === undefined ? [] : [style.dim(visible(note).replaceAll("\n", " "))]),
    ].join("  ");
  if (!options.json) process.stderr.write(`${words.storeIs(placeOf(store, words))}\n`);
  const lines = entries.map((entry) => (options.json ? JSON.stringify(entry) : lineOf(entry)));
  if (lines.length === 0 && !options.json) lines.push(words.noValues);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

/** An entry with its note, if the store opens without asking anybody. */
async function withNote(entry: SecretEntry, store: ProjectSecrets["store"]): Promise<SecretEntry> {
  const opensAlone = store.kind === "keychain" || Boolean(process.env.TOOLGLOT_VAULT_PASSPHRASE_FILE);
  const note = opensAlone ? (await store.get(entry.name, entry.scope ?? "*"))?.note : undefined;
  return note === undefined ? entry : { ...entry, note };
}

async function remove(name: string, options: VarOptions): Promise<number> {
  const words = varWordsFor(options.lang);
  checkName(name, words);
  const { secrets, store } = await open(options);
  // While the value is known: contents are searched for it.
  const purged = options.purge ? await purge(name, secrets, options) : "";
  const removed = await secrets.remove(name);
  if (!removed && purged === "") throw new Error(words.unknown(name, placeOf(store, words)));
  if (removed) process.stdout.write(`${words.forgotten(name, placeOf(store, words))}\n`);
  process.stdout.write(purged);
  return exitCodes.answered;
}

/** Empties what is kept for `undo` where it holds the value, and says how much that was. */
async function purge(name: string, secrets: Secrets, { dataDir, lang }: VarOptions): Promise<string> {
  const local = await openLocal(openProject(dataFolder(dataDir)), { commands: "ask", sandbox: "off", secrets });
  try {
    const { changes, copies } = await local.forget(name);
    if (changes + copies === 0) return "";
    return `${varWordsFor(lang).emptied(changes, copies)}\n`;
  } finally {
    await local.close();
  }
}

function checkName(name: string, words: VarWords): void {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) return;
  throw new UsageError(words.badName);
}

function open({ dataDir, store, lang, global = false }: VarOptions): Promise<ProjectSecrets> {
  return openProjectSecrets(openProject(dataFolder(dataDir)), {
    asksPassphrase: true,
    everywhere: global,
    lang,
    ...(store && { kind: store }),
  });
}
