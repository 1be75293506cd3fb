/**
 * The same text in one piece. Engines join texts only when they must, and one that is kept would keep all the pieces it
 * was put together from; looking at it with a pattern makes them join it.
 */
export function flat(text: string): string {
  anything.test(text);
  return text;
}

const anything = /^./;
