// The memory of a session beside that of the image: pages that differ.
import { createHash } from "node:crypto";

const pageBytes = 4096;

// Taken before the first program, as in python/image.node.mjs.
const { call } = Function.prototype;
const { compare } = Buffer;
const copy = call.bind(Uint8Array.prototype.set);
const part = call.bind(Uint8Array.prototype.subarray);
const Bytes = Uint8Array;
const blank = new Bytes(pageBytes);

/** @param {Uint8Array} bytes */
export function digest(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The pages that are not as in the image, by their numbers; memory behind the image was zero.
 * @param {Uint8Array} image @param {Uint8Array} now
 */
export function changedPages(image, now) {
  const numbers = [];
  for (let at = 0; at < now.length; at += pageBytes) {
    const before = at < image.length ? part(image, at, at + pageBytes) : blank;
    if (compare(part(now, at, at + pageBytes), before) !== 0) numbers[numbers.length] = at / pageBytes;
  }
  const pages = new Bytes(numbers.length * pageBytes);
  for (let index = 0; index < numbers.length; index++) {
    const at = numbers[index] * pageBytes;
    copy(pages, part(now, at, at + pageBytes), index * pageBytes);
  }
  return { numbers, pages };
}

/** @param {Uint8Array} now @param {readonly number[]} numbers @param {Uint8Array} pages */
export function putPages(now, numbers, pages) {
  for (let index = 0; index < numbers.length; index++) {
    copy(now, part(pages, index * pageBytes, (index + 1) * pageBytes), numbers[index] * pageBytes);
  }
}
