/** A change under If-Match asks the mesh for the right to be made; here the test is the mesh. */

import { Hono } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { conditionalChanges } from "../../../../node/operator/calls/conditional.ts";
import { tagged } from "../../../../node/operator/calls/entity-tag.ts";
import type { Right } from "../../../../node/peer/change-rights.ts";

const SUBJECT = "shop" as RoomId;

/** One document; `answer` says what becomes of a question for the right to change it. */
function place(answer: (asked: number) => boolean) {
  const state = { wallMs: 1, document: { text: "a" } as { readonly text: string } | undefined, asked: 0 };
  const returned: Right[] = [];
  const stampOf = () => ({ wallMs: state.wallMs, counter: 0, node: "one" as NodeId });
  const makeIf = conditionalChanges({
    stampOf,
    ask: async (subject) => {
      const [stamp, isGiven] = [stampOf(), answer(state.asked++)];
      return isGiven ? { subject, stamp, from: "two" as NodeId } : undefined;
    },
    giveBack: (right) => void returned.push(right),
  });
  const write = (text: string): void => {
    state.wallMs += 1;
    state.document = { text };
  };
  const app = new Hono();
  app.onError((error, c) => c.text(error.message, 500));
  app.get("/", (c) => (state.document === undefined ? c.notFound() : tagged(state.document, state.document)));
  app.put("/:text", (c) => {
    const change = (): Response => {
      const { text } = c.req.param();
      if (text === "bad") return c.json({}, 422);
      if (text === "full") throw new Error("the disk is full");
      if (text !== state.document?.text) write(text);
      return c.json(state.document);
    };
    return makeIf(c.req, { subject: SUBJECT, document: () => state.document, creates: true, change });
  });
  const tag = async () => (await app.request("/")).headers.get("ETag") ?? "";
  const put = (text: string, headers: Record<string, string>) => app.request(`/${text}`, { method: "PUT", headers });
  return { state, returned, write, tag, put };
}

describe("a change under a condition", () => {
  test("that gets the right is made, and keeps it", async () => {
    const { put, tag, returned, state } = place(() => true);
    expect([(await put("b", { "If-Match": await tag() })).status, state.document]).toEqual([200, { text: "b" }]);
    expect([state.asked, returned]).toEqual([1, []]);
  });

  test("that changes nothing gives the right back", async () => {
    const { put, tag, returned, state } = place(() => true);
    const before = { "If-Match": await tag() };
    const all = [await put("bad", before), await put("full", before), await put("a", before)];
    expect([all.map(({ status }) => status), returned.length, state.asked]).toEqual([[422, 500, 200], 3, 3]);
  });

  test("that is refused waits for the other change, and names its ETag", async () => {
    const { put, tag, write, state } = place(() => {
      setTimeout(() => write("theirs"), 60);
      return false;
    });
    const answer = await put("b", { "If-Match": await tag() });
    expect([answer.status, answer.headers.get("ETag")]).toEqual([412, await tag()]);
    expect([state.document, state.asked]).toEqual([{ text: "theirs" }, 1]);
  });

  test("that is refused while no other change comes names the ETag that is known, within seconds", async () => {
    const { put, tag, state } = place(() => false);
    const sinceMs = performance.now();
    const answer = await put("b", { "If-Match": await tag() });
    expect([answer.status, answer.headers.get("ETag"), state.document]).toEqual([412, await tag(), { text: "a" }]);
    expect(performance.now() - sinceMs).toBeLessThan(10_000);
    expect(await answer.json()).toMatchObject({ code: "changed", detail: expect.stringContaining("another node") });
  });

  afterEach(() => void vi.restoreAllMocks());

  /** Patience ends by the clock: on a host that stands still for 2 s, before anything was asked again. */
  const withoutEnd = () => void vi.spyOn(performance, "now").mockReturnValue(0);

  test("asks again where another part of its subject was changed, or a change was taken back", async () => {
    withoutEnd();
    const { put, tag, write, state } = place((asked) => {
      if (asked === 0) setTimeout(() => write("a"), 30);
      return asked > 0;
    });
    expect([(await put("b", { "If-Match": await tag() })).status, state.asked]).toEqual([200, 2]);
  });

  test("asks again until a right that was not used is given back", async () => {
    withoutEnd();
    const { put, tag, state } = place((asked) => asked > 1);
    expect([(await put("b", { "If-Match": await tag() })).status, state.asked]).toEqual([200, 3]);
  });

  test("is not made of another state than that to which the right was given", async () => {
    const { put, tag, write, state } = place((asked) => {
      if (asked === 0) queueMicrotask(() => write("theirs"));
      return true;
    });
    expect([(await put("b", { "If-Match": await tag() })).status, state.document]).toEqual([412, { text: "theirs" }]);
  });

  test("creates only where no other node does so at the same time", async () => {
    const { put, write, state } = place(() => {
      setTimeout(() => write("theirs"), 30);
      return false;
    });
    state.document = undefined;
    expect([(await put("b", { "If-None-Match": "*" })).status, state.document]).toEqual([412, { text: "theirs" }]);
  });

  test.each([{}, { "If-Match": "*" }])("asks nobody where it is about any state: %j", async (headers) => {
    const { put, state } = place(() => false);
    expect([(await put("b", headers)).status, state.asked]).toEqual([200, 0]);
  });
});
