import { isObject } from "@toolglot/internal";
import { slug } from "@toolglot/trp-mcp";
import { readStoreAddress } from "../store/address.ts";
import { type Report, unknownKey } from "./check-node.ts";
import type { ServerConfig } from "./config-types.ts";
import type { GatewaySettings, ServerSettings } from "./settings.ts";
import type { Path, ProblemText } from "./source.ts";

interface Checked {
  servers: readonly Omit<ServerConfig, "settings">[];
  disabled: readonly string[];
  settings: GatewaySettings;
  allowVolatile: boolean;
}

/** Tells what is wrong between settings that are right one by one. */
export function crossCheck({ servers, disabled, settings, allowVolatile }: Checked, report: Report): void {
  const value = (path: Path, message: string, cure: string, code: ProblemText["code"] = "config/value") =>
    report(path, { code, message, cure });
  const bySlug = new Map<string, string>();
  for (const { name } of servers) {
    const other = bySlug.get(slug(name));
    bySlug.set(slug(name), name);
    if (other === undefined) continue;
    const message = `has the same name in cap_ids as ${JSON.stringify(other)}`;
    value(["mcpServers", name], message, "Rename one of the two.", "config/clash");
  }
  const names = [...servers.map(({ name }) => name), ...disabled];
  for (const [name, server] of Object.entries(settings.servers)) {
    const path = ["gateway", "servers", name];
    if (!names.includes(name)) {
      const { message, cure } = unknownKey(name, names);
      value(path, message.replace("unknown key", "there is no such server"), cure, "config/unknown-key");
      continue;
    }
    const isProgram = servers.find((one) => one.name === name)?.transport.type === "stdio";
    const ofUrls = { oauth: server.oauth, forwardHeaders: server.forwardHeaders[0], credentials: server.credentials };
    for (const [key, set] of Object.entries(ofUrls)) {
      if (isProgram && set !== undefined && set !== "shared")
        value([...path, key], "is for servers with a url; this one is a program", "Leave it out.");
    }
    for (const [glob, tool] of Object.entries(server.tools))
      checkTool(tool, [...path, "tools", glob], { isVolatile: settings.store === "memory" && !allowVolatile }, value);
  }
  checkStore(settings, value);
  if (settings.metrics.open && !isLoopback(settings.listen.host)) {
    const cure = "Leave it out: scrapers send a token; or listen on 127.0.0.1.";
    value(["gateway", "metrics", "open"], "is for loopback only, and listen.host is not", cure);
  }
  const { keepBytes, maxBytes } = settings.results;
  if (keepBytes > maxBytes)
    value(
      ["gateway", "results", "keepBytes"],
      "is more than maxBytes",
      `Write at most ${maxBytes}, or raise maxBytes.`,
    );
}

function checkStore(
  { store, postgres = {} }: GatewaySettings,
  value: (path: Path, message: string, cure: string) => void,
): void {
  const address = readStoreAddress(store);
  if (!("kind" in address)) value(["gateway", "store"], address.message, address.cure);
  if (!store.startsWith("postgres") && Object.keys(postgres).length > 0) {
    const cure = "Leave it out, or name a database in gateway.store: postgres://USER:PASSWORD@HOST:5432/DATABASE.";
    value(["gateway", "postgres"], "is for a store in PostgreSQL, and this one is none", cure);
  }
}

function checkTool(
  { effect, downstreamKeyIn, probe, io, risk, effectKey }: ServerSettings["tools"][string],
  path: Path,
  { isVolatile }: { isVolatile: boolean },
  value: (path: Path, message: string, cure: string) => void,
): void {
  if (effect === "keyed" && downstreamKeyIn === undefined) {
    const cure = 'Say where the server takes a key: "downstreamKeyIn": "/idempotency_key", or "_meta/NAME".';
    value(path, 'needs "downstreamKeyIn", since its effect is "keyed"', cure);
  }
  if (effect === "probe" && probe === undefined) {
    const cure = 'Say which read finds out: "probe": { "tool": "…", "arguments": { }, "found": "/id" }.';
    value(path, 'needs "probe", since its effect is "probe"', cure);
  }
  for (const [key, given, meant] of [
    ["downstreamKeyIn", downstreamKeyIn, "keyed"],
    ["probe", probe, "probe"],
  ] as const) {
    if (given === undefined || (effect ?? meant) === meant) continue;
    value([...path, key], `is for the effect "${meant}", and this one is "${effect}"`, "Leave one of the two out.");
  }
  if (probe !== undefined && !isObject(probe.arguments))
    value([...path, "probe", "arguments"], "must be an object", 'Write { "id": "{id}" }.');
  const known = effect ?? (probe && "probe") ?? (downstreamKeyIn === undefined ? undefined : "keyed");
  const isSafe = known === undefined || known === "pure" || known === "idempotent";
  if (io === "READ" && risk === "LOW" && !isSafe) {
    const cure = 'Write the effect "pure" or "idempotent", or another risk.';
    value(path, `can't be a READ of LOW risk, which may be run again at any time, with the effect "${known}"`, cure);
  }
  if (known === "pure" && io === "WRITE")
    value([...path, "effect"], 'can\'t be "pure" with io "WRITE"', 'Write "io": "READ", or another effect.');
  if (known === "pure" && effectKey !== undefined)
    value([...path, "effectKey"], 'names an effect, and effect "pure" has none', "Leave one of the two out.");
  if (isVolatile && !isSafe) {
    const cure =
      "Use a store that lasts, as sqlite:gateway.db; --allow-volatile if it may happen twice after a restart.";
    value([...path, "effect"], `can't be "${known}" with the store "memory", which forgets what was done`, cure);
  }
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}
