import * as v from "valibot";
import { text } from "./schema-words.ts";
import { entrySchema } from "./server-entry.ts";
import { settingsSchema } from "./settings-schema.ts";

const servers = v.record(v.string(), entrySchema);

/** A configuration file as a whole: what `toolglot.schema.json` is made from, for editors. Files are read part by part. */
export const fileSchema: v.GenericSchema = v.strictObject({
  $schema: v.exactOptional(text),
  mcpServers: v.exactOptional(servers),
  servers: v.exactOptional(servers),
  inputs: v.exactOptional(v.array(v.looseObject({ id: text }))),
  gateway: v.exactOptional(settingsSchema),
});
