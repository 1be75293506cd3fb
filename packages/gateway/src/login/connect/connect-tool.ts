import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { ToolglotError } from "@toolglot/core";
import type { LoginInfo, LoginOptions, LoginPrincipal, LoginServer } from "../types.ts";

/** The tool `SERVER__connect`: what a server shows whose tools are behind a login. */
export interface ConnectTool {
  readonly tool: Tool;
  /** Tells the caller where to log in, or that it is done. Never rejects. */
  call(principal: LoginPrincipal): Promise<CallToolResult>;
}

/** What the tool needs of logins. */
export interface ConnectParts {
  info(principal: LoginPrincipal): Promise<LoginInfo | undefined>;
  link(principal: LoginPrincipal): string | undefined;
  login(options: LoginOptions): Promise<LoginInfo>;
}

/** An older login is one that the server does not take any more. */
const justNowMs = 60_000;

export function connectTool({ name, credentials = "shared" }: LoginServer, parts: ConnectParts): ConnectTool {
  /** Logins that wait for a person at this machine, with where they have to go. */
  const waiting = new Map<string, Promise<string>>();

  /** Begins a login on this machine, unless one waits already. Resolves with the address. */
  function begin(principal: LoginPrincipal): Promise<string> {
    const key = JSON.stringify([principal.tenant, principal.id]);
    const begun =
      waiting.get(key) ??
      new Promise<string>((resolve, reject) => {
        const login = parts.login({ principal, openBrowser: false, onPrompt: ({ url }) => resolve(url) });
        login.catch(reject).finally(() => waiting.delete(key));
      });
    waiting.set(key, begun);
    return begun;
  }

  return {
    tool: {
      name: `${name}__connect`,
      title: `Log in at ${name}`,
      description: `The tools of ${name} are there after a person has logged in. Returns the address for that person; asks for no password here.`,
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async call(principal) {
      try {
        const known = await parts.info(principal);
        if (known !== undefined && Date.now() - known.obtainedAt < justNowMs)
          return said(`${name} has a login. Its tools are listed once the server took it.`);
        const link = parts.link(principal);
        const where = link ?? (await begin(principal));
        const how = link === undefined ? "on the machine of the gateway" : "and sign in with your gateway token";
        const whose = credentials === "caller" ? "for your calls alone" : "for everybody who may call it";
        return said(
          `Ask the user to open ${where} in a browser ${how}. The login counts ${whose}. After it, list the tools again.`,
        );
      } catch (error) {
        const why = ToolglotError.isInstance(error)
          ? error.message
          : "the login can't begin; the gateway's log says why";
        return { ...said(why), isError: true };
      }
    },
  };
}

function said(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
