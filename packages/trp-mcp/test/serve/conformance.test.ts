import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@toolglot/core";
import { expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import type { ImportedServer } from "../../src/index.ts";
import { askingUpstream } from "./fixtures/asking-upstream.ts";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { slowAnswer, slowTools } from "./fixtures/slow-upstream.ts";
import { gateOf, inProcess, listening, routed } from "./support.ts";

const lean = fileURLToPath(new URL("../../../toolkit/test/mcp/fixtures/lean-conformance.mjs", import.meta.url));
const tool = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** The suite calls things by their own names, which a gateway puts the server's in front of. */
function withoutPrefix(server: ImportedServer): ImportedServer {
  const { offer, client, name } = server;
  const own = <One extends { listed: JsonObject }>(one: One, shownName: string): One => ({
    ...one,
    shownName,
    listed: { ...one.listed, name: shownName },
  });
  return {
    name,
    client,
    get tools() {
      return server.tools.map((one) => own(one, one.tool));
    },
    offer: {
      get resourceRead() {
        return offer.resourceRead;
      },
      get promptGet() {
        return offer.promptGet;
      },
      listResources: () => offer.listResources(),
      listResourceTemplates: () => offer.listResourceTemplates(),
      listPrompts: async () => (await offer.listPrompts()).map((one) => own(one, one.prompt)),
    },
    state: () => server.state(),
    ready: () => server.ready(),
    refresh: () => server.refresh(),
    onChange: (listener) => server.onChange(listener),
    accept: (one) => server.accept(one),
    close: () => server.close(),
  };
}

/**
 * What fails, on purpose: a call that runs goes on, and its task with it, when that is cancelled; a client without tasks waits, in place of
 * being refused.
 */
const failing = ["tasks-lifecycle", "tasks-required-task-error"];

it("passes the official suite for servers", async () => {
  const store = await storeUnderTest();
  const upstreams = {
    suite: inProcess("suite", tools, answer, serve),
    slow: inProcess("slow", slowTools, slowAnswer),
    desk: askingUpstream,
  };
  const { servers, calls } = await routed(upstreams, { repeat: "free", store });
  const { gate } = gateOf(servers.map(withoutPrefix), { face: "tools", calls, store, taskAfterMs: 100 });
  const url = await listening(gate);
  const args = ["--import", lean, tool, "server", "--suite", "all", "--url", url];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { timeout: 100_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const scenarios = [...said.matchAll(/^([✓✗]) ([\w-]+): /gm)];
  expect(scenarios.length, said).toBeGreaterThanOrEqual(61);
  expect(scenarios.flatMap(([, mark, name]) => (mark === "✗" ? [name] : []))).toEqual(failing);
  expect(said).toMatch(/Total: \d+ passed, 2 failed/);
}, 120_000);
