// What `toolglot gateway --stdio` does, from sources.
import { parseArgs } from "node:util";
import { createGateway, loadConfig } from "../../../src/index.ts";

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    stdio: { type: "boolean" },
    config: { type: "string" },
    "state-dir": { type: "string" },
    log: { type: "string" },
  },
});
const stateDir = values["state-dir"] ?? "";
const gateway = await createGateway(await loadConfig({ files: [values.config ?? ""], stateDir, stdio: true }));
await gateway.serveStdio();
await gateway.close();
