import { joinBytes } from "@toolglot/internal";

/** Bytes are taken for text only when they are UTF-8 throughout. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the body of a request, or of a response, counted as it comes: a `Content-Length` may be missing or wrong. Undefined when it has more than
 * `maxBytes`; the rest is left unread. Rejects when the sender is gone before the end.
 */
export async function readBody(
  request: Pick<Request, "body" | "headers">,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined;
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(chunks);
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

/** Returns bytes as text; undefined when they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Checks whether a `Content-Type` is JSON in UTF-8. */
export function isJsonType(type: string | undefined): boolean {
  const [name = "", ...parameters] = (type ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  return name.trim() === "application/json" && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}
