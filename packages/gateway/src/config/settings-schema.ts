import type { JsonValue } from "@toolglot/core";
import type { ToolSettings } from "@toolglot/trp-mcp";
import * as v from "valibot";
import type { GatewaySettings, PolicySettings, ServerSettings } from "./settings.ts";

// The one place of what may stand under `gateway`: it checks files, gives defaults, and becomes the JSON Schema for editors. A message
// says what a value must be. The doc comments of `settings.ts` describe the settings.

const maxMs = 2_147_483_647;
const opt = v.exactOptional;

const textWords = "text that is not empty";
export const text: v.GenericSchema<string> = v.pipe(v.string(textWords), v.minLength(1, textWords));
const texts = v.array(text, "a list of texts");
const flag = v.boolean("true or false");

export function oneOf<const Word extends string>(...words: Word[]): v.GenericSchema<Word> {
  const quoted = words.map((word) => `"${word}"`);
  return v.picklist(words, `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`);
}

function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): v.GenericSchema<number> {
  const words =
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(words), v.integer(words), v.minValue(least, words), v.maxValue(most, words));
}
const ms = (least: number): v.GenericSchema<number> => whole(least, maxMs);

function matching(form: RegExp, words: string): v.GenericSchema<string> {
  return v.pipe(v.string(words), v.regex(form, words));
}

function object<const Entries extends v.ObjectEntries>(entries: Entries): v.StrictObjectSchema<Entries, string> {
  return v.strictObject(entries, "an object");
}

const glob = matching(/^[\s\S]{1,256}$/, "a glob of 1 to 256 characters, as get_*");
const globs = v.array(glob, "a list of globs, as get_*");
const pointer = matching(/^(?:\/(?:[^~/]|~[01])*)*$/, "a JSON pointer, as /id");
const loopback = /^https:\/\/[\s\S]+|^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/][\s\S]*)?$/i;
const safeUrl = matching(loopback, "an https URL, or one of loopback");
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

function some<Schema extends v.GenericSchema>(item: Schema): v.GenericSchema<v.InferOutput<Schema>[]> {
  return v.pipe(v.array(item, "a list"), v.minLength(1, "a list of at least one"));
}

const riskTier = oneOf("LOW", "MEDIUM", "HIGH", "CRITICAL");
const ioClass = oneOf("READ", "WRITE");
const effect = oneOf("pure", "idempotent", "keyed", "probe", "opaque");
const moment = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/,
  "a time with its zone, as 2026-12-24T00:00:00Z",
);
const json = v.custom<JsonValue>((value) => value !== undefined, "JSON");

/** Holds a schema to a type, both ways. */
export function agreeing<Value>(): <Schema extends v.GenericSchema>(
  schema: [Value, v.InferOutput<Schema>] extends [v.InferOutput<Schema>, Value] ? Schema : never,
) => v.GenericSchema<unknown, Value> {
  return (schema) => schema as unknown as v.GenericSchema<unknown, Value>;
}

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
    probe: opt(object({ tool: text, arguments: json, found: pointer, equals: opt(json) })),
  }),
);
type MutableTool = Omit<ToolSettings, "approvers"> & { approvers?: string[] };

const serverSettings = agreeing<ServerSettings>()(
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

// What a policy may say is `createPolicy`'s to check. For editors the same as a schema; a test holds the two together.
const rule = object({
  id: matching(/^[\w.:-]{1,64}$/, "1 to 64 letters, digits, or . _ : -"),
  decision: oneOf("allow", "deny", "approve"),
  reason: opt(matching(/^[\s\S]{1,500}$/, "a sentence of at most 500 characters")),
  who: opt(
    object({
      tenants: opt(some(text)),
      principals: opt(some(text)),
      roles: opt(some(text)),
      withoutRoles: opt(some(text)),
      canDelete: opt(flag),
    }),
  ),
  which: opt(
    object({
      capIds: opt(some(glob)),
      families: opt(some(glob)),
      riskTiers: opt(some(riskTier)),
      ioClass: opt(ioClass),
      effects: opt(some(effect)),
    }),
  ),
  args: opt(
    some(
      object({
        at: pointer,
        not: opt(flag),
        exists: opt(flag),
        equals: opt(json),
        in: opt(some(json)),
        greaterThan: opt(v.number("a number")),
        lessThan: opt(v.number("a number")),
        matches: opt(some(glob)),
        maxLength: opt(whole(0)),
      }),
    ),
  ),
  when: opt(
    object({
      weekdays: opt(some(oneOf("mon", "tue", "wed", "thu", "fri", "sat", "sun"))),
      hours: opt(object({ from: whole(0, 24), to: whole(0, 24) })),
      notBefore: opt(moment),
      notAfter: opt(moment),
    }),
  ),
  rate: opt(
    object({
      limit: whole(1),
      windowMs: whole(1),
      per: opt(v.array(oneOf("tenant", "principal", "capability"), "a list")),
    }),
  ),
});

const version = matching(/^[\s\S]{1,64}$/, "text of 1 to 64 characters, as 2026-11-21");
const fallback = oneOf("default", "deny");

export const policySchema: v.GenericSchema<unknown, PolicySettings> = object({
  $schema: opt(text),
  version,
  rules: v.array(rule, "a list of rules"),
  fallback: opt(fallback),
}) as v.GenericSchema as v.GenericSchema<unknown, PolicySettings>;

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
    tokens: opt(text),
    face: opt(oneOf("tools", "search", "code", "auto"), "auto"),
    tenant: opt(text, "default"),
    servers: opt(v.record(text, serverSettings, "an object: names of servers, with settings"), {}),
    policy: opt(v.union([text, policySchema], "an object with rules, or the path of a file")),
    mode: opt(oneOf("enforce", "observe"), "enforce"),
    taskAfterMs: opt(ms(0), 10_000),
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

/** What a policy has around its rules. */
export const policyFields: v.GenericSchema<unknown, Omit<PolicySettings, "rules">> = v.object(
  { version, fallback: opt(fallback) },
  "an object with version and rules",
);

/** Returns the settings of a server about which nothing is said. */
export function serverDefaults(): ServerSettings {
  return v.parse(serverSettings, {});
}
