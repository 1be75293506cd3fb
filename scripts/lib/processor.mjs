// On what this runs: what V8 does with the same code depends on its version, and on the processor.
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** By its name, and on Linux by its family and model as well: clouds give one name to several generations, of which one may need half the time. */
function processor() {
  const name = cpus()[0]?.model.trim() ?? "unknown";
  if (process.platform !== "linux") return name;
  const info = readFileSync("/proc/cpuinfo", "utf8");
  const [family, model] = ["cpu family", "model"].map((key) => new RegExp(`^${key}\\s*: (\\d+)$`, "m").exec(info)?.[1]);
  return family === undefined ? name : `${name} ${family}.${model}`;
}

/** For what time and allocation are recorded in bench/costs.json: `Node 20, AMD EPYC 25.1`. */
export const machine = () => `Node ${process.versions.node.split(".")[0]}, ${processor()}`;
