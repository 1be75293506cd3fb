import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { session, ways } from "./sessions.ts";

const times = rounds(300, 1000);

noteWithoutBubblewrap();
for (const way of ways) {
  it(`runs ${times} commands back to back over ${way}, each with its own output and exit status`, async () => {
    const { shell } = await session(way);
    const wrong: unknown[] = [];
    for (let n = 0; n < times; n++) {
      const exit = n % 256;
      const ending = n % 3 === 0 ? "" : "\n";
      const result = await shell.run(`printf 'n=%s last=%s${ending === "" ? "" : "\\n"}' ${n} $?; (exit ${exit})`);
      const expected = `n=${n} last=${n === 0 ? 0 : (n - 1) % 256}${ending}`;
      if (result.status !== "ended" || result.exit !== exit || result.output !== expected || result.notes.length > 0) {
        wrong.push({ n, result });
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it(`keeps calls made at once apart over ${way}`, async () => {
    const { shell } = await session(way);
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        shell.run(`echo a${n}; ${n % 4 === 0 ? "sleep 0.01;" : ""} echo b${n}; (exit ${n})`),
      ),
    );
    expect(results.map(({ output, exit }) => ({ output, exit }))).toEqual(
      Array.from({ length: 40 }, (_, n) => ({ output: `a${n}\nb${n}\n`, exit: n })),
    );
  });
}
