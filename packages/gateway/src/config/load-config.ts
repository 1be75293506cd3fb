import { dirname, join, resolve } from "node:path";
import { checkKeys, gotText, isObject } from "@toolglot/internal";
import { readStoreAddress } from "../store/address.ts";
import { checkedValue, reportUnknownKeys } from "./check-node.ts";
import { inOurWords } from "./client-words.ts";
import type { ConfigText, GatewayConfig, LoadConfigOptions, ServerConfig } from "./config-types.ts";
import { crossCheck } from "./cross-checks.ts";
import { type FillScope, type FillSources, fillText, pathFrom, readSmallFile } from "./fill.ts";
import { defaultStateDir, machineKeys, machineWith, workspaceOf } from "./folders.ts";
import { Places } from "./places.ts";
import { policyFrom, readPolicy } from "./policy.ts";
import { type ConfigProblem, configError } from "./problem.ts";
import { SecretList } from "./secrets.ts";
import { isDisabled, readServerEntry } from "./server-entry.ts";
import type { GatewaySettings, PolicySettings } from "./settings.ts";
import { serverDefaults, settingsSchema } from "./settings-schema.ts";
import { findNode, Source, valueAt } from "./source.ts";
import { readInputs, reportDuplicates, reportTopLevel, serverNodes } from "./top-level.ts";

/**
 * Reads the configuration of a gateway: JSON with comments and trailing commas, `{ mcpServers, gateway }`, or the file of a client as it is
 * (TOML where its name ends so), with `${NAME}` and the like filled.
 *
 * @throws `ToolglotError` `gateway/config` with all mistakes at once, as text and in `data.problems` (`ConfigProblem[]`,
 * with notices). `TypeError` for options that can't be meant.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<GatewayConfig> {
  const { files: given, ...others } = options;
  checkKeys(
    "loadConfig",
    others,
    `flags:object ${machineKeys} stateDir:text workspaceFolder:text stdio:boolean allowVolatile:boolean`,
  );
  if (!Array.isArray(given) || !given.every((file) => typeof file === "string" || typeof file?.text === "string")) {
    const wanted = "a list of paths, or of texts as { name, text }";
    throw new TypeError(`loadConfig: files must be ${wanted}, not ${gotText(given)}.`);
  }
  const machine = machineWith(options);
  const stateDir = resolve(options.stateDir ?? defaultStateDir(machine));
  const secrets = new SecretList();
  const problems: ConfigProblem[] = [];
  const sources = options.files.flatMap((file) => openFile(file, problems) ?? []);
  if (options.flags !== undefined)
    sources.push(new Source("command line", process.cwd(), JSON.stringify({ gateway: options.flags })));
  problems.push(...sources.flatMap((source) => source.problems));
  const places = new Places(sources, problems);
  const scopes = scopesOf(sources, { env: machine.env, home: machine.home, secrets }, options.workspaceFolder);

  for (const source of sources) {
    reportDuplicates(source, places.of(source));
    reportTopLevel(source, places.of(source));
  }
  const { servers, disabled } = readServers(scopes, places);
  const files = sources.map(({ file }) => file);
  const { settings, policy } = readSettings(scopes, places, { stateDir, stdio: options.stdio ?? false }, (source) => {
    files.push(source.file);
    problems.push(...source.problems);
    reportDuplicates(source, places.of(source));
    return places.of(source);
  });
  const allowVolatile = options.allowVolatile ?? false;
  if (settings !== undefined) crossCheck({ servers, disabled, settings, allowVolatile }, places.report);
  if (settings === undefined || problems.some(({ severity }) => severity === "error"))
    throw configError(inOrder(problems, files));

  keepSecrets(settings, secrets);
  return {
    files,
    servers: servers.map((server) => ({ ...server, settings: settings.servers[server.name] ?? serverDefaults() })),
    disabled,
    settings: policy === undefined ? settings : { ...settings, policy },
    policy: policyFrom(policy),
    stateDir,
    secrets: secrets.list(),
    notices: inOrder(problems, files),
  };
}

function inOrder(problems: readonly ConfigProblem[], files: readonly string[]): ConfigProblem[] {
  return problems.toSorted(
    (one, other) =>
      files.indexOf(one.file) - files.indexOf(other.file) || one.line - other.line || one.column - other.column,
  );
}

function openFile(file: string | ConfigText, problems: ConfigProblem[]): Source | undefined {
  if (typeof file !== "string") return new Source(file.name, resolve(file.folder ?? "."), file.text, inOurWords);
  const path = resolve(file);
  const read = readSmallFile(path);
  if ("text" in read) return new Source(file, dirname(path), read.text, inOurWords);
  const cure = "Name a file that is there; `toolglot gateway init` writes one.";
  const problem = { severity: "error", code: "config/file", message: `the file ${read.problem}`, cure } as const;
  problems.push({ file, line: 1, column: 1, path: "", ...problem });
  return undefined;
}

/** What the texts of each file are filled from. */
function scopesOf(
  sources: readonly Source[],
  shared: FillSources,
  workspaceFolder: string | undefined,
): Map<Source, FillScope> {
  return new Map(
    sources.map((source) => {
      const { folder, file } = source;
      return [
        source,
        {
          ...shared,
          folder,
          workspaceFolder: resolve(workspaceFolder ?? workspaceOf(folder, file)),
          inputs: readInputs(source),
        },
      ];
    }),
  );
}

function readServers(
  scopes: ReadonlyMap<Source, FillScope>,
  places: Places,
): { servers: Omit<ServerConfig, "settings">[]; disabled: string[] } {
  const found = new Map(
    [...scopes].flatMap(([source, scope]) =>
      serverNodes(source, places.of(source)).map((server) => [server.name, { ...server, source, scope }]),
    ),
  );
  const servers = [];
  const disabled = [];
  for (const { name, node, path, source, scope } of found.values()) {
    const report = places.of(source);
    if (isDisabled(node)) {
      disabled.push(name);
      continue;
    }
    const value = valueAt(node, (raw, _, inner) =>
      fillText(raw, scope, (problem) => report([...path, ...inner], problem)),
    );
    const transport = readServerEntry({ name, node, value, path }, scope, report);
    if (transport !== undefined) servers.push({ name, transport });
  }
  return { servers, disabled };
}

function readSettings(
  scopes: ReadonlyMap<Source, FillScope>,
  places: Places,
  { stateDir, stdio }: { stateDir: string; stdio: boolean },
  openPolicy: Parameters<typeof readPolicy>[1],
): { settings: GatewaySettings | undefined; policy: PolicySettings | undefined } {
  let merged: Record<string, unknown> = { listen: stdio ? { port: 0 } : {} };
  let policy: PolicySettings | undefined;
  let isRight = true;
  for (const [source, scope] of scopes) {
    const node = source.root === undefined ? undefined : findNode(source.root, ["gateway"]);
    if (node === undefined) continue;
    const report: ReturnType<Places["of"]> = (path, problem, keyNode) => {
      isRight = false;
      places.of(source)(path, problem, keyNode);
    };
    const path = ["gateway"];
    const policyNode = findNode(node, ["policy"]);
    if (policyNode !== undefined)
      policy = readPolicy({ node: policyNode, path: [...path, "policy"], scope, report }, openPolicy);
    const value = valueAt(node, (raw, _, inner) =>
      inner[0] === "policy" ? raw : fillText(raw, scope, (problem) => report([...path, ...inner], problem)),
    );
    if (isObject(value)) Reflect.deleteProperty(value, "policy");
    reportUnknownKeys(settingsSchema, node, path, (inner, problem, keyNode) => {
      if (inner[1] !== "policy") report(inner, problem, keyNode);
    });
    checkedValue(settingsSchema, value, path, report);
    if (isObject(value)) merged = merge(merged, withAbsolutePaths(value, scope));
  }
  const settings = isRight ? checkedValue(settingsSchema, merged, ["gateway"], places.report) : undefined;
  if (settings === undefined) return { settings, policy };
  const ofState = { store: `sqlite:${join(stateDir, "gateway.db")}`, tokens: join(stateDir, "tokens.json") };
  return { settings: { ...ofState, ...settings }, policy };
}

/** Paths of a file are relative to it, so they are made absolute before files are put together. */
function withAbsolutePaths(value: Record<string, unknown>, scope: FillScope): Record<string, unknown> {
  const from = (path: unknown) => (typeof path === "string" ? pathFrom(path, scope) : path);
  const { store, tokens, audit } = value;
  return {
    ...value,
    ...(typeof store === "string" && store.startsWith("sqlite:") && { store: `sqlite:${from(store.slice(7))}` }),
    ...(tokens !== undefined && { tokens: from(tokens) }),
    ...(isObject(audit) && audit.head !== undefined && { audit: { ...audit, head: from(audit.head) } }),
  };
}

/** Objects are put together member by member; of everything else the later one holds. */
function merge(before: Record<string, unknown>, later: Record<string, unknown>): Record<string, unknown> {
  const merged = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(later)) {
    const old = merged.get(key);
    merged.set(key, isObject(old) && isObject(value) ? merge(old, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Keys that stand in the configuration itself. */
function keepSecrets(settings: GatewaySettings, secrets: SecretList): void {
  const { webhook } = settings.approvals;
  if (webhook !== undefined) secrets.add("approvals.webhook.secret", webhook.secret);
  for (const [name, { oauth }] of Object.entries(settings.servers)) {
    if (oauth?.clientSecret !== undefined) secrets.add(`${name}.oauth.clientSecret`, oauth.clientSecret);
  }
  const address = readStoreAddress(settings.store);
  if (!("kind" in address) || address.kind !== "postgres") return;
  const { password, searchParams } = address.parts;
  for (const one of [password, decodeURIComponent(password), searchParams.get("password") ?? ""])
    secrets.add("store.password", one);
}
