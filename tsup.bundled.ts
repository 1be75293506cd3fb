import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import type { Options } from "tsup";

/** Puts the licences of all packages that a build has taken in beside what it wrote. */
const licences: Plugin = {
  name: "licences",
  setup({ initialOptions, onEnd }) {
    onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
      const folders = inputs.flatMap(([file, { bytesInOutput }]) => {
        const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
        return folder === undefined || bytesInOutput === 0 ? [] : [resolve(folder)];
      });
      const texts = [...new Set(folders)].map(licenceText).sort();
      const folder = resolve(initialOptions.outdir ?? "dist");
      mkdirSync(folder, { recursive: true });
      const head = "# Third-party licences\n\nThe built files contain code of the following packages.\n";
      writeFileSync(join(folder, "THIRD_PARTY_LICENSES.md"), [head, ...new Set(texts)].join("\n"));
    });
  },
};

function licenceText(folder: string): string {
  const manifest = createRequire(import.meta.url)(join(folder, "package.json")) as Record<string, string>;
  const { name, version, license } = manifest;
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined && license === undefined)
    throw new Error(`${folder} has no licence: its code can't be taken in`);
  const text = file === undefined ? `${license}, as its package says.` : readFileSync(join(folder, file), "utf8");
  return `## ${name} ${version}\n\n${text.trim()}\n`;
}

/** For what takes packages of npm in: those that are no dependencies. Some of them are CommonJS, which asks for parts of Node by `require`. */
export const bundled: Options & { esbuildPlugins: Plugin[] } = {
  esbuildPlugins: [licences],
  esbuildOptions(options) {
    // Some have their `main` in a form that can't be taken apart.
    options.mainFields = ["module", "main"];
  },
  banner: {
    js: 'import { createRequire as requireFrom } from "module"; const require = requireFrom(import.meta.url);',
  },
};
