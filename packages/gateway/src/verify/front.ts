import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { Principal } from "@toolglot/trp-core";
import { serveMcp } from "@toolglot/trp-mcp";
import { createAuthenticator } from "../identity/authenticator.ts";
import type { Tokens } from "../identity/tokens.ts";
import { createSecretMask } from "../secrets/mask.ts";
import type { VerifyParts } from "./parts.ts";
import type { Rig } from "./rig.ts";

/** The HTTP side of a gateway, with tokens of its own. */
export interface Front {
  tokens: Tokens;
  /** Calls a tool as a client does. */
  call(name: string, args: JsonObject, token?: string): Promise<{ status: number; isRefused: boolean; text: string }>;
  close(): Promise<void>;
}

const revision = "2026-07-28";

/** Makes one. `anonymous`: who calls without a token; default nobody. */
export async function frontOf(
  { config, calls, servers, router }: Rig,
  parts: VerifyParts,
  { anonymous }: { anonymous?: Principal },
): Promise<Front> {
  const folder = await mkdtemp(join(tmpdir(), "toolglot-verify-"));
  const tokens = await parts.openTokens(join(folder, "tokens.json"));
  const auth = await createAuthenticator({ tokens, ...(anonymous && { anonymous }) });
  const gate = serveMcp({
    calls,
    servers: () => servers,
    visible: () => true,
    face: "tools",
    info: { name: "verify", version: "1" },
    requestSecret: randomBytes(32),
  });
  const { listen } = config.settings;
  const app = parts.createHttpApp({
    mcp: (request, { identity: { principal, mayElicit, id }, body }) =>
      gate.fetch(request, { principal, mayElicit, credential: id }, body),
    auth,
    router,
    mask: createSecretMask(),
    listen,
  });
  return {
    tokens,
    async call(name, args, token) {
      const url = `http://127.0.0.1:${listen.port || 8765}${listen.path}`;
      const response = await app.fetch(
        new Request(url, {
          method: "POST",
          headers: {
            host: new URL(url).host,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": revision,
            "mcp-method": "tools/call",
            "mcp-name": name,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(requestOf(name, args)),
        }),
      );
      const text = await response.text();
      return { status: response.status, isRefused: isProtocolError(text), text: text.slice(0, 200) };
    },
    async close() {
      app.close();
      await gate.close();
      tokens.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function requestOf(name: string, args: JsonObject): JsonObject {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "verify", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
}

/** Whether an answer, plain or as an event, is an error of JSON-RPC. */
function isProtocolError(text: string): boolean {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  try {
    const answer: unknown = JSON.parse(data);
    return isObject(answer) && isObject(answer.error);
  } catch {
    return false;
  }
}
