/** A scripted visitor: a cookie jar, and the places in line that it was shown. */

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What a waiting answer says of the visitor's place; undefined once inside. */
  readonly position: number | undefined;
}

export class Visitor {
  readonly name: string;
  readonly #gate: string;
  readonly #jar = new Map<string, string>();
  /** Every position shown so far. */
  readonly positions: number[] = [];

  constructor(gate: string, name: string) {
    this.#gate = gate;
    this.name = name;
  }

  /** The jar, as a Cookie field. */
  get cookie(): string {
    return [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** The same visitor at another address of the gate: a node that was started again. */
  at(gate: string): Visitor {
    const moved = new Visitor(gate, this.name);
    for (const [name, value] of this.#jar) moved.#jar.set(name, value);
    moved.positions.push(...this.positions);
    return moved;
  }

  get(path = "/", headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.#send("GET", path, headers);
  }

  post(path: string, headers: Readonly<Record<string, string>> = {}, body = ""): Promise<Seen> {
    return this.#send("POST", path, headers, body);
  }

  async #send(method: string, path: string, headers: Readonly<Record<string, string>>, body = ""): Promise<Seen> {
    const response = await fetch(this.#gate + path, {
      method,
      ...(body !== "" && { body }),
      headers: {
        accept: "application/json",
        "x-visitor": this.name,
        ...(this.#jar.size > 0 && { cookie: this.cookie }),
        ...headers,
      },
      redirect: "manual",
    });
    this.#keep(response.headers.getSetCookie());
    const text = await response.text();
    const place = text.startsWith('{"cfWaitingRoom"') ? JSON.parse(text).anteroom : undefined;
    if (place !== undefined) this.positions.push(place.position);
    return { status: response.status, headers: response.headers, text, position: place?.position };
  }

  #keep(setCookies: readonly string[]): void {
    for (const setCookie of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
      if (/Max-Age=0;/.test(setCookie)) this.#jar.delete(name);
      else this.#jar.set(name, value);
    }
  }
}
