import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createAuthenticator } from "../../src/identity/authenticator.ts";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let others: Keys;
beforeAll(async () => {
  [keys, others] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
});

const issuer = "https://login.example";
const audience = "https://gate.example/mcp";

async function authenticator() {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "ES256" };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const auth = await createAuthenticator({ jwt: { issuer, audience, jwks, tenant: "acme" } });
  return { auth, server };
}

function token(claims: object, by: Keys = keys, change: (jwt: SignJWT) => SignJWT = (jwt) => jwt): Promise<string> {
  const jwt = new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "k1" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime("5m");
  return change(jwt).sign(by.privateKey);
}

describe("JSON Web Tokens", () => {
  it("let in who the issuer names", async () => {
    const { auth } = await authenticator();
    const who = await auth.authenticate(`Bearer ${await token({ sub: "ada", roles: ["approver", "can-delete"] })}`);
    expect(who?.principal).toEqual({ id: "ada", tenant: "acme", roles: ["approver", "can-delete"], canDelete: true });
    expect(auth.current(who as NonNullable<typeof who>)).toBe(who);
    const words = await auth.authenticate(`Bearer ${await token({ sub: "bob", roles: "approver metrics" })}`);
    expect(words?.principal.roles).toEqual(["approver", "metrics"]);
  });

  it("let nobody in that another signed, or for another audience, or too late, or without a name", async () => {
    const { auth } = await authenticator();
    const sub = "ada";
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(
      JSON.stringify({ sub, iss: issuer, aud: audience, exp: 9e9 }),
    ).toString("base64url")}.`;
    const bad = [
      await token({ sub }, others),
      await token({ sub }, keys, (jwt) => jwt.setAudience("https://other.example")),
      await token({ sub }, keys, (jwt) => jwt.setIssuer("https://other.example")),
      await token({ sub }, keys, (jwt) => jwt.setExpirationTime("-1m")),
      await token({}),
      await token({ sub: "" }),
      unsigned,
    ];
    for (const one of bad) expect(await auth.authenticate(`Bearer ${one}`)).toBeUndefined();
  });

  it("are no answer while the issuer's keys can't be had", async () => {
    const { auth, server } = await authenticator();
    await new Promise((resolve) => server.close(resolve));
    const late = auth.authenticate(`Bearer ${await token({ sub: "ada" })}`);
    await expect(late).rejects.toMatchObject({ code: "config/file" });
  });

  it("have their keys on https", async () => {
    const jwt = { issuer, audience, jwks: "http://login.example/keys" };
    await expect(createAuthenticator({ jwt })).rejects.toMatchObject({ code: "config/value" });
  });
});
