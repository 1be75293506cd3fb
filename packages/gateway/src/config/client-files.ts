import { join } from "node:path";
import type { Machine } from "./folders.ts";

/** A program that starts MCP servers. */
export type McpClientName =
  | "claude"
  | "claude-code"
  | "codex"
  | "copilot"
  | "cursor"
  | "gemini"
  | "lmstudio"
  | "opencode"
  | "vscode"
  | "windsurf"
  | "zed";

/** A file in which a client may have its servers. */
export interface ClientFile {
  client: McpClientName;
  /** As people call the client. */
  title: string;
  path: string;
  /** Whether it is for one project alone. */
  ofProject: boolean;
}

/** Returns the files in which the known clients have their servers: of the user, then of the project in a folder. */
export function clientFiles({ env, home, platform }: Machine, folder: string): ClientFile[] {
  const roaming = env.APPDATA ?? join(home, "AppData", "Roaming");
  const library = join(home, "Library", "Application Support");
  // Where these look on a Mac, too.
  const plain = env.XDG_CONFIG_HOME ?? join(home, ".config");
  const config = platform === "win32" ? roaming : platform === "darwin" ? library : plain;
  const ofUser = (client: McpClientName, title: string, path: string) => ({ client, title, path, ofProject: false });
  const ofProject = (client: McpClientName, title: string, ...path: string[]) => ({
    ...{ client, title, path: join(folder, ...path), ofProject: true },
  });
  return [
    ofUser("claude", "Claude Desktop", join(config, "Claude", "claude_desktop_config.json")),
    ofUser("claude-code", "Claude Code", join(home, ".claude.json")),
    ofUser("cursor", "Cursor", join(home, ".cursor", "mcp.json")),
    ofUser("vscode", "VS Code", join(config, "Code", "User", "mcp.json")),
    ofUser("windsurf", "Windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")),
    ofUser("codex", "Codex", join(env.CODEX_HOME ?? join(home, ".codex"), "config.toml")),
    ofUser("copilot", "Copilot CLI", join(home, ".copilot", "mcp-config.json")),
    ofUser("gemini", "Gemini CLI", join(home, ".gemini", "settings.json")),
    ofUser("lmstudio", "LM Studio", join(home, ".lmstudio", "mcp.json")),
    ofUser("opencode", "opencode", join(plain, "opencode", "opencode.json")),
    ofUser("zed", "Zed", join(platform === "win32" ? join(roaming, "Zed") : join(plain, "zed"), "settings.json")),
    ofProject("claude-code", "Claude Code", ".mcp.json"),
    ofProject("cursor", "Cursor", ".cursor", "mcp.json"),
    ofProject("vscode", "VS Code", ".vscode", "mcp.json"),
  ];
}
