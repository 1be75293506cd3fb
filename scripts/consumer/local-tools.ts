import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-local-"));
  const file = join(folder, "port.txt");
  writeFileSync(file, "port = 3000\n");
  // "中文" in GBK, for which the codecs are loaded, here and in the thread that searches.
  writeFileSync(join(folder, "gbk.txt"), Buffer.from("d6d0cec40a", "hex"));
  writeFileSync(join(folder, ".editorconfig"), "[gbk.txt]\ncharset = gbk\n");
  const local = await openLocalTools({ roots: folder, stateDir: `${folder}-state` });
  try {
    await local.edit([{ src: "port.txt", edits: [{ find: "3000", replace: "8080" }] }]);
    await local.command({ script: "count=40" });
    const { status, exit, output } = await local.command({ script: "cat port.txt; echo $((count + 2)); (exit 3)" });
    const { backend } = (await local.shell()).state;
    const [found] = await local.read({ searches: [{ pattern: "80+" }] });
    const hit = found?.kind === "search" ? found.text.trim() : String(found?.kind);
    await local.undo();
    const [chinese] = await local.read({ searches: [{ pattern: "中文" }] });
    await local.edit([{ src: "gbk.txt", edits: [{ find: "中", replace: "英" }] }]);
    const gbk = `${chinese?.kind === "search" && chinese.text.trim()} ${readFileSync(join(folder, "gbk.txt"), "hex")}`;
    const content = readFileSync(file, "utf8").trim();
    return [backend, status, exit, output.trim().replace("\n", ","), hit, gbk, content].join(" | ");
  } finally {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
    rmSync(`${folder}-state`, { recursive: true, force: true });
  }
}

/** The pseudo-terminal's native module does not work under Bun: shells talk over pipes there. */
export const expectedOn = {
  bun: "pipe | ended | 3 | port = 8080,42 | port.txt:1: port = 8080 | gbk.txt:1: 中文 d3a2cec40a | port = 3000",
};

export const expected =
  "pty | ended | 3 | port = 8080,42 | port.txt:1: port = 8080 | gbk.txt:1: 中文 d3a2cec40a | port = 3000";
