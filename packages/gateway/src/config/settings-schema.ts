import type { ToolSettings } from "@toolglot/trp-mcp";
import * as v from "valibot";
import { policySchema } from "./policy-schema.ts";
import {
  agreeing,
  effect,
  flag,
  glob,
  globs,
  ioClass,
  json,
  jsonObject,
  matching,
  ms,
  object,
  oneOf,
  opt,
  pointer,
  riskTier,
  safeUrl,
  text,
  texts,
  whole,
} from "./schema-words.ts";
import type { GatewaySettings, ServerSettings } from "./settings.ts";

// The one place of what may stand under `gateway`: it checks files, sets defaults, and becomes the JSON Schema for editors. A message
// says what a value must be. The doc comments of `settings.ts` describe the settings.

const header = matching(/^[\w!#$%&'*+.^`|~-]+$/, "the name of a header");

const repeatMode = oneOf("window", "in-doubt", "free");
const windowMs = opt(ms(1), 600_000);
const repeat = v.union(
  [
    v.pipe(
      repeatMode,
      v.transform((mode) => ({ mode, windowMs: 600_000 })),
    ),
    object({ mode: opt(repeatMode, "window"), windowMs }),
  ],
  '"window", "in-doubt", "free", or an object',
);

const toolSettings = agreeing<MutableTool>()(
  object({
    risk: opt(riskTier),
    io: opt(ioClass),
    effect: opt(effect),
    effectKey: opt(matching(/^(?:[^{}]|\{[^{}]+\})+$/, "text with the names of arguments in braces, as refund:{id}")),
    repeat: opt(repeat),
    timeoutMs: opt(ms(1)),
    hidden: opt(flag),
    downstreamKeyIn: opt(
      matching(
        /^(?:_meta)?\/(?:[^~/]|~[01])+(?:\/(?:[^~/]|~[01])*)*$/,
        "a JSON pointer into the arguments, as /idempotency_key, or _meta/NAME",
      ),
    ),
    approvers: opt(v.pipe(texts, v.minLength(1, "a list of roles, at least one"))),
    probe: opt(object({ tool: text, arguments: jsonObject, found: pointer, equals: opt(json) })),
  }),
);
type MutableTool = Omit<ToolSettings, "approvers"> & { approvers?: string[] };

export const serverSettings: v.GenericSchema<unknown, ServerSettings> = agreeing<ServerSettings>()(
  object({
    allow: opt(globs),
    deny: opt(globs),
    timeoutMs: opt(ms(1), 60_000),
    connectMs: opt(ms(1), 10_000),
    maxConcurrency: opt(whole(1), 16),
    pin: opt(oneOf("off", "risk", "strict"), "risk"),
    trustAnnotations: opt(flag, true),
    credentials: opt(oneOf("shared", "caller"), "shared"),
    oauth: opt(
      object({
        clientId: opt(text),
        clientSecret: opt(text),
        clientMetadataUrl: opt(matching(/^https:\/\/[\s\S]+/i, "an https URL")),
        scopes: opt(texts),
      }),
    ),
    forwardHeaders: opt(v.array(header, "a list of names of headers"), []),
    damaged: opt(oneOf("refuse", "report"), "refuse"),
    repeat: opt(repeat),
    tools: opt(
      v.record(
        glob,
        toolSettings as v.GenericSchema<unknown, ToolSettings>,
        "an object: globs of tools, with settings",
      ),
      {},
    ),
  }),
);

/** Some defaults depend on where a gateway runs. */
type FromFiles = Omit<GatewaySettings, "store" | "tokens"> & { store?: string; tokens?: string };

export const settingsSchema: v.GenericSchema<unknown, FromFiles> = agreeing<FromFiles>()(
  object({
    listen: opt(
      object({
        host: opt(
          matching(
            /^(?!.*:\d+$)[^\s/[\]]+$|^[0-9a-f:.]*::[0-9a-f:.]*$/i,
            "a host without port and scheme, as 127.0.0.1",
          ),
          "127.0.0.1",
        ),
        port: opt(whole(0, 65_535), 8_765),
        path: opt(matching(/^\/[^\s?#]*$/, "a path, as /mcp"), "/mcp"),
        publicUrl: opt(matching(/^https?:\/\/[^\s?#]+$/i, "an http or https URL without ? and #")),
        allowedHosts: opt(texts, []),
        allowedOrigins: opt(
          v.array(matching(/^https?:\/\/[^\s/]+$/i, "an origin, as https://app.example.com"), "a list of origins"),
          [],
        ),
      }),
      {},
    ),
    store: opt(
      matching(/^(?:memory|sqlite:[\s\S]+|postgres(?:ql)?:\/\/[\s\S]+)$/, '"memory", "sqlite:PATH" or "postgres://…"'),
    ),
    postgres: opt(
      object({
        schema: opt(matching(/^[a-z_][a-z0-9_]{0,62}$/, "a name of small letters, digits and _")),
        pool: opt(whole(1, 1_000)),
        migrate: opt(oneOf("auto", "check", "off")),
        statementTimeoutMs: opt(ms(1)),
        lockTimeoutMs: opt(ms(1)),
        retryForMs: opt(ms(0)),
        requireSync: opt(flag),
        onLostWrites: opt(oneOf("stop", "report")),
      }),
    ),
    leaseMs: opt(ms(1_000), 10_000),
    shutdown: opt(object({ drainMs: opt(ms(0), 0), graceMs: opt(ms(0), 10_000) }), {}),
    tokens: opt(text),
    face: opt(oneOf("tools", "search", "code", "auto"), "auto"),
    taskAfterMs: opt(ms(1), 10_000),
    tenant: opt(text, "default"),
    servers: opt(v.record(text, serverSettings, "an object: names of servers, with settings"), {}),
    policy: opt(v.union([text, policySchema], "an object with rules, or the path of a file")),
    mode: opt(oneOf("enforce", "observe"), "enforce"),
    approvals: opt(
      object({
        via: opt(
          v.pipe(
            v.array(oneOf("elicitation", "page"), "a list"),
            v.minLength(1, 'a list of "elicitation", "page" or both'),
          ),
          ["elicitation", "page"],
        ),
        waitMs: opt(ms(0), 45_000),
        ttlMs: opt(ms(1_000), 900_000),
        webhook: opt(
          object({
            url: safeUrl,
            secret: text,
            includeArguments: opt(flag, false),
            format: opt(oneOf("json", "slack", "teams"), "json"),
          }),
        ),
      }),
      {},
    ),
    repeat: opt(repeat, {}),
    results: opt(object({ maxBytes: opt(whole(1), 4_194_304), keepBytes: opt(whole(0), 1_048_576) }), {}),
    code: opt(
      object({
        languages: opt(
          v.pipe(
            v.array(oneOf("javascript", "python"), "a list"),
            v.minLength(1, 'a list of "javascript", "python" or both'),
          ),
          ["javascript", "python"],
        ),
        timeoutMs: opt(ms(1), 60_000),
        calls: opt(whole(1), 100),
      }),
      {},
    ),
    limits: opt(
      object({
        sessions: opt(whole(1), 1_000),
        sessionsPerPrincipal: opt(whole(1), 50),
        sessionIdleMs: opt(ms(1_000), 1_800_000),
        callsInFlight: opt(whole(1), 256),
        pendingPerPrincipal: opt(whole(1), 50),
      }),
      {},
    ),
    audit: opt(object({ head: opt(text) }), {}),
    retention: opt(object({ auditDays: opt(whole(0), 0) }), {}),
    metrics: opt(object({ open: opt(flag, false) }), {}),
    auth: opt(
      object({
        jwt: object({
          issuer: text,
          audience: text,
          jwks: safeUrl,
          principal: opt(text, "sub"),
          roles: opt(text, "roles"),
        }),
      }),
    ),
  }),
);

/** Returns the settings of a server about which nothing is said. */
export function serverDefaults(): ServerSettings {
  return v.parse(serverSettings, {});
}
