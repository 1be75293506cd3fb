import { executorContext } from "@toolglot/core/executing";
import { maskingExecutor, openSecrets } from "@toolglot/secrets";
import { PlaceholderFiller, valuesOf } from "@toolglot/secrets/executing";

export async function consume(): Promise<string> {
  const secrets = await openSecrets();
  await secrets.set("TOKEN", "a-value-of-mine");
  const filler = new PlaceholderFiller(valuesOf(secrets));
  const executor = maskingExecutor(
    {
      handles: () => true,
      async execute() {
        const input = { header: "Bearer $KARYI{TOKEN}" };
        const { header } = filler.fill(input, await filler.values(await filler.names(input)));
        const text = `${header} ${Buffer.from(`me:${header.slice(7)}`).toString("base64")}`;
        return [{ callId: "1", name: "send", status: "ok", content: [{ type: "text", text }] }];
      },
    },
    secrets,
  );
  const action = { kind: "calls" as const, calls: [], span: { start: 0, end: 0 } };
  const [result] = await executor.execute(action, executorContext());
  const [block] = result?.content ?? [];
  return block?.type === "text" ? block.text : "no text";
}

export const expected = "Bearer ‹TOKEN› bWU6‹TOKEN›";
