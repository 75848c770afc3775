/**
 * Rooms' own templates, parsed once and not for each page, within a bound of memory.
 *
 * Mustache's own cache keeps every template that the process ever saw: previews, and all versions of a page. Here the
 * least recently used one is dropped (LRU).
 */

import Mustache from "mustache";

/**
 * Characters of all templates kept: as many as all rooms of a mesh may have. Their parsed form takes a few times as
 * much.
 */
const CHARS_MAX = 16 * 1024 * 1024;

export class ParsedTemplates {
  readonly #charsMax: number;
  /** Least recently used first. */
  readonly #writers = new Map<string, InstanceType<typeof Mustache.Writer>>();
  #chars = 0;

  constructor(charsMax = CHARS_MAX) {
    this.#charsMax = charsMax;
  }

  /** How many templates are kept. */
  get size(): number {
    return this.#writers.size;
  }

  /** Renders `template` with `variables`. Throws what Mustache throws. */
  render(template: string, variables: Readonly<Record<string, unknown>>): string {
    // A writer keeps what it has parsed: here one template each.
    const writer = this.#writers.get(template) ?? new Mustache.Writer();
    const html = writer.render(template, variables);
    this.#keep(template, writer);
    return html;
  }

  #keep(template: string, writer: InstanceType<typeof Mustache.Writer>): void {
    if (this.#writers.delete(template)) this.#chars -= template.length;
    this.#writers.set(template, writer);
    this.#chars += template.length;
    for (const oldest of this.#writers.keys()) {
      if (this.#chars <= this.#charsMax) return;
      this.#writers.delete(oldest);
      this.#chars -= oldest.length;
    }
  }
}
