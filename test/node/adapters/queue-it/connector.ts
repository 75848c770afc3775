/**
 * A site behind the published connector of Queue-it, as in its documentation: it counts who is inside by the connector.
 */

import { createHmac } from "node:crypto";
import { type IConnectorContextProvider, KnownUser } from "@queue-it/connector-javascript";

export const CUSTOMER = "acme";
export const SECRET = "a-secret-that-both-sides-have-0123456789";

/** What the site does with a request. */
export type SiteAnswer =
  | { readonly kind: "page"; readonly queueId: string | undefined }
  /** To the queue, or to the address without a token. */
  | { readonly kind: "redirect"; readonly location: string };

/** A browser's cookies at the site. */
export type Jar = Map<string, string>;

export class ConnectorSite {
  readonly #secret: string;
  readonly #config: () => string;
  readonly #address: string;

  constructor(config: () => string, { secret = SECRET, address = "198.51.100.9" } = {}) {
    this.#config = config;
    this.#secret = secret;
    this.#address = address;
  }

  async visit(url: string, jar: Jar, headers: Readonly<Record<string, string>> = {}): Promise<SiteAnswer> {
    const token = new URL(url).searchParams.get("queueittoken") ?? "";
    const pure = url.replace(/([?&])queueittoken=[^&#]*/i, "").replace(/\?$/, "");
    const context = this.#context(url, jar, headers);
    const result = await KnownUser.validateRequestByIntegrationConfig(
      ...([pure, token, this.#config(), CUSTOMER, this.#secret, context, ""] as const),
    );
    if (result.doRedirect()) return { kind: "redirect", location: result.redirectUrl };
    if (token !== "" && result.actionType === "Queue") return { kind: "redirect", location: pure };
    return { kind: "page", queueId: result.queueId ?? undefined };
  }

  #context(url: string, jar: Jar, headers: Readonly<Record<string, string>>): IConnectorContextProvider {
    return {
      getHttpRequest: () => ({
        getUserAgent: () => "browser",
        getHeader: (name) => headers[name.toLowerCase()] ?? "",
        getAbsoluteUri: () => url,
        getUserHostAddress: () => this.#address,
        getCookieValue: (name) => jar.get(name),
        getRequestBodyAsString: () => "",
      }),
      getHttpResponse: () => ({
        setCookie: (name, value, _domain, expiration) => {
          if (value === "" || expiration === 0) jar.delete(name);
          else jar.set(name, value);
        },
      }),
      getCryptoProvider: () => ({
        getSha256Hash: (secret, text) => createHmac("sha256", secret).update(text).digest("hex"),
      }),
      getEnqueueTokenProvider: () => null,
    };
  }
}
