// Makes the next minor version: asks, then writes package.json, CHANGELOG.md and a list of the files with their hashes.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";

const packageJson = JSON.parse(readFileSync("package.json", "utf8"));
const [major, minor] = packageJson.version.split(".").map(Number);
const version = `${major}.${minor + 1}.0`;

const terminal = createInterface({ input: process.stdin, output: process.stdout });
// At the end of input nobody answers any more.
const answer = await Promise.race([
  terminal.question(`Publish ${version}? (y/N) `),
  new Promise((resolve) => terminal.once("close", () => resolve(""))),
]);
terminal.close();
if (!/^y(?:es)?$/i.test(answer.trim())) {
  console.log("Nothing was published.");
  process.exit(1);
}

const files = ["package.json", "README.md", ...readdirSync("src").map((name) => `src/${name}`)].sort();
packageJson.version = version;
writeFileSync("package.json", `${JSON.stringify(packageJson, null, 2)}\n`);
const changes = readFileSync("CHANGELOG.md", "utf8");
writeFileSync("CHANGELOG.md", changes.replace("# Changes\n", `# Changes\n\n## ${version}\n\n- See the history.\n`));
mkdirSync("releases", { recursive: true });
const lines = files.map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${file}`);
writeFileSync(`releases/${version}.sha256`, `${lines.join("\n")}\n`);
console.log(`Published ${packageJson.name} ${version}: ${files.length} files, listed in releases/${version}.sha256`);
