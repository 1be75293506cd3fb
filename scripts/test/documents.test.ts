import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { architecture } from "../lib/architecture.mjs";
import { examples, pagesOfExamples, shownExamples } from "../lib/examples.mjs";
import { gates } from "../lib/gates.mjs";
import { shownFiles } from "../lib/readme-examples.mjs";
import { readSupport } from "../lib/support.mjs";
import { publicPackages, root } from "../lib/workspace.mjs";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
const packageReadmes = publicPackages().map(({ folder }) => `${folder}/README.md`);
const pages = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const results = readdirSync(join(root, "bench/results")).map((name) => `bench/results/${name}`);
const recipes = readdirSync(join(root, "docs/recipes")).map((name) => `docs/recipes/${name}`);
const more = [...pages, ...results, "conformance/slips/results.md", ...recipes, ...decisions];
const documents = ["README.md", "README.zh-CN.md", "CONTRIBUTING.md", ...more];

it("should show the same arrows in docs/architecture.md as the check enforces", () => {
  const rows = read("docs/architecture.md")
    .split("\n")
    .map((line) => /^\| `([\w-]+)` \| (any|node) \| (.+) \|$/.exec(line))
    .filter((match) => match !== null)
    .map(([, id, runsIn, targets = ""]) => ({
      id,
      runsIn,
      targets: targets === "nothing" ? [] : targets.replaceAll("`", "").split(", "),
    }));
  const wanted = Object.entries(architecture).map(([id, row]) => ({
    id,
    runsIn: row.runsIn,
    targets:
      row.mayImport === "everything"
        ? ["everything"]
        : [
            ...row.mayImport,
            ...row.thirdParty,
            ...(row.bundled ?? []).filter((name) => !name.startsWith("@toolglot/")),
          ],
  }));
  expect(rows).toEqual(wanted);
});

it.each(["README.md", "README.zh-CN.md"])("should list every public package in %s", (file) => {
  const text = read(file);
  for (const { folder, manifest } of publicPackages()) {
    expect(text).toContain(`[\`${manifest.name}\`](${folder})`);
  }
});

it("should say of every public package what it runs on, the same in both README.md, with a program that shows it", () => {
  const { runtimes, claims } = readSupport(read("README.md"));
  const ids = publicPackages().map(({ id }) => id);
  expect(claims.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const { id, cells } of claims) {
    expect(cells).toHaveLength(runtimes.length);
    expect(existsSync(join(root, `scripts/consumer/${id}.ts`))).toBe(true);
  }
  const chinese = readSupport(read("README.zh-CN.md"));
  const isYes = (support: typeof chinese, yes: string) =>
    support.claims.map(({ id, cells }) => ({ id, cells: cells.map((cell) => cell === yes) }));
  expect(chinese.runtimes).toEqual(runtimes);
  expect(isYes(chinese, "能")).toEqual(isYes({ runtimes, claims }, "yes"));
});

it.each(publicPackages())(
  "should say in the README.md of $id that it runs where the table says so",
  ({ id, folder }) => {
    const { runtimes, claims } = readSupport(read("README.md"));
    const cells = claims.find((claim) => claim.id === id)?.cells ?? [];
    const compatibility = /^## Compatibility\n([\s\S]*?)^## /m.exec(read(`${folder}/README.md`))?.[1] ?? "";
    // What a package runs on stands in its first sentence, what it does elsewhere in later ones.
    const [first = ""] = compatibility.trim().split(/(?<=\.)\s/);
    for (const family of ["Node", "Bun", "Deno"] as const) {
      const own = cells.filter((_, index) => runtimes[index]?.name.startsWith(family));
      expect(first.includes(family), `${family} in: ${first}`).toBe(own.every((cell) => cell === "yes"));
      expect(compatibility).toContain(family);
    }
  },
);

it("should describe every gate in CONTRIBUTING.md", () => {
  const text = read("CONTRIBUTING.md");
  for (const { id } of gates) expect(text).toContain(`| \`${id}\` |`);
});

const headings = [
  "When should I use this?",
  "Install",
  "Use",
  "API",
  /^(Diagnostics|Errors)/,
  "Limits",
  "Compatibility",
  "Security",
  "Licence",
];

it.each(packageReadmes)("should find the same headings in the same order in %s", (file) => {
  const found = [...read(file).matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? "");
  const positions = headings.map((wanted) =>
    found.findIndex((heading) => (typeof wanted === "string" ? heading === wanted : wanted.test(heading))),
  );
  expect(found).toSatisfy(() => positions.every((position) => position >= 0), "every heading is there");
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});

it("should say in README.md how to install what no registry has yet", () => {
  expect(read("README.md").replaceAll(/\s+/g, " ")).toContain(
    "Until then, run `npm run pack:all ../packed` in a clone of the repository, and then `npm install ../packed/toolglot*.tgz` in your project.",
  );
});

it.each(packageReadmes)("should say in one line of %s that no registry has it yet", (file) => {
  expect(read(file)).toContain("\nNot published yet: [install it from a clone](../../README.md).");
});

it.each([...documents, ...packageReadmes])("should have no dead relative link in %s", (file) => {
  const prose = read(file).replaceAll(/^```[\s\S]*?^```/gm, "");
  const links = [...prose.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? "");
  const dead = links.filter((link) => !existsSync(join(root, dirname(file), link)));
  expect(dead).toEqual([]);
});

it("should give the two README.md the same headings, the same links and, comments apart, the same code", () => {
  const shape = (file: string) => ({
    links: [
      ...new Set([...read(file).matchAll(/\]\((?!https?:|README)([^)\s]+)\)/g)].map((match) => match[1])),
    ].toSorted(),
    headings: [...read(file).matchAll(/^(#+) /gm)].map((match) => match[1]),
    code: [...read(file).matchAll(/^```(\w*)\n[\s\S]*?^```$/gm)].flatMap((match) =>
      match[1] === "text" ? [] : match[0].replaceAll(/\s*# .*$/gm, ""),
    ),
  });
  expect(shape("README.zh-CN.md")).toEqual(shape("README.md"));
});

it("should show in docs/recipes and docs/coming-from.md the files that run, to the letter", () => {
  const shown = shownExamples();
  const whole = shown.filter(({ program }) => program !== undefined);
  for (const { file, program } of whole) expect(program, file).toBe(read(file));
  const blocks = pagesOfExamples.flatMap((page) => [...read(page).matchAll(/^```(?:ts|js)$/gm)]);
  expect(whole).toHaveLength(blocks.length);
  const wanted = examples().flatMap(({ name, programs }) =>
    programs
      .filter((program) => program.endsWith(".ts") && program !== "back.ts" && program !== "beside.ts")
      .map((program) => `examples/${name}/${program}`),
  );
  const printing = shown.filter(({ output }) => output !== undefined).map(({ file }) => file);
  expect(printing.toSorted()).toEqual(wanted.toSorted());
});

it("should keep a recipe to sixty lines of code, and give it whole in the first block of its page", () => {
  for (const page of pagesOfExamples.filter((name) => name.startsWith("docs/recipes/"))) {
    const [recipe, use] = shownFiles(read(page));
    const code = recipe?.program?.split("\n").filter((line) => !/^(import\b.*|\s*\/[/*].*|\s*)$/.test(line)) ?? [];
    expect(code.length, page).toBeLessThanOrEqual(60);
    const name = recipe?.file.split("/").at(-1) ?? "";
    const user = use && readFileSync(join(root, dirname(page), use.file), "utf8");
    expect(user, page).toContain(`from "./${name}"`);
  }
});

it("should name files that are there in the walks for newcomers, with what stands in them", () => {
  const text = read("docs/newcomers.md");
  const paths = [...text.matchAll(/(?<=[\s`])(?:packages|apps|bench|conformance|docs)\/[\w./-]+\.\w+(?=[\s`])/g)].map(
    String,
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const named = [...text.matchAll(/^\| \d \| `([\w./-]+\.ts)`[^|]*?(?:in|,) `(\w+)`/gm)];
  expect(named.length).toBeGreaterThan(3);
  for (const [, path = "", word = ""] of named) expect(read(path), `${word} in ${path}`).toContain(word);
});
