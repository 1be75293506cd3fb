// A host that starts a child which never looks up from its work, says its process id, and waits to be killed.
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";

const [file = "", ...args] = JSON.parse(process.argv[2] ?? "[]");
const child = spawn(file, [...args, process.execPath, "-e", "process.stdout.write('up'); for (;;);"], {
  env: {},
  stdio: ["ignore", "pipe", "ignore"],
});
child.stdout?.once("data", () => writeSync(1, `${child.pid}\n`));
