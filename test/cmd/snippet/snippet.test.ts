import { describe, expect, test } from "vitest";
import { planOf } from "../../../cmd/snippet/plan.ts";
import { traefikSnippet } from "../../../cmd/snippet/traefik.ts";
import { laneDocument } from "../../../node/operator/api/lane.ts";
import { done, RoomShelf, SHOP } from "../../node/rooms/room-shelf.ts";
import { LANE } from "../lane-parts.ts";

describe("a snippet for Traefik", () => {
  test("names the gate's cookies: of a renamed room, of one with a suffix, of one in a namespace", () => {
    const shelf = new RoomShelf();
    done(shelf.rooms.create({ ...SHOP, name: "old" }));
    done(shelf.rooms.update("old", { name: "new" }));
    done(shelf.rooms.create({ ...SHOP, name: "team:shop", host: "team.example", cookie_suffix: "v2" }));
    const choice = { rooms: [], bind: ":80", gates: [], origin: undefined };
    const text = traefikSnippet(planOf(laneDocument({ ...LANE, rooms: shelf.rooms }), choice));
    const named = [...text.matchAll(/^ +- (__anteroom_\S+)$/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([
      "__anteroom_.pass_old",
      "__anteroom_.pass_team.shop_v2",
      "__anteroom_.s_.pass_old",
      "__anteroom_.s_.pass_team.shop_v2",
      "__anteroom_.s_old",
      "__anteroom_.s_team.shop_v2",
      "__anteroom_old",
      "__anteroom_team.shop_v2",
    ]);
  });
});
