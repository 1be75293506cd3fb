import { expect, it } from "vitest";
import {
  type HostFiles,
  looseMounts,
  type MountRequest,
  mountArguments,
  planMounts,
  shows,
} from "../../src/confinement/mounts.ts";

const nothing = { pinned: [], kept: [], missing: [], limits: [] };
const plain: MountRequest = {
  readable: "all",
  homes: [],
  hidden: { system: [], named: [] },
  shown: [],
  writable: ["/work/project"],
  repositories: nothing,
  kernel: ["/proc/sys"],
  cwd: "/work/project/sub",
  folder: "/tmp/own",
};
const folders: Readonly<Record<string, readonly string[]>> = {
  "/": ["etc", "home", "tmp", "usr", "var", "work", "bin -> usr/bin"],
  "/home": ["me", "other"],
  "/home/me": [".config", ".netrc", ".nvm", "notes"],
  "/home/me/.nvm": ["alias", "versions"],
  "/var": ["lib", "tmp"],
  "/work": ["project", "state"],
  "/work/project": ["keys", ".env"],
};
/** A host with these folders; everything else in them is a folder, too, but what has a dot before a word. */
const host: HostFiles = {
  entriesOf: (path) =>
    (folders[path] ?? []).map((line) => ({
      name: line.split(" ")[0] as string,
      isSymbolicLink: () => line.includes(" -> "),
    })),
  target: (path) => (path === "/bin" ? "usr/bin" : undefined),
  kindOf: (path) => (/\.(?:env|netrc)$/.test(path) ? "file" : /none/.test(path) ? undefined : "folder"),
};
const folder = (path: string) => ({ path, kind: "folder" as const });
const file = (path: string) => ({ path, kind: "file" as const });
const hidden = (...named: string[]) => ({ hidden: { system: [], named } });
const me = { path: "/home/me", shown: ["/home/me/.nvm"] };

function entries(request: Partial<MountRequest>): string[] {
  return [...planMounts({ ...plain, ...request }, host)].map(([path, { is }]) => `${path} ${is}`);
}

it("mounts folders before what is in them, and everything else read-only", () => {
  const all = entries({});
  expect(all[0]).toBe("/ read");
  expect(all).toEqual(
    expect.arrayContaining([
      "/tmp fresh",
      "/var/tmp fresh",
      "/dev devices",
      "/proc processes",
      "/proc/sys read",
      "/tmp/own read",
    ]),
  );
  expect(all.indexOf("/tmp fresh")).toBeLessThan(all.indexOf("/tmp/own read"));
  expect(all.at(-1)).toMatch(/\/(own|project|tmp) /);
});

it("leaves hidden places out of what is bound, and covers them only where the folder must be the host's", () => {
  const all = entries(hidden("/work/state", "/work/project/keys", "/work/project/.env", "/work/project/none", "/usr"));
  expect(all).toEqual(
    expect.arrayContaining(["/ empty", "/etc read", "/bin link", "/work empty", "/work/project/keys empty"]),
  );
  expect(all).toContain("/work/project/.env blank-file");
  expect(all.join()).not.toMatch(/state|none|\/usr/);
  const plan = planMounts({ ...plain, ...hidden("/work/state", "/work/project/keys") }, host);
  expect(looseMounts(plan)).toEqual(["/var/tmp", "/work/project/keys"]);
});

it("shows of a home what is named, and of other homes nothing, whatever comes into them later", () => {
  const homes = { homes: [me], hidden: { system: ["/home", "/root"], named: ["/home/me/.config"] } };
  const all = entries({ ...homes, writable: ["/home/me/.config/app"] });
  expect(all.filter((line) => line.startsWith("/home"))).toEqual([
    "/home/me empty",
    "/home/me/.nvm read",
    "/home/me/.config/app write",
  ]);
  const inTools = entries({ ...homes, hidden: { system: ["/home"], named: ["/home/me/.nvm/alias"] } });
  expect(inTools.filter((line) => line.startsWith("/home/me/.nvm"))).toEqual([
    "/home/me/.nvm empty",
    "/home/me/.nvm/versions read",
  ]);
  const listed = entries({ ...homes, readable: [{ path: "/usr" }, { path: "/home/me/notes" }] });
  expect(listed.filter((line) => line.startsWith("/home"))).toEqual(["/home/me/notes read"]);
});

it("keeps a cover where the folder around it holds too much to be made anew", () => {
  const many: HostFiles = {
    ...host,
    entriesOf: () => Array.from({ length: 501 }, (_, at) => ({ name: `${at}`, isSymbolicLink: () => false })),
  };
  const plan = planMounts({ ...plain, ...hidden("/work/state") }, many);
  expect(plan.get("/work/state")).toEqual({ is: "empty" });
  expect(looseMounts(plan)).toContain("/work/state");
});

it("shows a root that is itself a hidden place", () => {
  expect(entries({ ...hidden("/work/project") })).toContain("/work/project write");
});

it("shows the folder that the shell starts in", () => {
  expect(entries({}).join()).not.toContain("sub");
  expect(entries({ cwd: "/tmp/there" })).toContain("/tmp/there read");
});

it("doesn't name what can't be read anyway", () => {
  const listed = entries({ readable: [{ path: "/usr" }, { path: "/bin", target: "usr/bin" }], ...hidden("/run") });
  expect(listed).toEqual(expect.arrayContaining(["/usr read", "/bin link"]));
  expect(listed.join()).not.toMatch(/\/run|^\/ /);
});

it("covers git's hooks in the roots, whatever a deeper place is", () => {
  const plan = planMounts(
    {
      ...plain,
      repositories: {
        pinned: ["/work/project/.git"],
        kept: ["/work/project/.git/hooks"],
        missing: [file("/work/project/.git/config.worktree"), folder("/work/project/a/.git")],
        limits: [],
      },
    },
    host,
  );
  expect(mountArguments(plan, { file: "/tmp/own/f", folder: "/tmp/own/d" }).join(" ")).toContain(
    [
      "--bind /work/project/.git /work/project/.git",
      "--ro-bind /work/project/.git/hooks /work/project/.git/hooks",
      "--ro-bind /tmp/own/f /work/project/.git/config.worktree",
      "--ro-bind /tmp/own/d /work/project/a/.git",
    ].join(" "),
  );
});

it("knows what of the host is to be seen", () => {
  const plan = planMounts({ ...plain, homes: [me], hidden: { system: ["/home"], named: [] } }, host);
  const seen = [
    "/etc/passwd",
    "/work/project/a",
    "/home/me/.nvm/x",
    "/home",
    "/home/other",
    "/home/me/x",
    "/tmp",
    "/tmp/own/a",
  ];
  expect(seen.map((path) => shows(plan, path))).toEqual([true, true, true, false, false, false, false, true]);
});
