// The files of a program: /mnt/data in the engine's own file system, which can be written nowhere else.

/** Where a program's files are, and where it starts. */
const root = "/mnt/data";
/** Bytes of all files together; a session may have fewer. */
const maxFileBytes = 32 * 1024 * 1024;
/** Files and folders together: each costs memory of its own. */
const maxNodes = 10_000;
/** Bytes of content that go back to the host, of all files together. */
const maxSentBytes = 8 * 1024 * 1024;
/** Error numbers of the engine's C library. */
const EROFS = 69;
const ENOSPC = 51;
/** Flags of `open`: for writing, made when absent, cut. */
const writes = 1 | 2 | 64 | 512;

/**
 * Makes the folder, and lets nothing else be written, created, renamed, removed, changed or mounted: neither by a program, nor by
 * the engine's own code. @param {any} FS
 */
export function openFolder(FS) {
  FS.mkdirTree(root);
  FS.chdir(root);
  const folder = FS.lookupPath(root).node;
  const { ops_table: table, stream_ops: streams } = FS.filesystems.MEMFS;
  const Failure = FS.ErrnoError;
  let bytes = 0;
  let nodes = 0;
  let most = maxFileBytes;

  /** @param {any} node */
  const isInside = (node) => {
    for (let at = node; ; at = at.parent) {
      if (at === folder) return true;
      if (at === at.parent || at.parent === undefined) return false;
    }
  };
  /** @param {any[]} given */
  const demand = (...given) => {
    for (const node of given) if (!isInside(node)) throw new Failure(EROFS);
  };
  /** @param {any} node @param {number} size */
  const spend = (node, size) => {
    const more = size - node.usedBytes;
    if (more > 0 && bytes + more > most) throw new Failure(ENOSPC);
    bytes += more;
  };
  /** @param {any} parent */
  const add = (parent) => {
    demand(parent);
    if (nodes >= maxNodes) throw new Failure(ENOSPC);
    nodes++;
  };
  /** @param {any} parent @param {string} name */
  const drop = (parent, name) => {
    demand(parent);
    const used = parent.contents[name]?.usedBytes ?? 0;
    return () => {
      bytes -= used;
      nodes--;
    };
  };

  const { mknod, symlink, rename, unlink, rmdir, setattr } = table.dir.node;
  table.dir.node.mknod = (/** @type {any[]} */ ...given) => {
    add(given[0]);
    return mknod(...given);
  };
  table.dir.node.symlink = (/** @type {any[]} */ ...given) => {
    add(given[0]);
    return symlink(...given);
  };
  table.dir.node.rename = (/** @type {any} */ node, /** @type {any} */ to, /** @type {string} */ name) => {
    demand(node.parent, to);
    if (node === folder) throw new Failure(EROFS);
    const before = to.contents[name];
    rename(node, to, name);
    if (before === undefined || before === node) return;
    bytes -= before.usedBytes ?? 0;
    nodes--;
  };
  table.dir.node.unlink = (/** @type {any} */ parent, /** @type {string} */ name) => {
    const done = drop(parent, name);
    unlink(parent, name);
    done();
  };
  table.dir.node.rmdir = (/** @type {any} */ parent, /** @type {string} */ name) => {
    const done = drop(parent, name);
    rmdir(parent, name);
    done();
  };
  const change = (/** @type {any} */ node, /** @type {any} */ attributes) => {
    demand(node);
    if (attributes.size !== undefined) spend(node, attributes.size);
    setattr(node, attributes);
  };
  for (const kind of Object.values(table)) if (kind.node.setattr) kind.node.setattr = change;
  const write = streams.write;
  const limited = (/** @type {any[]} */ ...given) => {
    const [{ node }, , , length, position] = given;
    demand(node);
    spend(node, Math.max(node.usedBytes, position + length));
    return write(...given);
  };
  table.file.stream.write = limited;
  // What a shared mapping writes goes this way.
  streams.write = limited;
  const open = FS.open;
  FS.open = (/** @type {any} */ path, /** @type {any} */ flags, /** @type {any} */ mode) => {
    if (typeof flags === "number" && flags & writes && typeof path === "string") {
      const { node } = FS.lookupPath(path, { follow: true, noent_okay: true });
      if (node && FS.isFile(node.mode)) demand(node);
    }
    return open(path, flags, mode);
  };
  FS.mount = () => {
    throw new Failure(EROFS);
  };
  const giveBack = () => {
    bytes = 0;
    nodes = 0;
  };
  return new Folder(FS, folder, giveBack, (/** @type {number} */ allowed) => {
    most = Math.min(allowed, maxFileBytes);
  });
}

/** @typedef {{ path: string, bytes: number, data?: string }} Sent */
/** @typedef {{ folders: string[], files: { path: string, content: Uint8Array }[] }} Kept */

class Folder {
  /**
   * @param {any} FS @param {any} folder @param {() => void} giveBack All that files may take.
   * @param {(bytes: number) => void} limit
   */
  constructor(FS, folder, giveBack, limit) {
    this.FS = FS;
    this.folder = folder;
    this.giveBack = giveBack;
    this.limit = limit;
    /** What the host gave, by path. @type {Map<string, Buffer>} */
    this.given = new Map();
    this.fromBase64 = (/** @type {string} */ text) => Buffer.from(text, "base64");
    this.view = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @param {readonly { path: string, data: string }[]} files Paths under the folder, contents as base64. */
  put(files) {
    for (const { path, data } of files) {
      const bytes = this.fromBase64(data);
      const at = `${root}/${path}`;
      this.FS.mkdirTree(at.slice(0, at.lastIndexOf("/")));
      this.FS.writeFile(at, bytes);
      this.given.set(path, bytes);
    }
  }

  /** Where the program's clock stands still, its files are as old as it is. @param {number} at Milliseconds since 1970. */
  date(at) {
    const walk = (/** @type {any} */ node) => {
      Object.assign(node, { atime: at, mtime: at, ctime: at });
      if (this.FS.isDir(node.mode)) for (const child of Object.values(node.contents)) walk(child);
    };
    walk(this.folder);
  }

  /** The folder is empty again: it was set back. */
  forget() {
    this.given.clear();
    this.giveBack();
  }

  /** All that is in the folder, by path; a folder comes before what is in it. */
  #look() {
    /** @type {string[]} */
    const folders = [];
    /** @type {{ path: string, content: Buffer }[]} */
    const files = [];
    /** @param {any} node @param {string} before */
    const walk = (node, before) => {
      for (const [name, child] of Object.entries(node.contents)) {
        const path = before + name;
        if (this.FS.isDir(child.mode)) {
          folders.push(path);
          walk(child, `${path}/`);
        } else if (this.FS.isFile(child.mode)) {
          files.push({ path, content: this.view(child.contents.subarray(0, child.usedBytes)) });
        }
      }
    };
    walk(this.folder, "");
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { folders: folders.sort(), files };
  }

  /** The files that the program made or changed, by path. @returns {Sent[]} */
  collect() {
    let left = maxSentBytes;
    return this.#look()
      .files.filter(({ path, content }) => !this.given.get(path)?.equals(content))
      .map(({ path, content }) => {
        const bytes = content.length;
        if (bytes > left) return { path, bytes };
        left -= bytes;
        return { path, bytes, data: content.toString("base64") };
      });
  }

  /** A copy of all that is in the folder. @returns {Kept} */
  copy() {
    const { folders, files } = this.#look();
    return { folders, files: files.map(({ path, content }) => ({ path, content: new Uint8Array(content) })) };
  }

  /** Fills the folder, which is empty, as it was when this was copied. @param {Kept} kept */
  fill({ folders, files }) {
    for (const path of folders) this.FS.mkdirTree(`${root}/${path}`);
    for (const { path, content } of files) {
      this.FS.writeFile(`${root}/${path}`, content);
      this.given.set(path, this.view(content));
    }
  }
}
