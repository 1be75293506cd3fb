// A gateway as a process that can be killed. It says where it is in a file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGateway, loadConfig } from "../../../src/index.ts";

const { folder, mcpServers, settings } = JSON.parse(process.argv[2] ?? "") as Record<string, object> & {
  folder: string;
};
const text = JSON.stringify({ mcpServers, gateway: { listen: { port: 0 }, ...settings } });
const config = await loadConfig({ files: [{ name: "chaos.json", text, folder }], stateDir: folder });
const gateway = await createGateway(config);
const { url } = await gateway.listen();
await gateway.settled();
writeFileSync(join(folder, "url"), url);
console.log("ready");
