// Adds lines to a log of a folder, each behind all that it finds, and says which it could add.
import { folderStorage } from "../../src/index.ts";

const [dir = "", name = "", count = "0"] = process.argv.slice(1);
const { logs } = folderStorage(dir);

async function main(): Promise<void> {
  for (let index = 0; index < Number(count); ) {
    const at = ((await logs.read("shared")) ?? []).length;
    const line = `${name}${index}`;
    if (!(await logs.append("shared", [line], at))) continue;
    process.stdout.write(`${line}\n`);
    index += 1;
  }
}

void main();
