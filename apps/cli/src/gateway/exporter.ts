import type { LogLine } from "@toolglot/gateway";
import { errorText, settleWithin } from "@toolglot/internal";
import type { Host } from "../host.ts";
import type { GatewayWords } from "../words/gateway-en.ts";

/** How long the last spans may take to be sent. Milliseconds. */
const flushMs = 5_000;

/**
 * Starts what sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT`, when that is set and nothing else sends them. Says so when it is not
 * installed. Resolves with what sends the rest and ends it. Never rejects.
 */
export async function startExporter(
  { env }: Host,
  say: GatewayWords["tracing"],
  log: (line: LogLine) => void,
): Promise<() => Promise<void>> {
  const none = async (): Promise<void> => {};
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return none;
  const warn = (message: string): void => log({ level: "warn", message });
  try {
    const { isTraced } = await import("@toolglot/internal/otel");
    // The owner's own, as by `node --import`.
    if (isTraced()) return none;
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    const { env: own } = process;
    own.OTEL_SERVICE_NAME ??= /service\.name=(\w[^,]*)/.exec(own.OTEL_RESOURCE_ATTRIBUTES ?? "")?.[1] ?? "toolglot";
    // The others tell the command line and the user of the process: principals, paths.
    own.OTEL_NODE_RESOURCE_DETECTORS ??= "env";
    const sdk = new NodeSDK();
    sdk.start();
    // The SDK registers with its own copy of the API, which another one finds unless it is newer.
    if (!isTraced() && own.OTEL_SDK_DISABLED !== "true") warn(say.unfound);
    return async () => {
      const ended = sdk.shutdown().catch((error: unknown) => warn(say.unsent(errorText(error))));
      await settleWithin(ended, { ms: flushMs });
      // An SDK that has ended stays registered, and nobody else could be.
      const { context, metrics, propagation, trace } = await import("@opentelemetry/api");
      for (const api of [context, metrics, propagation, trace]) api.disable();
    };
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
    warn(isMissing ? say.missing : say.failed(errorText(error)));
    return none;
  }
}
