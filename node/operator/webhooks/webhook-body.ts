/** A notice in the form that its receiver reads: our own, or a message in a channel of Slack or of Teams. */

import { NOTICE_TYPES, type NoticeDocument, type NoticeType, TEST_TYPE } from "../notices/notice.ts";

/** Incoming webhooks of Slack, and of Teams by its workflow for them. */
export const WEBHOOK_FORMATS = ["json", "slack", "teams"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The body of a POST, as JSON. */
export function webhookBody(notice: NoticeDocument, format: WebhookFormat): string {
  return JSON.stringify(BODIES[format](notice));
}

const BODIES: Readonly<Record<WebhookFormat, (notice: NoticeDocument) => object>> = {
  json: (notice) => notice,
  // Slack's text has links, mentions and the like between < and > only.
  slack: (notice) => ({
    text: inWords(notice).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  }),
  teams: (notice) => {
    // An adaptive card reads Markdown.
    const text = inWords(notice).replace(/[\\`*_[\]<>#]/g, String.raw`\$&`);
    const content = { type: "AdaptiveCard", version: "1.4", body: [{ type: "TextBlock", text, wrap: true }] };
    return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
  },
};

/** One line for people: what it is about, what happened, and the figures. */
function inWords({ type, room, node: reporter, data }: NoticeDocument): string {
  const { node = reporter, name = node, ...figures } = data;
  const about = room === null ? `node ${name}` : `room ${room}`;
  const happened = type === TEST_TYPE ? "A test of this webhook." : NOTICE_TYPES[type as NoticeType].help;
  const known = Object.entries(figures).filter(([, value]) => value !== null);
  const list = known.map(([field, value]) => `${field.replaceAll("_", " ")} ${value}`).join(", ");
  return `${about}: ${happened.replaceAll("`", "")}${list && ` (${list})`}`;
}
