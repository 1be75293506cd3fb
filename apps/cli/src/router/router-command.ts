import { routerMetrics } from "@toolglot/trp-core/metrics";
import { serveHttp } from "@toolglot/trp-core/node";
import { webSockets } from "@toolglot/trp-core/ws";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import type { Host } from "../host.ts";
import { type OpenTools, type SessionFlags, sessionFlags, withSession } from "../tools-command/with-session.ts";
import { wordsFor } from "../words/index.ts";
import { readSigner } from "./audit-key.ts";
import { defaultPort, readEnvironment, wholeNumber } from "./environment.ts";
import { identify, makeRouter } from "./make-router.ts";
import { ensureOperatorToken, operatorTokenPath } from "./operator-token.ts";
import { openChosenStore, readStoreChoice } from "./store-choice.ts";

interface RouterCommandOptions extends SessionFlags {
  host?: string;
  port?: string;
  store?: string;
  json: boolean;
}

/** How long running calls may take to end after the signal to stop, in milliseconds. */
const maxGraceMs = 10_000;

const environmentHelp = `
Environment:
  TRP_HOST, TRP_PORT           where to listen, when --host and --port do not say (127.0.0.1, ${defaultPort})
  TRP_DATA_DIR                 where the default store and the data of modules live
  TRP_TOKENS                   JSON: bearer token → { "principal", "roles", "can_delete" }; without it every caller
                               is local-agent, and the data folder's operator-token is local-operator;
                               GET /metrics needs the role "metrics", which local-operator has
  TRP_APPROVAL_HMAC_SECRET     accepts approval tokens (appr1.…) that are signed with it
  TRP_AUDIT_KEY                file of a key that signs the audit log, once a minute and at the end (audit key makes one)
  TRP_EXECUTOR_BASE_SLEEP_MS   the delay before each execution

Ctrl-C or SIGTERM: takes no more calls, waits for running calls, and ends with 0; a second one ends at once.`;

/** Creates the subcommand `router`: serves tools over HTTP and WebSockets until a signal stops it. */
export function routerCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} router`)
    .description(
      "serves tools to agents as capabilities: POST /trp/frame or a WebSocket at /trp/ws, /trp/approvals for people, and /metrics",
    )
    .option("--port <n>", "0 takes any free one")
    .option("--host <name>", "the address to listen at")
    .option("--store <store>", "memory, sqlite:FILE, or postgres://… (default: router.db in the data folder)")
    .option("--json", "the line about listening as JSON", false)
    .addHelpText("after", environmentHelp)
    .configureHelp({ helpWidth: 100 })
    .action((options: RouterCommandOptions) =>
      run(() => withSession(options, host, (session) => serve(session, options, host))),
    );
  return sessionFlags(command);
}

async function serve(
  { toolkit, modules, data: folder, fresh }: OpenTools,
  options: RouterCommandOptions,
  { stdout, stderr, env, signals, exit, command, folder: startFolder }: Host,
): Promise<number> {
  const environment = readEnvironment(env);
  const { tokens } = environment;
  const choice = readStoreChoice(options.store, folder, startFolder);
  const port =
    options.port === undefined ? (environment.port ?? defaultPort) : wholeNumber("--port", options.port, 65_535);
  const host = options.host ?? environment.host;
  const note = (text: string): void => void stderr.write(`${text}\n`);

  const stopped = untilStopped(signals, exit);
  if (fresh) note(wordsFor("en", command).dataMade(folder));
  const operatorToken = tokens ? undefined : ensureOperatorToken(folder);
  const signer = environment.auditKey === undefined ? undefined : await readSigner(environment.auditKey);
  const store = await openChosenStore(choice);
  const router = makeRouter({ modules, toolkit, store, environment, signer });
  const metrics = routerMetrics(router);
  const authenticate = identify(tokens, operatorToken);
  try {
    const serving = { host, port, authenticate, metrics, webSockets: webSockets() };
    const server = await serveHttp(router, serving).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The router can't listen at ${host}:${port}: ${error.message}`);
    });
    if (store.durability === "none") {
      note("The memory store is not durable: keys, approvals and audit are gone when this process ends.");
    }
    if (!tokens && !isLoopback(host)) {
      note(`Every caller that reaches ${host} is local-agent here: set TRP_TOKENS to identify callers.`);
    }
    if (!tokens) note(`Approvals: ${command} approvals list (its token: ${operatorTokenPath(folder)})`);
    const { url } = server;
    const line = options.json
      ? JSON.stringify({ type: "listening", url, store: store.name, durability: store.durability, pid: process.pid })
      : `TRP router listening on ${url} (${store.name})`;
    stdout.write(`${line}\n`);
    await stopped;
    await server.close(maxGraceMs);
  } finally {
    await router.close({ graceMs: maxGraceMs });
    await store.close();
  }
  return exitCodes.answered;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Resolves at the first Ctrl-C or SIGTERM. The second ends the process, but for the echo that npm makes of the first. */
function untilStopped(signals: Host["signals"], exit: Host["exit"]): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const hear = (code: number) => (): void => {
      if (first === undefined) {
        first = performance.now();
        resolve();
      } else if (performance.now() - first > 500) exit(code);
    };
    signals.on("SIGINT", hear(130));
    signals.on("SIGTERM", hear(143));
  });
}
