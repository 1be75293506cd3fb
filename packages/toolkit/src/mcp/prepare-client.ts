import type { Client, ClientOptions, JsonSchemaValidator } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import { withoutMeta } from "./exact.ts";
import { maxPages } from "./listing.ts";
import type { ClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import type { Questions } from "./questions.ts";
import { tasksExtension } from "./task-result.ts";

/**
 * An answer is taken as it came, also when it doesn't fit the tool's `outputSchema`. The client's own engine would run the
 * server's patterns on it, and one like `^(a+)+$` holds up the process.
 */
const noCheck = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

/** Events of a connection besides answers. */
export interface ConnectionEvents {
  onToolsChanged(): void;
  onNotification(method: string, params: JsonObject): void;
  /** The server, or what is between, has ended the session. */
  onEnded(): void;
  onError(error: Error): void;
}

/** Option of the official client for the revisions to offer. */
export type RevisionOptions = Pick<ClientOptions, "versionNegotiation" | "supportedProtocolVersions">;

/**
 * What the official client reports and is no fault: progress that came together with its answer, which the delivery has already; and a server's
 * answer about revisions that came when it was too late, as of each one that takes its time to start.
 */
const noFault =
  /^Received (?:a progress notification for an unknown token|a response for an unknown message ID: .*"server-discover-probe-)/;

/** Setting of the official client for a list that is read again by whoever wants it. */
const watched = (onChanged: () => void) => ({ onChanged, autoRefresh: false, debounceMs: 0 });

/** Returns a client of the official package, ready to connect. */
export function prepareClient(
  sdk: ClientModule,
  options: McpClientOptions,
  revision: RevisionOptions,
  questions: Questions,
  events: ConnectionEvents & { onClose(): void },
): Client {
  const { clientOptions = {}, onLog } = options;
  const client = new sdk.Client(
    { name: "toolglot", version: "1.0.0" },
    {
      jsonSchemaValidator: noCheck,
      listMaxPages: maxPages,
      ...revision,
      ...clientOptions,
      capabilities: {
        ...clientOptions.capabilities,
        ...questions.capabilities,
        ...(options.tasks && { extensions: { ...clientOptions.capabilities?.extensions, [tasksExtension]: {} } }),
      },
      listChanged: {
        tools: watched(() => events.onToolsChanged()),
        resources: watched(() => events.onNotification("notifications/resources/list_changed", {})),
        prompts: watched(() => events.onNotification("notifications/prompts/list_changed", {})),
      },
    },
  );
  questions.listen(client);
  options.prepareClient?.(client);
  const { onclose, onerror } = client;
  client.onclose = () => {
    events.onClose();
    onclose?.();
  };
  client.onerror = (error) => {
    onerror?.(error);
    if (!noFault.test(error.message)) events.onError(error);
  };
  client.fallbackNotificationHandler = async ({ method, params }) => {
    events.onNotification(method, withoutMeta((params ?? {}) as JsonObject, sdk.SUBSCRIPTION_ID_META_KEY));
  };
  // Servers may send this without having announced it.
  client.setNotificationHandler("notifications/tools/list_changed", () => events.onToolsChanged());
  if (onLog !== undefined) {
    client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
      onLog({ level, data, ...(logger !== undefined && { logger }) });
    });
  }
  return client;
}
