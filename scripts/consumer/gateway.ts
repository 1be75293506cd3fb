import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGateway, loadConfig, openTokens } from "@toolglot/gateway";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-gateway-"));
  try {
    const tokens = await openTokens(join(folder, "tokens.json"));
    const { token } = await tokens.add({ principal: "agent" });
    tokens.close();
    const text = '{ "mcpServers": {}, "gateway": { "listen": { "port": 0 } } } // nothing behind it';
    const config = await loadConfig({ files: [{ name: "toolglot.json", text, folder }], stateDir: folder });
    const gateway = await createGateway(config);
    const { url } = await gateway.listen();
    const ask = async (authorization: string): Promise<number> => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization,
      };
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const response = await fetch(url, { method: "POST", headers, body });
      await response.text();
      return response.status;
    };
    const statuses = [await ask("Bearer nobody"), await ask(`Bearer ${token}`)];
    await gateway.close();
    const wrong = await loadConfig({ files: [{ name: "wrong.json", text: '{ "gateway": { "polcy": {} } }' }] }).catch(
      (error: Error) => error.message.includes('did you mean "policy"?'),
    );
    return `${statuses.join(" ")} | ${wrong}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const expected = "401 200 | true";
