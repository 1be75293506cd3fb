import { extname } from "node:path";

/** Signatures at the beginning of files; `_` stands for any byte. */
const signatures: readonly (readonly [hex: string, type: string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["474946383", "image/gif"],
  ["52494646________57454250", "image/webp"],
  ["52494646________57415645", "audio/wav"],
  ["424d", "image/bmp"],
  ["00000100", "image/x-icon"],
  ["255044462d", "application/pdf"],
  ["504b0304", "application/zip"],
  ["504b0506", "application/zip"],
  ["1f8b", "application/gzip"],
  ["425a68", "application/x-bzip2"],
  ["fd377a585a00", "application/x-xz"],
  ["28b52ffd", "application/zstd"],
  ["377abcaf271c", "application/x-7z-compressed"],
  ["7f454c46", "application/x-elf"],
  ["4d5a", "application/vnd.microsoft.portable-executable"],
  ["cafebabe", "application/java-vm"],
  ["cffaedfe", "application/x-mach-binary"],
  ["0061736d", "application/wasm"],
  ["53514c69746520666f726d6174203300", "application/vnd.sqlite3"],
  ["494433", "audio/mpeg"],
  ["4f676753", "application/ogg"],
  ["664c6143", "audio/flac"],
  ["________66747970", "video/mp4"],
  ["1a45dfa3", "video/webm"],
  ["774f4632", "font/woff2"],
  ["774f4646", "font/woff"],
  ["fffe0000", "text/plain; charset=utf-32le"],
  ["0000feff", "text/plain; charset=utf-32be"],
  ["fffe", "text/plain; charset=utf-16le"],
  ["feff", "text/plain; charset=utf-16be"],
];

/** For files without a signature. */
const extensions: Readonly<Record<string, string>> = {
  ".bin": "application/octet-stream",
  ".dylib": "application/x-mach-binary",
  ".mp3": "audio/mpeg",
  ".otf": "font/otf",
  ".parquet": "application/vnd.apache.parquet",
  ".pyc": "application/x-python-code",
  ".so": "application/x-sharedlib",
  ".tar": "application/x-tar",
  ".ttf": "font/ttf",
};

/** Returns what kind of file these first bytes are from: a guess by signature, else by the name's ending. */
export function mediaType(start: Uint8Array, name: string): string {
  const known = signatures.find(([pattern]) => fits(pattern, start));
  return known?.[1] ?? extensions[extname(name).toLowerCase()] ?? "application/octet-stream";
}

/** Returns the kind by a signature of four bytes or more; shorter ones may be the beginning of a text. */
export function mediaSignature(start: Uint8Array): string | undefined {
  return signatures.find(([pattern]) => pattern.length >= 8 && fits(pattern, start))?.[1];
}

function fits(pattern: string, start: Uint8Array): boolean {
  const hex = Buffer.from(start.subarray(0, 16)).toString("hex");
  return [...pattern].every((digit, at) => digit === "_" || digit === hex[at]);
}
