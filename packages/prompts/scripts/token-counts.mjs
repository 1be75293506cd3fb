// Counts the tokens of every prompt (o200k_base) and writes the table into README.md, between its markers.
// `--check` writes nothing and exits with 1 when the table is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const packageRoot = new URL("../", import.meta.url);
const readmeUrl = new URL("README.md", packageRoot);
const markers = /(<!-- token-counts -->\n)[\s\S]*?(<!-- \/token-counts -->)/;

/** Loads a module of src/ without a build step. */
async function load(path) {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL(path, packageRoot))],
    bundle: true,
    format: "esm",
    write: false,
    conditions: ["source"],
  });
  return import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`);
}

const { promptList } = await load("src/index.ts");
const rows = [];
for (const { subpath, exportName, locales } of promptList) {
  const { [exportName]: prompt } = await load(`src/${subpath.split("/").at(-1)}/index.ts`);
  const counts = ["zh", "en"].map((locale) => {
    if (!locales.includes(locale)) return "–";
    return ["single", "loop"].map((mode) => encode(prompt.build({ toolsText: "", locale, mode })).length).join(", ");
  });
  rows.push(`| \`${exportName}\` | ${counts.join(" | ")} |`);
}
const table = ["| prompt | zh | en |", "|---|---|---|", ...rows, ""].join("\n");

const readme = readFileSync(readmeUrl, "utf8");
if (!markers.test(readme)) throw new Error("README.md has no <!-- token-counts --> markers");
const updated = readme.replace(markers, (_, open, close) => open + table + close);
if (process.argv.includes("--check")) {
  if (updated !== readme) {
    console.error(`README.md's token counts are out of date; run: npm run tokens\n${table}`);
    process.exit(1);
  }
} else {
  writeFileSync(readmeUrl, updated);
  console.log(table);
}
