import { fileStore } from "../../src/store/file-store.ts";

// Keeps values one after another, and says so after each: `{ path, names, value, forever }`.
const { path, names, value, forever } = JSON.parse(process.argv[2] ?? "{}") as {
  path: string;
  names: string[];
  value: string;
  forever?: boolean;
};
const store = fileStore({ path, passphrase: async () => "correct horse" });
do {
  for (const name of names) {
    await store.set(name, "*", { value: `${value} of ${name}` });
    console.log(`kept ${name}`);
  }
} while (forever);
