/**
 * The gates as a load balancer sees them: any gate for any request; one that fails is left out from then on.
 */

export class Gates {
  readonly #random: () => number;
  #urls: readonly string[];

  /** `urls` are base URLs without a slash at the end; at least one. */
  constructor(urls: readonly string[], random: () => number) {
    this.#urls = urls;
    this.#random = random;
  }

  /** The gate for one request. */
  pick(): string {
    return this.#urls[Math.floor(this.#random() * this.#urls.length)] ?? "";
  }

  /** Leaves `url` out; false when there is no other to try. */
  failed(url: string): boolean {
    if (this.#urls.length === 1 && this.#urls[0] === url) return false;
    this.#urls = this.#urls.filter((each) => each !== url);
    return true;
  }
}
