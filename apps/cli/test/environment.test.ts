import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { dataFolder } from "../src/config/data-folder.ts";
import { readEnvironment } from "../src/router/environment.ts";
import { identify } from "../src/router/make-router.ts";
import { ensureOperatorToken, operatorTokenPath, readOperatorToken } from "../src/router/operator-token.ts";
import { defaultStorePath, fileChoice, readStoreChoice } from "../src/router/store-choice.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "demo-env-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it("should have defaults, and take an empty variable for none", () => {
  const plain = { host: "127.0.0.1", baseSleepMs: 0 };
  expect(readEnvironment({})).toEqual(plain);
  const names = ["TRP_HOST", "TRP_PORT", "TRP_TOKENS", "TRP_APPROVAL_HMAC_SECRET", "TRP_DATA_DIR"];
  const empty = Object.fromEntries([...names, "TRP_EXECUTOR_BASE_SLEEP_MS"].map((name) => [name, ""]));
  expect(readEnvironment(empty)).toEqual(plain);
});

it("should read every variable", () => {
  const { tokens, ...rest } = readEnvironment({
    TRP_HOST: "::1",
    TRP_PORT: "0",
    TRP_TOKENS: '{"t1":{"principal":"ann","roles":["approver"]},"t2":{"principal":"bob","can_delete":true}}',
    TRP_APPROVAL_HMAC_SECRET: "secret",
    TRP_DATA_DIR: "/data",
    TRP_EXECUTOR_BASE_SLEEP_MS: "250",
  });
  expect(rest).toEqual({ host: "::1", port: 0, approvalSecret: "secret", dataDir: "/data", baseSleepMs: 250 });
  expect(tokens?.("t1")).toEqual({ tenant: "default", id: "ann", roles: ["approver"], canDelete: false });
  expect(tokens?.("t2")).toMatchObject({ id: "bob", canDelete: true });
  expect(tokens?.("t3")).toBeUndefined();
});

it.each([
  [{ TRP_PORT: "80a" }, /TRP_PORT must be a whole number/],
  [{ TRP_PORT: "65536" }, /TRP_PORT/],
  [{ TRP_EXECUTOR_BASE_SLEEP_MS: "-1" }, /TRP_EXECUTOR_BASE_SLEEP_MS/],
  [{ TRP_TOKENS: "s3cret" }, /no JSON/],
  [{ TRP_TOKENS: '{"s3cret": {}}' }, /entry 1/],
  [{ TRP_TOKENS: '{"s3cret": {"principal": "ann", "role": "x"}}' }, /role/],
  [{ TRP_TOKENS: '{"s3cret": {"principal": "ann", "roles": "x"}}' }, /roles/],
  [{ TRP_TOKENS: "{}" }, /names nobody/],
  [{ TRP_TOKENS: '["s3cret"]' }, /object/],
  [{ TRP_TOKENS: "null" }, /TRP_TOKENS must be JSON/],
])("should refuse %j without showing a token", (env, message) => {
  let told = "";
  try {
    readEnvironment(env);
  } catch (error) {
    told = (error as Error).message;
    expect((error as Error).name).toBe("UsageError");
  }
  expect(told).toMatch(message);
  expect(told).not.toContain("s3cret");
});

it("should know the agent and the operator apart, and nobody when there are tokens", () => {
  const local = identify(undefined, "op_1");
  expect(local(undefined)?.id).toBe("local-agent");
  expect(local("Bearer other")?.id).toBe("local-agent");
  expect(local("Bearer op_1")).toMatchObject({ id: "local-operator", roles: ["approver", "metrics"] });
  const tokens = identify(readEnvironment({ TRP_TOKENS: '{"t1":{"principal":"ann"}}' }).tokens, undefined);
  expect(tokens("Bearer t1")?.id).toBe("ann");
  expect([tokens(undefined), tokens("Bearer op_1"), tokens("t1")]).toEqual([undefined, undefined, undefined]);
});

it("should make one operator token, and let nobody else read it", () => {
  const path = folder();
  expect(readOperatorToken(path)).toBeUndefined();
  const token = ensureOperatorToken(path);
  expect(token.length).toBeGreaterThan(30);
  expect(ensureOperatorToken(path)).toBe(token);
  expect(readOperatorToken(path)).toBe(token);
  expect(statSync(operatorTokenPath(path)).mode & 0o777).toBe(0o600);
  writeFileSync(operatorTokenPath(path), "\n");
  expect(() => ensureOperatorToken(path)).toThrow(/empty/);
});

it("should read where a router keeps its state, and where the data is", () => {
  expect(readStoreChoice(undefined, "/data")).toEqual(fileChoice(defaultStorePath("/data")));
  expect(readStoreChoice("sqlite:a b.db", "/data")).toEqual(fileChoice(join(process.cwd(), "a b.db")));
  expect(readStoreChoice("memory", "/data")).toEqual({ kind: "memory", address: "memory" });
  const address = "postgresql://app@db/tools";
  expect(readStoreChoice(address, "/data")).toEqual({ kind: "postgres", address });
  expect(() => readStoreChoice("postgres", "/data")).toThrow(/sqlite:PATH, postgres:\/\//);
  expect(dataFolder("/given", { TRP_DATA_DIR: "/data" })).toBe("/given");
  expect(dataFolder(undefined, { TRP_DATA_DIR: "/data" })).toBe("/data");
});
