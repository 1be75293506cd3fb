/**
 * A receipt names a call to the caller who made it: the capability and the key of its operation. It holds nothing secret, and is of no
 * use to anybody else, since keys are each principal's own.
 */
export function receiptOf(capId: string, key: string): string {
  return `${capId}/${encodeURIComponent(key)}`;
}

/** Undefined for what is no receipt of a call that is kept. */
export function readReceipt(receipt: string): { capId: string; key: string } | undefined {
  const at = receipt.indexOf("/");
  if (at < 0) return undefined;
  try {
    return { capId: receipt.slice(0, at), key: decodeURIComponent(receipt.slice(at + 1)) };
  } catch {
    return undefined;
  }
}
