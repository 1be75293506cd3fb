import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";
import type { Unit } from "../meter.ts";

export const units = (folder: string): Unit[] => [edit(join(folder, "edit")), search(join(folder, "search"))];

const edit = (folder: string): Unit => ({
  name: "an edit of a file of 20 kB",
  async ready() {
    const root = join(folder, "root");
    mkdirSync(root, { recursive: true });
    const src = join(root, "file.ts");
    const lines = Array.from({ length: 830 }, (_, line) => `const filler${line} = ${line};\n`);
    let word = 0;
    writeFileSync(src, `${lines.join("").slice(0, 20_000)}\nconst word = "<0>";\n`);
    const local = await openLocalTools({ roots: root, stateDir: join(folder, "state") });
    return {
      async once() {
        const edits = [{ find: `"<${word}>"`, replace: `"<${++word}>"` }];
        await local.edit([{ src, edits }]);
      },
      isElsewhere: true,
      close: () => local.close(),
    };
  },
});

const search = (folder: string): Unit => ({
  name: "a search of 100 small files",
  async ready() {
    const root = join(folder, "root");
    mkdirSync(root, { recursive: true });
    for (let n = 0; n < 100; n += 1) writeFileSync(join(root, `f${n}.ts`), `export const v${n} = ${n};\n`.repeat(20));
    const local = await openLocalTools({ roots: root, stateDir: join(folder, "state") });
    return {
      async once() {
        const [part] = await local.read({ searches: [{ pattern: "v7\\d = " }] });
        if (part?.kind !== "search" || !part.head.includes("200 match")) throw new Error(JSON.stringify(part));
      },
      isElsewhere: true,
      close: () => local.close(),
    };
  },
});
