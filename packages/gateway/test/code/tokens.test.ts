import type { JsonObject } from "@toolglot/core";
import type { ImportedServer, ImportedTool, OwnTool } from "@toolglot/trp-mcp";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { Face, type FaceName } from "../../../trp-mcp/src/faces/face.ts";
import { runTool } from "../../src/code/run-tool.ts";
import { agent } from "./support.ts";

const verbs = "create read update delete list search archive restore share export".split(" ");
const nouns = "issue order invoice customer calendar message document ticket branch report".split(" ");
const servers = "github stripe gmail linear notion".split(" ");

/** Tools with what real ones have: a sentence or two for each, and one for each argument. */
function toolsOf(server: string): ImportedTool[] {
  return nouns.flatMap((noun) =>
    verbs.map((verb): ImportedTool => {
      const tool = `${verb}_${noun}`;
      const description = `Use this to ${verb} a ${noun} of the workspace. It answers with the ${noun} as it is then.`;
      const properties = Object.fromEntries(
        ["id", "fields", "limit"].map((name) => [name, { type: "string", description: `The ${name} of the ${noun}.` }]),
      );
      const listed = {
        name: `${server}__${tool}`,
        description,
        inputSchema: { type: "object", properties, required: ["id"] },
      };
      return { server, tool, shownName: listed.name, listed } as unknown as ImportedTool;
    }),
  );
}

/** As many tools, a fifth of them at each server. */
function tooled(count: number): ImportedServer[] {
  return servers.map((name) => {
    const client = { instructions: `Works on what a team keeps at ${name}.` };
    return { name, client, tools: toolsOf(name).slice(0, count / servers.length) } as unknown as ImportedServer;
  });
}

function listOf(face: FaceName, servers: readonly ImportedServer[]): JsonObject[] {
  const programs = { listed: runTool(["javascript", "python"]) } as OwnTool;
  const own = () => (face === "code" ? [programs] : []);
  return new Face({ face, servers: () => servers, visible: () => true, own }).list(agent);
}

const tokens = (tools: readonly JsonObject[]): number => countTokens(JSON.stringify({ tools }));

it("lists in fewer tokens than the servers' own lists, however many tools there are", () => {
  const measured = [20, 100, 400].map((count) => {
    const servers = tooled(count);
    const raw = servers.flatMap(({ tools }) => tools.map(({ tool, listed }) => ({ ...listed, name: tool })));
    expect(raw).toHaveLength(count);
    const faces = { tools: listOf("tools", servers), search: listOf("search", servers), code: listOf("code", servers) };
    return {
      count,
      raw: tokens(raw),
      ...Object.fromEntries(Object.entries(faces).map(([name, list]) => [name, tokens(list)])),
    };
  }) as { count: number; raw: number; tools: number; search: number; code: number }[];
  for (const { raw, tools, search, code } of measured) {
    // Prefixes, and two tools of the gateway's own.
    expect(tools).toBeLessThan(raw * 1.25 + 250);
    expect(search).toBeLessThan(650);
    expect(code).toBeLessThan(900);
  }
  const most = measured.at(-1);
  expect(most?.code).toBeLessThan((most?.raw ?? 0) / 10);
});
