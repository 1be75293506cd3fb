export { readStoreAddress, type StoreAddress, type StoreAddressProblem, shownStore } from "./address.ts";
export { acceptStore, migrateStore, type OpenStoreOptions, openStore, type StoreMigration } from "./open-store.ts";
