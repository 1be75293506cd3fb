import { type Bundled, bundled } from "../../trp-core/test/chaos/bundle.ts";

/** The file of a process of the chaos, for {@link bundleProcesses}. */
export const ledger = "../../trp-core/test/chaos/ledger";

/** The processes of these tests; `files`: below this folder, without `.ts`. */
export const bundleProcesses = (...files: string[]): Promise<Bundled> =>
  bundled({ tests: import.meta.dirname, files, external: ["libsql"] });
