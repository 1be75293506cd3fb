import { resolve } from "node:path";
import type { Router } from "@toolglot/trp-core";
import type { AuditRow } from "@toolglot/trp-core/store";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { hostDataFolder } from "../modules/load-module.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { makeAuditKey, readSigner, readVerifier } from "./audit-key.ts";
import { wholeNumber } from "./environment.ts";
import { onStore } from "./on-store.ts";
import { readStoreChoice, type StoreChoice } from "./store-choice.ts";

interface AuditOptions {
  store?: string;
  dataDir?: string;
  json: boolean;
  after?: string;
  limit?: string;
  expect?: string;
  key?: string;
}

/** Creates the subcommand `audit`: the log of decisions and outcomes, and whether it is whole. */
export function auditCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} audit`).description("what was decided, and how it ended");
  const where = (name: string): Command =>
    command
      .command(name)
      .option("--store <store>", "sqlite:FILE or postgres://… (default: router.db in the data folder)")
      .option("--data-dir <dir>", "where the default store lives")
      .option("--json", "as JSON", false);
  where("verify")
    .description("checks every row, and that each operation has its rows; exit code 1 when something does not fit")
    .option("--expect <index:hash>", "a row that was noted elsewhere: it must still be there")
    .option("--key <file>", "a key, or its .pub: the log must be signed with it, as far as its newest checkpoint goes")
    .action((options: AuditOptions) => run(() => verify(options, host)));
  where("list")
    .description("the rows in their order")
    .option("--after <index>", "only rows after this one")
    .option("--limit <n>", "how many at most")
    .action((options: AuditOptions) => run(() => list(options, host)));
  where("checkpoint")
    .description("signs the log as it is now")
    .requiredOption("--key <file>", "the key, as audit key makes one")
    .action((options: AuditOptions) => run(() => checkpoint(options, host)));
  command
    .command("key")
    .description("makes a key that signs the log: for audit checkpoint, and TRP_AUDIT_KEY of a router")
    .argument("<file>", "where to; its public half goes to FILE.pub")
    .action((file: string) => run(() => key(file, host)));
  return command;
}

async function choiceOf({ store, dataDir }: AuditOptions, host: Host): Promise<StoreChoice> {
  return readStoreChoice(store, await hostDataFolder(dataDir, host), host.folder);
}

/** `INDEX:HASH`, as `verify` prints it. */
function expected(text: string): { index: number; hash: string } {
  const [, index, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (index === undefined || hash === undefined) {
    throw new UsageError(
      "--expect takes INDEX:HASH, the number of a row and its 64 hex digits, as audit verify prints them",
    );
  }
  return { index: Number(index), hash };
}

async function key(file: string, { stdout, folder }: Host): Promise<number> {
  const { publicFile } = await makeAuditKey(resolve(folder, file));
  stdout.write(`The key is in ${file}: keep it where only the router can read it.\n`);
  stdout.write(`${publicFile} is for who verifies: audit verify --key ${publicFile}\n`);
  return exitCodes.answered;
}

async function checkpoint(options: AuditOptions, host: Host): Promise<number> {
  const signer = await readSigner(resolve(host.folder, options.key ?? ""));
  const work = async (router: Router): Promise<number> => {
    await router.audit.checkpoint();
    const { row, checkpoint: made } = await router.store.audit.head();
    const text =
      made === undefined || row === undefined
        ? "The log is empty: there is nothing to sign."
        : `Row ${made.index} is signed, and with it all rows before.\nTo note: --expect ${made.index}:${made.hash}`;
    host.stdout.write(`${options.json ? JSON.stringify(made ?? null) : text}\n`);
    return exitCodes.answered;
  };
  return onStore(await choiceOf(options, host), work, { checkpoints: { signer } });
}

async function verify(options: AuditOptions, host: Host): Promise<number> {
  const expect = options.expect === undefined ? undefined : expected(options.expect);
  const keys = options.key === undefined ? undefined : [await readVerifier(resolve(host.folder, options.key))];
  return onStore(await choiceOf(options, host), async (router) => {
    const report = await router.audit.verify({ ...(expect && { expect }), ...(keys && { keys }) });
    const { rows, ok, brokenAt, problem, head, last = { index: rows, hash: head }, trust = "" } = report;
    const style = styleFor(host.stdout, host.env);
    const verdict = ok
      ? `${style.good("ok: every row follows from the one before")}\n${trust}\nTo note: --expect ${last.index}:${last.hash}`
      : style.bad(`broken${brokenAt === undefined ? "" : ` at row ${brokenAt}`}: ${problem ?? "a row does not fit"}`);
    const text = options.json ? JSON.stringify(report) : `${rows} rows, head ${head}\n${verdict}`;
    host.stdout.write(`${text}\n`);
    return ok ? exitCodes.answered : exitCodes.error;
  });
}

async function list(options: AuditOptions, host: Host): Promise<number> {
  const { after, limit, json } = options;
  const range = {
    ...(after !== undefined && { after: wholeNumber("--after", after, 999_999_999) }),
    ...(limit !== undefined && { limit: wholeNumber("--limit", limit, 999_999_999) }),
  };
  return onStore(await choiceOf(options, host), async (router) => {
    const style = styleFor(host.stdout, host.env);
    for (const row of await router.audit.read(range)) {
      host.stdout.write(`${json ? JSON.stringify(row) : inWords(row, style)}\n`);
    }
    return exitCodes.answered;
  });
}

function inWords({ index, at, entry, hash }: AuditRow, style: Style): string {
  const { kind, result_status, cap_id, principal, policy_rule, error_code, decided_by, latency_ms } = entry;
  const facts = [
    kind === "outcome" && `${Math.round(latency_ms)} ms`,
    policy_rule,
    error_code,
    decided_by !== undefined && `by ${decided_by}`,
  ].filter(Boolean);
  const time = new Date(at).toISOString();
  const line = `${String(index).padStart(5)}  ${time}  ${kind.padEnd(10)} ${result_status.padEnd(8)} ${cap_id}  ${principal}  ${facts.join(", ")}`;
  return `${visible(line)}  ${style.dim(hash.slice(0, 12))}`;
}
