/** For stacks with calls and results of their own: how they talk to a model in a protocol that is text. */
export { createBridge } from "./bridge/create-bridge.ts";
export type {
  Bridge,
  BridgeAnswer,
  BridgeEvent,
  BridgeMessage,
  BridgeOptions,
  BridgeReader,
  BridgeReaderOptions,
  EncodedMessage,
  RefusalPart,
} from "./bridge/types.ts";
