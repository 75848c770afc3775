/** Metrics of watchers and webhooks. */

import type { MetricFamilies } from "../metrics/metric-family.ts";
import type { SenderFigures } from "../webhooks/webhook-sender.ts";

/** What is counted. */
export interface NoticeFigures {
  readonly watchers: { readonly count: number; readonly dropped: number };
  readonly sender: { readonly figures: readonly SenderFigures[] };
}

export function noticeMetrics(families: MetricFamilies, { watchers, sender }: NoticeFigures): void {
  families.gauge("watchers", "Watchers of the admin API's stream of events here.", () => watchers.count);
  families.counter("watchers_dropped_total", { help: "Watchers that read too slowly.", labels: [] }, (add) =>
    add({}, watchers.dropped),
  );
  const labels = ["webhook", "id"] as const;
  for (const [name, help, read] of [
    [
      "webhook_delivered_total",
      "Notices that this node delivered to a webhook.",
      ({ delivered }: SenderFigures) => delivered,
    ],
    [
      "webhook_failed_attempts_total",
      "Attempts of this node that a receiver did not take.",
      ({ failed }: SenderFigures) => failed,
    ],
    ["webhook_dead_letters_total", "Notices that this node gave up for a webhook.", ({ dead }: SenderFigures) => dead],
  ] as const) {
    families.counter(name, { help, labels }, (add) => {
      for (const figures of sender.figures) add({ webhook: figures.name, id: figures.id }, read(figures));
    });
  }
  families.gauges(
    "webhook_waiting",
    { help: "Notices that wait for a webhook, at the node that sends.", labels },
    (set) => {
      for (const { name, id, waiting } of sender.figures)
        if (waiting !== undefined) set({ webhook: name, id }, waiting);
    },
  );
}
