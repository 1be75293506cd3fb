// Run where @toolglot/local-tools is installed and @lydell/node-pty isn't: the shell works over pipes, and says what is lost.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";

const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-pipes-"));
const local = await openLocalTools({ roots: folder, stateDir: `${folder}-state` });
const { output, exit } = await local.command({ script: "echo over pipes; exit 4" });
assert.equal(output.trim(), "over pipes");
assert.equal(exit, 4);
const { backend, limits } = (await local.shell()).state;
assert.equal(backend, "pipe");
assert.match(limits.join("\n"), /@lydell\/node-pty/);
await local.close();
for (const path of [folder, `${folder}-state`]) rmSync(path, { recursive: true, force: true });
