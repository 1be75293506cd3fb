import type { Locale } from "@toolglot/core";
import { Argument, Command, Option } from "commander";
import { collected } from "../cli/flags.ts";
import type { Run } from "../cli/run-command.ts";
import type { Host } from "../host.ts";
import { gatewayWords } from "../words/gateway.ts";
import { withExitCode } from "./exit-code.ts";
import { addGatewayFlags, type GatewayRun } from "./flags.ts";

/** What a command does, loaded when it is asked for: its run, and its arguments. */
// biome-ignore lint/suspicious/noExplicitAny: each command knows its own options.
type Work = (run: GatewayRun<any>, ...args: any[]) => Promise<number>;

/** Creates the subcommand `gateway`: a router before MCP servers. */
export function gatewayCommand(run: Run, host: Host, locale: Locale): Command {
  const say = gatewayWords(locale, host.command);
  const command = addGatewayFlags(new Command(`${host.command} gateway`).description(say.about), say);
  command.addHelpText("after", say.after).configureHelp({ helpWidth: 100, showGlobalOptions: true });
  const does = (target: Command, load: () => Promise<Work>): Command =>
    target.action((...given: unknown[]) => {
      // Commander passes the arguments, then the options, then the command.
      const args = given.slice(0, -2);
      const flags = target.optsWithGlobals<GatewayRun["flags"]>();
      return run(() => withExitCode(host, async () => (await load())({ flags, host, say }, ...args)));
    });
  const group = (name: string, about: string): Command => command.command(name).description(about);

  does(command, async () => (await import("./serve.ts")).serve);
  does(
    command
      .command("check")
      .description(say.check.about)
      .option("--connect", say.check.connect)
      .option("--json", say.json),
    async () => (await import("./check.ts")).check,
  );
  does(command.command("init").description(say.init.about), async () => (await import("./init.ts")).init);
  does(
    command
      .command("snippet")
      .description(say.snippet.about)
      .addArgument(new Argument("<client>", say.snippet.client).choices(["claude", "claude-code", "cursor", "vscode"])),
    async () => (await import("./snippet.ts")).snippet,
  );

  const token = group("token", say.token.about);
  does(
    token
      .command("add")
      .description(say.token.add)
      .argument("<name>", say.token.name)
      .addOption(new Option("--role <role>", say.token.role).argParser(collected))
      .option("--tenant <tenant>", say.token.tenant)
      .option("--can-delete", say.token.canDelete)
      .option("--expires <time>", say.token.expires)
      .option("--no-elicitation", say.token.noElicitation)
      .option("--lenient-headers", say.token.lenientHeaders),
    async () => (await import("./token.ts")).addToken,
  );
  does(
    token.command("list").description(say.token.list).option("--json", say.json),
    async () => (await import("./token.ts")).listTokens,
  );
  does(
    token.command("revoke").description(say.token.revoke).argument("<id>", say.token.id),
    async () => (await import("./token.ts")).revokeToken,
  );

  does(
    command
      .command("login")
      .description(say.login.about)
      .argument("<server>", say.login.server)
      .option("--device", say.login.device),
    async () => (await import("./login.ts")).login,
  );
  does(
    command.command("logout").description(say.login.logout).argument("<server>", say.login.server),
    async () => (await import("./login.ts")).logout,
  );

  const approvals = group("approvals", say.approvals.about);
  const aboutApproval = (name: "show" | "approve" | "deny"): Command =>
    approvals
      .command(name)
      .description(say.approvals[name])
      .argument("<id>", say.approvals.id)
      .option("--tenant <tenant>", say.approvals.tenant)
      .option("--json", say.json);
  does(
    approvals
      .command("list")
      .description(say.approvals.list)
      .addOption(
        new Option("--status <status>", say.approvals.status).choices([
          "pending",
          "approved",
          "denied",
          "used",
          "expired",
        ]),
      )
      .option("--tenant <tenant>", say.approvals.tenant)
      .option("--json", say.json),
    async () => (await import("./approvals.ts")).listApprovals,
  );
  does(aboutApproval("show"), async () => (await import("./approvals.ts")).showApproval);
  for (const verb of ["approve", "deny"] as const) {
    does(aboutApproval(verb).option("--comment <text>", say.approvals.comment), async () => {
      const { decideApproval } = await import("./approvals.ts");
      return (given, id: string) => decideApproval(given, verb, id);
    });
  }

  const inDoubt = group("in-doubt", say.inDoubt.about);
  does(
    inDoubt
      .command("list")
      .description(say.inDoubt.list)
      .option("--tenant <tenant>", say.approvals.tenant)
      .option("--json", say.json),
    async () => (await import("./in-doubt.ts")).listInDoubt,
  );
  does(
    inDoubt
      .command("resolve")
      .description(say.inDoubt.resolve)
      .argument("<id>", say.inDoubt.id)
      .addArgument(new Argument("<outcome>", say.inDoubt.outcome).choices(["happened", "not-happened", "failed"]))
      .option("--comment <text>", say.inDoubt.comment)
      .option("--tenant <tenant>", say.approvals.tenant),
    async () => (await import("./in-doubt.ts")).resolveInDoubt,
  );
  does(
    command.command("accept").description(say.accept.about).argument("<what>", say.accept.what),
    async () => (await import("./accept.ts")).accept,
  );
  does(
    command
      .command("migrate")
      .description(say.migrate.about)
      .option("--dry-run", say.migrate.dryRun)
      .option("--json", say.json),
    async () => (await import("./migrate.ts")).migrate,
  );

  const audit = group("audit", say.audit.about);
  does(
    audit
      .command("verify")
      .description(say.audit.verify)
      .option("--head <file>", say.audit.head)
      .option("--json", say.json),
    async () => (await import("./audit.ts")).verifyAudit,
  );
  does(
    audit.command("export").description(say.audit.export).option("--before <date>", say.audit.before),
    async () => (await import("./audit.ts")).exportRows,
  );
  does(
    command
      .command("report")
      .description(say.report.about)
      .option("--since <date>", say.report.since)
      .option("--json", say.json),
    async () => (await import("./report.ts")).report,
  );
  does(
    command.command("verify").description(say.verify.about).option("--json", say.json),
    async () => (await import("./verify.ts")).verify,
  );
  return command;
}
