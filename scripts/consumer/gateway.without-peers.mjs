// Run where @toolglot/gateway is installed and its optional peers aren't: the face `code` says what to install.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGateway, loadConfig } from "@toolglot/gateway";

const folder = mkdtempSync(join(tmpdir(), "toolglot-without-peers-"));
const open = async (/** @type {object} */ settings) => {
  const text = JSON.stringify({ mcpServers: {}, gateway: { listen: { port: 0 }, ...settings } });
  return createGateway(await loadConfig({ files: [{ name: "toolglot.json", text, folder }], stateDir: folder }));
};
await assert.rejects(open({ face: "code" }), { code: "gateway/code-missing" });
rmSync(folder, { recursive: true, force: true });
