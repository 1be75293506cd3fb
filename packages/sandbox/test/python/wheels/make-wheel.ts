import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

/** A ZIP archive, as wheels are. */
function zip(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as string);
    const packed = deflateRawSync(bytes);
    // Version, flags, method, time, date, CRC, packed, unpacked, name, more.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(33, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    common.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    list.push(entry, Buffer.from(name));
    const local = [Buffer.from([0x50, 0x4b, 3, 4]), common, Buffer.from(name), packed];
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** Writes a wheel into `dir` and gives its path. `tags`: the end of its name. `needs`: its Requires-Dist lines. */
export function makeWheel(
  dir: string,
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  { tags = "py3-none-any", needs = [] }: { tags?: string; needs?: readonly string[] } = {},
): string {
  const path = join(dir, `${name}-1.0-${tags}.whl`);
  const lines = ["Metadata-Version: 2.1", `Name: ${name}`, "Version: 1.0"];
  const metadata = [...lines, ...needs.map((need) => `Requires-Dist: ${need}`), "", "Requires-Dist: words\n"].join(
    "\n",
  );
  writeFileSync(path, zip({ ...files, [`${name}-1.0.dist-info/METADATA`]: metadata }));
  return path;
}
