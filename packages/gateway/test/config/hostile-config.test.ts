import { policyRuleProblems } from "@toolglot/trp-core";
import fc from "fast-check";
import { safeParse } from "valibot";
import { expect, it } from "vitest";
import { policySchema } from "../../src/config/policy-schema.ts";
import { formatProblems } from "../../src/config/problem.ts";
import { load, problemsOf } from "./rig.ts";

const secret = "hunter2-hunter2";

/** A configuration with something in every part. */
const whole = {
  $schema: "x",
  mcpServers: {
    shop: { command: "node", args: ["${workspaceFolder}/x", "${TOKEN}"], env: { KEY: "${TOKEN}" }, cwd: "." },
    web: { type: "http", url: "https://web.example/mcp?key=${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}" } },
    off: { command: "x", disabled: true, autoApprove: ["*"] },
  },
  inputs: [{ id: "key", description: "a key" }],
  gateway: {
    listen: { host: "::1", port: 1, path: "/mcp", publicUrl: "https://g.example", allowedHosts: ["a"] },
    store: "sqlite:${TOKEN}.db",
    face: "search",
    servers: {
      shop: { deny: ["x_*"], repeat: { mode: "free" }, tools: { "r*": { effect: "keyed", downstreamKeyIn: "/k" } } },
      web: { oauth: { clientId: "a", clientSecret: "${TOKEN}" }, forwardHeaders: ["x-a"], credentials: "caller" },
    },
    policy: {
      version: "1",
      rules: [
        { id: "a", decision: "deny", who: { roles: ["${TOKEN}"] }, which: { families: ["cap.mcp.*"] } },
        { id: "b", decision: "approve", args: [{ at: "/a", equals: "${TOKEN}" }], when: { hours: { from: 1, to: 2 } } },
        { id: "c", decision: "deny", rate: { limit: 1, windowMs: 1, per: [] } },
      ],
    },
    approvals: { via: ["page"], webhook: { url: "https://h.example/${TOKEN}", secret: "${TOKEN}" } },
    repeat: "in-doubt",
    auth: { jwt: { issuer: "${TOKEN}", audience: "b", jwks: "https://k.example/${TOKEN}" } },
  },
};

/** All paths of a value. */
function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...inner.flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}
const paths = pathsOf(whole).slice(1);

const strange = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    1.5,
    1e300,
    "",
    "${TOKEN}",
    "${TOKEN",
    "${file:/no}",
    "${input:key}",
    "x".repeat(300),
  ),
  fc.constantFrom([], {}, [[]], { __proto__: null, a: 1 }, ["${TOKEN}"], { id: "${TOKEN}", decision: "${TOKEN}" }),
  fc.jsonValue({ maxDepth: 3 }),
);
const mistake = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), at: fc.constantFrom(...paths), value: strange }),
  fc.record({ kind: fc.constant("drop" as const), at: fc.constantFrom(...paths) }),
  fc.record({
    kind: fc.constant("add" as const),
    at: fc.constantFrom(...paths),
    key: fc.oneof(
      fc.constantFrom("__proto__", "constructor", "toString", "polcy", "trust"),
      fc.string({ maxLength: 8 }),
    ),
    value: strange,
  }),
);
type Mistake = typeof mistake extends fc.Arbitrary<infer One> ? One : never;

function make(file: unknown, made: Mistake): void {
  let place = file as Record<string | number, unknown>;
  for (const key of made.at.slice(0, -1)) {
    const next = Object.hasOwn(place, key) ? place[key] : undefined;
    if (typeof next !== "object" || next === null) return;
    place = next as typeof place;
  }
  const last = made.at.at(-1) as string | number;
  const put = (target: object, key: string | number, value: unknown) =>
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  if (made.kind === "set") put(place, last, made.value);
  if (made.kind === "drop") Reflect.deleteProperty(place, last);
  const target = place[last];
  if (made.kind === "add" && typeof target === "object" && target !== null) put(target, made.key, made.value);
}

const surroundings = { env: { TOKEN: secret } };

async function check(text: string): Promise<void> {
  const problems = await problemsOf(text, surroundings);
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  for (const { file, line, column, message, cure } of problems) {
    expect(file).toBe("t.json");
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? expect.fail(`no line ${line}`)).length + 1);
    expect(message).not.toBe("");
    expect(cure).not.toBe("");
  }
  expect(formatProblems(problems)).not.toContain(secret);
}

it("should have nothing to say of the configuration without mistakes", async () => {
  const { notices, secrets } = await load(whole, surroundings);
  expect(notices).toEqual([]);
  expect(secrets).toContainEqual({ name: "TOKEN", value: secret });
});

it("should throw nothing but its own error, with places inside the file and no secret (any mistakes)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mistake, { minLength: 1, maxLength: 6 }), fc.nat(4), async (mistakes, indent) => {
      const file = structuredClone(whole);
      for (const one of mistakes) make(file, one);
      await check(JSON.stringify(file, undefined, indent));
    }),
    { numRuns: 400 },
  );
});

it("should do so for any text, too", async () => {
  const text = JSON.stringify(whole, undefined, 2);
  const cut = fc.tuple(fc.nat(text.length), fc.nat(30), fc.string({ maxLength: 6 }));
  const changed = cut.map(([at, length, other]) => text.slice(0, at) + other + text.slice(at + length));
  const soup = fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n\r\uFEFFa1$'.split("")), maxLength: 60 });
  await fc.assert(fc.asyncProperty(fc.oneof(changed, soup, fc.string()), check), { numRuns: 400 });
});

it("should tell editors of rules what createPolicy would (any rules)", () => {
  const { rules } = whole.gateway.policy;
  const rulePaths = pathsOf(rules).slice(1);
  const ofRules = mistake.map((one) => ({ ...one, at: rulePaths[paths.indexOf(one.at) % rulePaths.length] ?? [0] }));
  fc.assert(
    fc.property(fc.array(ofRules, { maxLength: 3 }), (mistakes) => {
      const changed = structuredClone(rules);
      for (const one of mistakes) make(changed, one);
      const given: unknown = JSON.parse(JSON.stringify(changed));
      // What rules may not say together, a schema for editors doesn't know: it is never stricter.
      if (policyRuleProblems(given).length === 0)
        expect(safeParse(policySchema, { version: "1", rules: given }).success).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
