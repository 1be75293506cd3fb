// Run where toolglot is installed and @opentelemetry/sdk-node isn't: a gateway that is to send traces says what to install, and serves.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-traces-"));
const file = join(folder, "toolglot.json");
writeFileSync(file, '{ "mcpServers": {} }');
const args = ["--no", "--", "toolglot", "gateway", "--stdio", "--config", file, "--state-dir", join(folder, "state")];
const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
const { status, stderr } = spawnSync("npx", args, { env, input: "", encoding: "utf8" });
assert.match(stderr, /npm install @opentelemetry\/sdk-node @opentelemetry\/api/);
assert.equal(status, 0, stderr);
rmSync(folder, { recursive: true, force: true });
