import { resolve } from "node:path";
import { type Snippet, snippet as snippetFor } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Host } from "../host.ts";
import { visible } from "../view/visible.ts";
import { defaultFile, loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** The clients whose configuration is known. */
export const clients = ["claude", "claude-code", "cursor", "vscode"] as const;

/** Prints a client's entry on standard output, and where it goes on standard error. */
export async function snippet(run: GatewayRun, client: (typeof clients)[number]): Promise<number> {
  const { text, path, notes } = await entryFor(run, client);
  run.host.stderr.write([path, ...notes].map((line) => `${visible(line)}\n`).join(""));
  run.host.stdout.write(text);
  return exitCodes.answered;
}

/** With `--http` it reaches a gateway that runs there; else it starts one. */
export async function entryFor(run: GatewayRun, client: (typeof clients)[number]): Promise<Snippet> {
  const { flags, host } = run;
  const machine = { env: host.env, folder: host.folder, ...defined({ home: host.env.HOME }) };
  if (flags.http === undefined) return snippetFor(client, { command: startCommand(run) }, machine);
  const { listen } = (await loadPlaces(run)).settings;
  const name = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  const url = `${listen.publicUrl ?? `http://${name}:${listen.port}`}${listen.path}`;
  return snippetFor(client, { url }, machine);
}

/** A client starts it from a folder of its own: every path is absolute. */
function startCommand({ flags, host }: GatewayRun): [string, ...string[]] {
  const { config = [defaultFile], stateDir, store, principal } = flags;
  const files = config.flatMap((file) => ["--config", resolve(host.folder, file)]);
  const others = Object.entries({ "--store": store, "--principal": principal }).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, value],
  );
  const state = stateDir === undefined ? [] : ["--state-dir", resolve(host.folder, stateDir)];
  return [...program(host), "gateway", "--stdio", ...files, ...others, ...state];
}

/** In the repository it is not installed anywhere. */
function program({ command }: Host): [string, ...string[]] {
  const [, script] = process.argv;
  const isInRepository = command.startsWith("npm run") && script !== undefined;
  return isInRepository ? [process.execPath, script, "--without-demo"] : ["npx", "-y", "toolglot"];
}
