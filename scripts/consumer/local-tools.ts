import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";
import { openSecrets } from "@toolglot/local-tools/secrets";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-local-"));
  const file = join(folder, "port.txt");
  writeFileSync(file, "port = 3000\n");
  const local = await openLocalTools({ roots: folder, stateDir: `${folder}-state` });
  try {
    await local.edit([{ src: "port.txt", edits: [{ find: "3000", replace: "8080" }] }]);
    await local.command({ script: "count=40" });
    const { status, exit, output } = await local.command({ script: "cat port.txt; echo $((count + 2)); (exit 3)" });
    const { backend } = (await local.shell()).state;
    const [found] = await local.read({ searches: [{ pattern: "80+" }] });
    const hit = found?.kind === "search" ? found.text.trim() : String(found?.kind);
    await local.undo();
    const secrets = await openSecrets();
    await secrets.set("TOKEN", "a-value-of-mine");
    const masked = secrets.mask(Buffer.from("me:a-value-of-mine").toString("base64"));
    const content = readFileSync(file, "utf8").trim();
    return [backend, status, exit, output.trim().replace("\n", ","), hit, content, masked].join(" | ");
  } finally {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
    rmSync(`${folder}-state`, { recursive: true, force: true });
  }
}

/** The pseudo-terminal's native module does not work under Bun: shells talk over pipes there. */
export const expectedOn = {
  bun: "pipe | ended | 3 | port = 8080,42 | port.txt:1: port = 8080 | port = 3000 | bWU6‹TOKEN›",
};

export const expected = "pty | ended | 3 | port = 8080,42 | port.txt:1: port = 8080 | port = 3000 | bWU6‹TOKEN›";
