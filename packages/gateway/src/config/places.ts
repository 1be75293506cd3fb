import type { Report } from "./check-node.ts";
import type { ConfigProblem } from "./problem.ts";
import { findNode, nodeAt, type Source } from "./source.ts";

/** Where the parts of a configuration stand that is put together from several files; the later ones win. */
export class Places {
  readonly #sources: readonly Source[];
  readonly #problems: ConfigProblem[];

  constructor(sources: readonly Source[], problems: ConfigProblem[]) {
    this.#sources = sources;
    this.#problems = problems;
  }

  /** Returns what reports problems of one file; paths begin at its root, and are shown after `shown`. */
  of(source: Source): Report {
    return (path, problem, keyNode) => {
      const at = keyNode ?? (source.root === undefined ? 0 : nodeAt(source.root, path));
      this.#problems.push(source.problem(at, path, problem));
    };
  }

  /** Tells a problem in the last file that has something at its path. */
  readonly report: Report = (path, problem) => {
    const source =
      this.#sources.findLast(({ root }) => root !== undefined && findNode(root, path) !== undefined) ??
      this.#sources.at(-1);
    if (source !== undefined) this.of(source)(path, problem);
  };
}
