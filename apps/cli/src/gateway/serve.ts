import { ToolglotError } from "@toolglot/core";
import { createGateway } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Host } from "../host.ts";
import { loadNamed } from "./config.ts";
import { startExporter } from "./exporter.ts";
import type { GatewayRun } from "./flags.ts";
import { logTo } from "./log-lines.ts";

/** Serves until the client is gone or a signal stops it. Resolves with the exit code. */
export async function serve(run: GatewayRun): Promise<number> {
  const { flags, host, say } = run;
  if (flags.stdio) keepForMcp(host);
  const config = await loadNamed(run);
  const log = logTo(host, flags);
  for (const { severity, file, line, path, message, cure } of config.notices) {
    const where = [`${file}:${line}`, path].filter(Boolean).join(" ");
    log({ level: severity === "error" ? "error" : "warn", message: `${where}: ${message}. ${cure}` });
  }
  const stopped = untilStopped(host);
  const { principal, allowVolatile } = flags;
  const gateway = await createGateway(config, {
    ...defined({ principal, allowVolatile }),
    noAuth: !flags.auth,
    tracing: Boolean(host.env.OTEL_EXPORTER_OTLP_ENDPOINT),
    log,
  });
  const endExporter = await startExporter(host, say.tracing, log);
  try {
    if (flags.stdio) {
      // A client that can't ask a person names the page, where there is somebody who may decide.
      const { url } = await gateway.listen().catch(withoutPage);
      if (url !== undefined) log({ level: "info", message: say.approvals.where(new URL("/approvals", url).href) });
      const ended = gateway.serveStdio({ input: host.stdin, output: host.stdout });
      return await Promise.race([ended.then(() => exitCodes.answered), stopped]);
    }
    const { url, signInUrl } = await gateway.listen();
    host.stdout.write(`${say.listening(url, config.servers.length, gateway.tools.length)}\n`);
    if (flags.log !== "silent") {
      const page = signInUrl && `${url.slice(0, -config.settings.listen.path.length)}/approvals`;
      // A log is read by others than its owner, a terminal is not.
      const link = host.stderr.isTTY ? signInUrl?.() : undefined;
      host.stderr.write(`${link === undefined ? say.approvals.where(page) : say.approvals.signIn(link)}\n`);
    }
    const code = await stopped;
    await gateway.drain();
    return code;
  } finally {
    await gateway.close();
    await endExporter();
  }
}

/** Nobody has a token, so nobody could decide on the page. */
function withoutPage(error: unknown): { url?: string } {
  if (ToolglotError.isInstance(error) && error.code === "gateway/no-tokens") return {};
  throw error;
}

/** Standard output carries MCP and nothing else. A client that has gone ends the gateway in its order, not at once. */
function keepForMcp({ stdout, stderr }: Host): void {
  for (const stream of [stdout, stderr]) stream.removeAllListeners("error").on("error", () => {});
  if (stdout !== process.stdout) return;
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error, dir: error, table: error });
}

/** Resolves at the first Ctrl-C or SIGTERM, with the exit code. The second ends the process, but for the echo that npm makes of the first. */
function untilStopped({ signals, exit }: Host): Promise<number> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const hear = (code: number, atOnce: number) => (): void => {
      if (first === undefined) {
        first = performance.now();
        resolve(code);
      } else if (performance.now() - first > 500) exit(atOnce);
    };
    signals.on("SIGINT", hear(exitCodes.cancelled, exitCodes.cancelled));
    signals.on("SIGTERM", hear(exitCodes.answered, 143));
  });
}
