// Notes as an MCP server over stdio.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const notes = [];
const server = new McpServer({ name: "notes", version: "1.0.0" });
const text = (value) => ({ content: [{ type: "text", text: value }] });

server.registerTool(
  "list_notes",
  { description: "Lists all notes.", inputSchema: z.object({}), annotations: { readOnlyHint: true } },
  () => text(notes.map((note, index) => `${index + 1}. ${note}`).join("\n") || "There are no notes."),
);

server.registerTool(
  "add_note",
  {
    description: "Writes a note down.",
    inputSchema: z.object({ note: z.string().min(1).max(1_000) }),
    annotations: { destructiveHint: false },
  },
  ({ note }) => text(`Note ${notes.push(note)} is written down.`),
);

server.registerTool(
  "clear_notes",
  { description: "Throws all notes away.", inputSchema: z.object({}), annotations: { destructiveHint: true } },
  () => text(`${notes.splice(0).length} notes are gone.`),
);

await server.connect(new StdioServerTransport());
