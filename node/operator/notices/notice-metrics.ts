/** Metrics of webhooks. */

import type { MetricFamilies } from "../metrics/metric-family.ts";
import type { DeliveryCounts } from "../webhooks/deliveries.ts";

/** What is counted. */
export interface NoticeFigures {
  readonly sender: {
    readonly figures: readonly {
      readonly webhook: { readonly name: string; readonly id: string };
      readonly counts: DeliveryCounts;
    }[];
  };
}

export function noticeMetrics(families: MetricFamilies, { sender }: NoticeFigures): void {
  const labels = ["webhook", "id"] as const;
  const each =
    (field: keyof DeliveryCounts) => (put: (of: Record<"webhook" | "id", string>, value: number) => void) => {
      for (const { webhook, counts } of sender.figures) put({ webhook: webhook.name, id: webhook.id }, counts[field]);
    };
  for (const [name, help, field] of [
    ["webhook_delivered_total", "Notices that this node delivered to a webhook.", "delivered"],
    ["webhook_failed_attempts_total", "Attempts of this node that a receiver did not take.", "failed"],
    ["webhook_dead_letters_total", "Notices that this node gave up for a webhook.", "dead"],
  ] as const)
    families.counter(name, { help, labels }, each(field));
  families.gauges("webhook_waiting", { help: "Notices that wait for a webhook here.", labels }, each("waiting"));
}
