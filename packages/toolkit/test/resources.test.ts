import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataResolver, type Resource, type ResourceResolver } from "../src/index.ts";
import { famResolver, fileResolver } from "../src/node/index.ts";

const context = { signal: new AbortController().signal };
const read = (resolver: ResourceResolver, uri: string): Promise<Resource> => Promise.resolve(resolver(uri, context));

/** What a model is told. */
async function refusal(resolver: ResourceResolver, uri: string): Promise<string> {
  try {
    await (await read(resolver, uri)).bytes();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${uri} was read`);
}

describe("data:", () => {
  it.each<[string, string, number[]]>([
    ["data:,a%20b", "text/plain", [97, 32, 98]],
    ["data:;charset=utf-8,%C3%A9é", "text/plain", [195, 169, 195, 169]],
    ["data:image/png,%89PNG", "image/png", [0x89, 80, 78, 71]],
    ["DATA:image/png;base64,iVBO", "image/png", [0x89, 0x50, 0x4e]],
    ["data:;BASE64,_-8%3D", "text/plain", [0xff, 0xef]],
    ["data:application/json;charset=x;base64, e30 =", "application/json", [123, 125]],
    ["data:,", "text/plain", []],
    ["data:text/plain,a,b", "text/plain", [97, 44, 98]],
  ])("should read %s", async (uri, mediaType, bytes) => {
    const resource = await read(dataResolver, uri);
    expect([resource.uri, resource.mediaType]).toEqual([uri, mediaType]);
    expect([...(await resource.bytes())]).toEqual(bytes);
  });

  it.each(["data:", "data:text/plain", "data:,%", "data:,%zz", "data:;base64,*", "data:;base64,a"])(
    "should refuse %s",
    async (uri) => {
      expect(await refusal((asked, given) => dataResolver(asked, given), uri)).toMatch(/no valid data: URI/);
    },
  );
});

describe("files", () => {
  let base = "";
  let root = "";
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "toolkit-resources-"));
    root = join(base, "root");
    await mkdir(join(root, "sub"), { recursive: true });
    await mkdir(join(base, "root-beside"));
    await mkdir(join(base, "outside"));
    await writeFile(join(root, "a b.json"), "{}");
    await writeFile(join(root, "sub/long.txt"), "x".repeat(200_000));
    await writeFile(join(base, "outside/secret"), "secret");
    await writeFile(join(base, "root-beside/near"), "near");
    await symlink(join(base, "outside"), join(root, "way-out"));
    await symlink(join(base, "outside/secret"), join(root, "link"));
    await symlink(join(base, "outside/none"), join(root, "to-nowhere"));
    await symlink("loop", join(root, "loop"));
    await symlink(join(root, "sub"), join(root, "within"));
    await symlink(root, join(base, "root-link"));
  });
  afterAll(() => rm(base, { recursive: true }));

  const fam = (maxBytes?: number): ResourceResolver =>
    famResolver({ r: root }, maxBytes === undefined ? {} : { maxBytes });

  it("should read what lies below a root, links within it too, by either scheme", async () => {
    const first = await read(fam(), "fam://r/a%20b.json");
    expect([first.mediaType, new TextDecoder().decode(await first.bytes())]).toEqual(["application/json", "{}"]);
    for (const uri of ["fam://r/sub/long.txt", "FAM://r/within/long.txt", "fam://r/x/../sub/./long.txt"]) {
      expect((await (await read(fam(), uri)).bytes()).length).toBe(200_000);
    }
    const viaLink = famResolver({ r: join(base, "root-link") });
    expect((await (await read(viaLink, "fam://r/sub/long.txt")).bytes()).length).toBe(200_000);
    const file = fileResolver([join(base, "none"), root]);
    expect((await (await read(file, pathToFileURL(join(root, "a b.json")).href)).bytes()).length).toBe(2);
  });

  it.each([
    "../outside/secret",
    "..%2Foutside%2Fsecret",
    "%2e%2e/outside/secret",
    "sub/../../outside/secret",
    "../root-beside/near",
    "way-out/secret",
    "link",
    "loop",
  ])("should refuse %s", async (path) => {
    expect(await refusal(fam(), `fam://r/${path}`)).toMatch(/outside the allowed folders\.$/);
  });

  it("should not tell what is there outside, nor where a link leads", async () => {
    const say = async (path: string): Promise<string> => (await refusal(fam(), `fam://r/${path}`)).replace(path, "…");
    const outside = await say("../outside/secret");
    for (const path of ["../outside/none", "../none/none", "way-out/secret", "way-out/none", "link", "to-nowhere"]) {
      expect(await say(path)).toBe(outside);
    }
    expect(await say("none")).toMatch(/there is no such file/);
    expect(await say("sub/none/none")).toMatch(/there is no such file/);
    const gone = famResolver({ r: join(base, "gone") });
    expect(await refusal(gone, "fam://r/x")).not.toContain(base);
  });

  it("should refuse what is no file, no path, or too long", async () => {
    expect(await refusal(fam(), "fam://r/sub")).toMatch(/no file/);
    expect(await refusal(fam(), "fam://r")).toMatch(/no file/);
    expect(await refusal(fam(), "fam://r/a%00b")).toMatch(/path is not valid/);
    expect(await refusal(fam(), "fam://r//etc/passwd")).toMatch(/path is not valid/);
    expect(await refusal(fam(), "fam://r/%zz")).toMatch(/path is not valid/);
    expect(await refusal(fam(), "fam://r/a?b")).toMatch(/form fam:/);
    expect(await refusal(fam(), "fam:r/a")).toMatch(/form fam:/);
    expect(await refusal(fam(), "fam://__proto__/a")).toMatch(/there are r/);
    expect(await refusal(fileResolver([root]), "file://host/a")).toMatch(/no file URI|outside/);
    expect(await refusal(fileResolver([root]), "file:///%2e%2e/etc/passwd")).toMatch(/outside/);
    expect(await refusal(fam(199_999), "fam://r/sub/long.txt")).toMatch(/longer than 199999 bytes/);
    expect((await (await read(fam(200_000), "fam://r/sub/long.txt")).bytes()).length).toBe(200_000);
  });

  it.runIf(process.platform === "linux")("should not wait for a pipe, nor read without an end", async () => {
    await promisify(execFile)("mkfifo", [join(root, "pipe")]);
    expect(await refusal(fam(), "fam://r/pipe")).toMatch(/no file/);
    const devices = famResolver({ dev: "/dev", proc: "/proc" }, { maxBytes: 1000 });
    expect(await refusal(devices, "fam://dev/zero")).toMatch(/no file/);
    // Files of /proc say that they are empty.
    expect((await (await read(devices, "fam://proc/version")).bytes()).length).toBeGreaterThan(5);
    expect(await refusal(devices, "fam://proc/cpuinfo")).toMatch(/longer than 1000 bytes/);
  });

  it("should never read outside while a folder is changed for a link under its feet", async () => {
    const swing = join(root, "swing");
    await mkdir(swing);
    await writeFile(join(swing, "secret"), "decoy");
    await symlink(join(base, "outside"), join(root, "other"));
    let stop = false;
    const swinging = (async () => {
      while (!stop) {
        await rename(swing, join(root, "away"));
        await rename(join(root, "other"), swing);
        await rename(swing, join(root, "other"));
        await rename(join(root, "away"), swing);
      }
    })();
    const seen = new Set<string>();
    for (let turn = 0; turn < 300; turn++) {
      try {
        seen.add(new TextDecoder().decode(await (await read(fam(), "fam://r/swing/secret")).bytes()));
      } catch {
        // Refused.
      }
    }
    stop = true;
    await swinging;
    expect([...seen].filter((text) => text !== "decoy")).toEqual([]);
  });
});
