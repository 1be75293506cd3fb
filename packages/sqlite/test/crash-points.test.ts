import { describeCrashPoints } from "../../trp-core/test/chaos/crash-points.ts";
import { bundleProcesses, ledger } from "./bundle.ts";
import { newFile } from "./files.ts";

describeCrashPoints(async () => ({ scripts: await bundleProcesses(ledger, "processes/router"), store: newFile() }));
