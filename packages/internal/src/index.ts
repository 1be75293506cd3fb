// What every package needs once. Private: each build takes in what it uses, so nobody installs this.
export { checkKeys, type KnownKeys } from "./check-keys.ts";
export { nearest } from "./nearest.ts";
