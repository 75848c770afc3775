/** A collector of traces that notes what it gets. */

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number };
}

export interface Exported {
  readonly path: string;
  readonly type: string | null;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly OtlpSpan[];
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** `answer` makes the collector's answers; the caller stops the server. */
export function startCollector(
  answer: () => Response | Promise<Response> = () => Response.json({}),
  hostname = "127.0.0.1",
) {
  const exports: Exported[] = [];
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch: async (request) => {
      const { resourceSpans } = (await request.json()) as Body;
      for (const { resource, scopeSpans } of resourceSpans)
        exports.push({
          path: new URL(request.url).pathname,
          type: request.headers.get("content-type"),
          resource: valuesOf(resource.attributes),
          spans: scopeSpans.flatMap(({ spans }) => spans),
        });
      return answer();
    },
  });
  return { exports, url: `http://${hostname}:${server.port}`, stop: () => server.stop(true) };
}

/** Attributes by name. */
export function valuesOf(attributes: OtlpSpan["attributes"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
