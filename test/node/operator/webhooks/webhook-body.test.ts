/** What a channel of people gets to read. */

import { expect, test } from "vitest";
import { NOTICE_TYPES, type NoticeDocument } from "../../../../node/operator/notices/notice.ts";
import { webhookBody } from "../../../../node/operator/webhooks/webhook-body.ts";

const NOTICE: NoticeDocument = {
  id: "ntc_1",
  type: "origin.down",
  time: "2026-11-28T13:00:00.000Z",
  mesh: "0441fa89a786bf2c",
  node: "12D3KooWSQ",
  room: "shop",
  namespace: null,
  data: { origin: "http://shop_1", reason: "<b> & *so* [on](x)", reachable: null },
};

const slack = (notice: NoticeDocument) => JSON.parse(webhookBody(notice, "slack"));

test("programs get the notice as it is", () => {
  expect(JSON.parse(webhookBody(NOTICE, "json"))).toEqual(NOTICE);
});

test("Slack gets one line, in which nothing is a link or a mention", () => {
  expect(slack(NOTICE)).toEqual({
    text: "room shop: An origin of the room does not answer. (origin http://shop_1, reason &lt;b&gt; &amp; *so* [on](x))",
  });
});

test("Teams gets a card with that line, in which nothing is Markdown", () => {
  const card = JSON.parse(webhookBody(NOTICE, "teams"));
  expect(card).toMatchObject({
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: { type: "AdaptiveCard" } }],
  });
  expect(card.attachments[0].content.body[0].text).toContain(String.raw`reason \<b\> & \*so\* \[on\](x)`);
});

test("a notice about a node begins with its name, or its id", () => {
  const lost = { ...NOTICE, type: "node.lost", room: null } as const;
  const line = (data: NoticeDocument["data"]) => slack({ ...lost, data }).text;
  expect(line({ node: "12D3KooWX", name: "gate1", locality: "sjc" })).toBe(
    "node gate1: A member does not answer. (locality sjc)",
  );
  expect(line({ node: "12D3KooWX" })).toBe("node 12D3KooWX: A member does not answer.");
});

test("each type has words", () => {
  for (const type of [...Object.keys(NOTICE_TYPES), "webhook.test"])
    expect(slack({ ...NOTICE, type: type as NoticeDocument["type"], data: {} }).text).toMatch(
      /^room shop: \p{Lu}.+\.$/u,
    );
});
