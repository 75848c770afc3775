/** A real identity provider on loopback (oidc-provider), and a browser that logs in there. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { CookieJar } from "../../../../cmd/crowd/cookie-jar.ts";

export const CLIENT = { client_id: "anteroom", client_secret: "a-secret-of-the-client" };

/** By login: the groups of people that it knows. */
const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  alice: ["staff", "box-office"],
  bob: ["staff", "admins", "box-office"],
  mallory: ["staff"],
  dora: ["staff", "doormen"],
};

export interface IdentityProvider {
  readonly issuer: string;
  close(): void;
}

/** One that sends its people back to `redirect`. */
export async function identityProvider(redirect: string): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirect], grant_types: ["authorization_code"], response_types: ["code"] }],
    claims: { openid: ["sub"], email: ["email"], profile: ["preferred_username", "groups"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["of the test"] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, preferred_username: id, groups: [...(PEOPLE[id] ?? [])] }),
    }),
  });
  server.on("request", provider.callback());
  return { issuer, close: () => closed(server) };
}

function closed(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** Logs in at the provider as `login`, from the URL to which anteroom has sent the browser; where it is sent at last. */
export async function logInAt(start: string, login: string): Promise<string> {
  const jar = new CookieJar();
  const { origin } = new URL(start);
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = jar.field(new URL(url).pathname, Date.now());
    const answer = await fetch(url, { redirect: "manual", ...init, headers: { ...(cookie && { cookie }) } });
    jar.keep(answer.headers.getSetCookie(), Date.now());
    return answer;
  };
  let answer = await ask(start);
  for (let step = 0; step < 20; step++) {
    const to = answer.headers.get("location");
    if (to !== null) {
      const url = new URL(to, origin).href;
      if (!url.startsWith(origin)) return url;
      answer = await ask(url);
      continue;
    }
    const page = await answer.text();
    const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    const prompt = page.includes('name="login"') ? { prompt: "login", login, password: "any" } : { prompt: "consent" };
    answer = await ask(new URL(action, origin).href, { method: "POST", body: new URLSearchParams(prompt) });
  }
  throw new Error(`the provider has not sent the browser back: ${answer.status}`);
}
