/**
 * Returns the same response; `onEnd` is called once, when its stream has ended or the client has gone. `change`: what becomes of each piece of
 * the stream.
 */
export function trackedResponse(
  response: Response,
  onEnd: () => void,
  change: (piece: Uint8Array) => Uint8Array = (piece) => piece,
): Response {
  const { body, status, statusText, headers } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (body === null || !isStream) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) onEnd();
    hasEnded = true;
  };
  const tracked = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(change(value));
          return;
        }
        // A client that is gone has closed it.
        if (!hasEnded) controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(tracked, { status, statusText, headers });
}

/** Returns a JSON-RPC error as the answer to a request over HTTP. */
export function errorResponse(
  status: number,
  error: { code: number; message: string; data?: unknown },
  { id = null, headers = {} }: { id?: unknown; headers?: Record<string, string> } = {},
): Response {
  const { code, message, data } = error;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status, headers });
}
