// The public packages as tarballs, and what a stranger installs to use one of them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { publicPackages, run } from "./workspace.mjs";

/** @typedef {import("./workspace.mjs").Member} Member */

/** The optional peers of a package, as `name@range`. @param {Member} member */
export const optionalPeers = ({ manifest: { peerDependencies = {}, peerDependenciesMeta = {} } }) =>
  Object.entries(peerDependencies)
    .filter(([name]) => peerDependenciesMeta[name]?.optional)
    .map(([name, range]) => `${name}@${range}`);

/**
 * @param {string} scratch Where the tarballs go, unless TOOLGLOT_TARBALLS names a folder: the gates of one `npm test` share
 *   it, so that each package is packed once.
 * @param {{ isFresh?: boolean }} [options] `isFresh`: packs again what is there.
 */
export function createTarballs(scratch, { isFresh = false } = {}) {
  const folder = (isFresh ? undefined : process.env.TOOLGLOT_TARBALLS) ?? scratch;
  const packages = publicPackages();
  /** Package name -> tarball, of the packages that packed. @type {Map<string, string>} */
  const packed = new Map();

  /** Throws when the package isn't built or does not pack. @param {Member} member */
  async function pack({ path, folder: source, manifest }) {
    if (!existsSync(join(path, "dist"))) throw new Error(`${source}/dist is missing: npm run build first`);
    const tarball = join(folder, `${manifest.name.replace("@", "").replace("/", "-")}.tgz`);
    if (isFresh || !existsSync(tarball)) {
      const { code, output } = await run("pnpm", ["pack", "--out", tarball], { cwd: path });
      if (code !== 0) throw new Error(output);
    }
    packed.set(manifest.name, tarball);
    return tarball;
  }

  /** Our packages that one is made of, itself first: nothing else of ours may be needed. @param {Member} member @returns {Member[]} */
  function closure(member) {
    const below = Object.keys(member.manifest.dependencies ?? {})
      .map((name) => packages.find((candidate) => candidate.manifest.name === name))
      .flatMap((each) => (each ? closure(each) : []));
    return [...new Set([member, ...below])];
  }

  /** A package's own tarball and those it depends on. @param {Member} member @returns {string[]} */
  const tarballsFor = (member) =>
    closure(member).map(({ manifest }) => {
      const tarball = packed.get(manifest.name);
      if (tarball === undefined) throw new Error(`${manifest.name} did not pack`);
      return tarball;
    });

  /** What installs a package's optional peers: ours as tarballs. @param {Member} member @returns {string[]} */
  const peersFor = (member) =>
    optionalPeers(member).flatMap((peer) => {
      const ours = packages.find(({ manifest }) => peer.startsWith(`${manifest.name}@`));
      return ours ? tarballsFor(ours) : [peer];
    });

  return { packages, packed, pack, closure, tarballsFor, peersFor };
}
