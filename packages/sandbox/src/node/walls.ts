import type { SandboxWall } from "../types.ts";

const walls: Readonly<Record<SandboxWall, string>> = {
  files: "the runtime has no permission model, or not this one: the interpreter's process may read and write files",
  processes: "the runtime has no permission model, or not this one: the interpreter's process may start others",
  network: "the interpreter's process may open sockets",
  code: "the runtime makes code of text in the interpreter's process",
  memory: "the runtime sets no limit to the memory around the interpreter's own",
  namespace: "the system gave it no namespaces",
};

/** Returns a wall that is not there, in words. */
export function missingWall(wall: SandboxWall): string {
  return `the wall "${wall}" is missing: ${walls[wall]}`;
}
