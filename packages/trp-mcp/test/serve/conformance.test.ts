import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { ImportedServer } from "../../src/index.ts";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { gateOf, listening, upstream } from "./support.ts";

const lean = fileURLToPath(new URL("../../../toolkit/test/mcp/fixtures/lean-conformance.mjs", import.meta.url));
const tool = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** The suite calls things by their own names, which a gateway puts the server's in front of. */
function withoutPrefix(server: ImportedServer): ImportedServer {
  const { offer } = server;
  return {
    ...server,
    tools: server.tools.map((one) => ({ ...one, shownName: one.tool, listed: { ...one.listed, name: one.tool } })),
    offer: {
      ...offer,
      resourceRead: offer.resourceRead,
      promptGet: offer.promptGet,
      listPrompts: async () =>
        (await offer.listPrompts()).map((one) => ({
          ...one,
          shownName: one.prompt,
          listed: { ...one.listed, name: one.prompt },
        })),
    },
  };
}

it("passes the official suite for servers", async () => {
  const server = withoutPrefix(await upstream("suite", tools, answer, { serve }));
  const { gate } = gateOf([server], { face: "tools" });
  const url = await listening(gate);
  const args = ["--import", lean, tool, "server", "--suite", "all", "--url", url];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { timeout: 100_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(said).toMatch(/Total: \d+ passed, 0 failed/);
  const scenarios = said.match(/^[✓✗] [\w-]+: /gm) ?? [];
  expect(scenarios.length, said).toBeGreaterThanOrEqual(32);
}, 120_000);
