import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
  type Transport,
} from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";

/** Parameters of a call of a tool. */
interface CallParams {
  name: string;
  arguments?: Record<string, unknown>;
}

type Sent = [request: { method: string }, schema: StandardSchemaV1, options: RequestOptions];
type Extra = Parameters<NonNullable<Transport["onmessage"]>>[1];

/**
 * Has calls of tools answered beside the official server of a session, which reads each call and each answer many times by its schemas:
 * that takes longer than all else that happens to a call. What it would refuse, and everything else, is left to it. `answer` resolves with
 * the result, which goes out as it is; it may reject with `ProtocolError`.
 */
export function answerBeside(
  server: Server,
  answer: (params: CallParams, context: ServerContext) => Promise<object>,
): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    await connect(transport);
    const running = new Map<string | number, AbortController>();
    const { onmessage, onclose } = transport;
    const begin = async (request: JSONRPCRequest & { params: CallParams }, extra: Extra): Promise<void> => {
      const { id, params } = request;
      const ending = new AbortController();
      running.set(id, ending);
      let end: object;
      try {
        end = { result: await answer(params, contextOf(server, transport, request, ending.signal, extra)) };
      } catch (error) {
        end = { error: errorOf(error) };
      }
      if (running.get(id) === ending) running.delete(id);
      if (!ending.signal.aborted) await send({ jsonrpc: "2.0", id, ...end } as JSONRPCMessage);
    };
    transport.onmessage = (message, extra) => {
      if (isCall(message) && extra?.classification === undefined) {
        begin(message, extra).catch((error: Error) => server.onerror?.(error));
        return;
      }
      if ("method" in message && message.method === "notifications/cancelled") {
        const { requestId, reason } = message.params ?? {};
        running.get(requestId as string | number)?.abort(reason);
      }
      onmessage?.(message, extra);
    };
    transport.onclose = () => {
      const gone = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
      for (const ending of running.values()) ending.abort(gone);
      onclose?.();
    };
  };
}

function isCall(message: JSONRPCMessage): message is JSONRPCRequest & { params: CallParams } {
  if (!("method" in message) || message.method !== "tools/call" || !("id" in message)) return false;
  const { name, arguments: args, _meta } = (message.params ?? {}) as Record<string, unknown>;
  return typeof name === "string" && [args, _meta].every((value) => value === undefined || isObject(value));
}

/** As the official server makes it, as far as calls need it. */
function contextOf(
  server: Server,
  { sessionId }: Transport,
  { id, method, params }: JSONRPCRequest,
  signal: AbortSignal,
  extra: Extra,
): ServerContext {
  const related = { relatedRequestId: id };
  const mcpReq = {
    ...{ id, method, _meta: params?._meta, signal },
    requestState: () => undefined,
    notify: (notification: Parameters<Server["notification"]>[0]) => server.notification(notification, related),
    send: (request: Sent[0], schema: Sent[1], options: Sent[2]) =>
      server.request(request, schema, { ...options, ...related }),
  };
  const { authInfo, request: req } = extra ?? {};
  return { sessionId, mcpReq, http: { authInfo, req } } as unknown as ServerContext;
}

/** What the official server answers in place of an error that is thrown. */
function errorOf(error: unknown): object {
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown };
  return {
    code: Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError,
    message: message ?? "Internal error",
    ...(data !== undefined && { data }),
  };
}
