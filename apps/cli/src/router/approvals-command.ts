import { existsSync } from "node:fs";
import { ToolglotError } from "@toolglot/core";
import type { ApprovalStatus } from "@toolglot/trp-core/store";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { hostDataFolder } from "../modules/load-module.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { type ApprovalDesk, deskOf, remoteDesk, type ShownApproval, unreachable } from "./approval-desk.ts";
import { defaultPort, readEnvironment } from "./environment.ts";
import { onStore } from "./on-store.ts";
import { readOperatorToken } from "./operator-token.ts";
import { defaultStorePath, fileChoice, readStoreChoice } from "./store-choice.ts";

interface ApprovalsOptions {
  url?: string;
  token?: string;
  store?: string;
  dataDir?: string;
  json: boolean;
  status?: ApprovalStatus;
  comment?: string;
}

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "denied", "used", "expired"];

/** Creates the subcommand `approvals`: what agents ask for, and a person's answer. */
export function approvalsCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} approvals`).description("requests that wait for a person's consent");
  const where = (name: string): Command =>
    command
      .command(name)
      .option("--url <url>", "the running router (default: TRP_HOST and TRP_PORT)")
      .option("--token <token>", "identifies the person who decides (default: the operator's token in the data folder)")
      .option("--store <store>", "sqlite:FILE or postgres://… instead of a running router")
      .option("--data-dir <dir>", "where the operator's token and the default store live")
      .option("--json", "records as NDJSON", false);
  where("list")
    .description("the requests, newest first")
    .addOption(new Option("--status <status>", "only these").choices([...statuses]))
    .action((options: ApprovalsOptions) =>
      run(() => atDesk(options, host, async (desk) => show(await desk.list(options.status), options, host))),
    );
  for (const verb of ["approve", "deny"] as const) {
    where(verb)
      .argument("<id>", "as list shows it")
      .option("--comment <text>", "shown to the requester, and kept")
      .description(verb === "approve" ? "lets the call run when it is made again" : "refuses the call")
      .action((id: string, options: ApprovalsOptions) =>
        run(() =>
          atDesk(options, host, async (desk) => show([await desk.decide(verb, id, options.comment)], options, host)),
        ),
      );
  }
  return command;
}

/** At the running router; at its file when one is named, or when nobody listens where nobody was named. */
async function atDesk(
  options: ApprovalsOptions,
  host: Host,
  work: (desk: ApprovalDesk) => Promise<number>,
): Promise<number> {
  const { url, token, store } = options;
  const folder = await hostDataFolder(options.dataDir, host);
  if (store !== undefined) {
    if (url !== undefined || token !== undefined) throw new UsageError("Either --store, or --url and --token.");
    return onStore(readStoreChoice(store, folder, host.folder), (router) => work(deskOf(router)));
  }
  const address = url ?? addressOf(readEnvironment(host.env));
  if (!/^https?:\/\//i.test(address)) throw new UsageError(`--url must begin with http://, not "${address}".`);
  try {
    return await work(remoteDesk(address, token ?? readOperatorToken(folder)));
  } catch (error) {
    const path = defaultStorePath(folder);
    const nobody = ToolglotError.isInstance(error) && error.code === unreachable;
    if (!nobody || url !== undefined || !existsSync(path)) throw error;
    host.stderr.write(`No router answers at ${address}; this is ${path}.\n`);
    return onStore(fileChoice(path), (router) => work(deskOf(router)));
  }
}

/** The address at which this process reaches a router that listens there; for one that listens everywhere, this host. */
function addressOf({ host, port = defaultPort }: { host: string; port?: number }): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function show(approvals: readonly ShownApproval[], { json }: ApprovalsOptions, { stdout, env }: Host): number {
  if (json) for (const approval of approvals) stdout.write(`${JSON.stringify(approval)}\n`);
  else if (approvals.length === 0) stdout.write("Nothing waits for approval.\n");
  else stdout.write(approvals.map((approval) => inWords(approval, styleFor(stdout, env))).join("\n"));
  return exitCodes.answered;
}

/** The router's own words. */
function inWords({ text }: ShownApproval, style: Style): string {
  const [head = "", ...rest] = visible(text).split("\n");
  return `${style.accent(head)}\n${rest.map((line) => `  ${line}\n`).join("")}`;
}
