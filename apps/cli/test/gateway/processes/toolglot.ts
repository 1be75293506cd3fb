// The command line as a process of its own: arguments as JSON.
import { runProcess } from "../../../src/run-process.ts";

await runProcess(JSON.parse(process.argv[2] ?? "[]") as string[]);
