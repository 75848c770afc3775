import { beforeEach, expect, test } from "vitest";
import type { Fields } from "../../../../node/log.ts";
import { ROOT } from "../../../../node/operator/access/principal.ts";
import { AuditLog, actorOf } from "../../../../node/operator/logs/audit.ts";
import { GateWorld, SHOP } from "../../gate/gate-world.ts";

const BY = { actor: "admin.token", from: "10.0.0.9" };

let world: GateWorld;
let audit: AuditLog;
let lines: Fields[];

beforeEach(() => {
  world = new GateWorld();
  lines = [];
  const quiet = () => {};
  const info = (fields: Fields) => void lines.push(fields);
  audit = new AuditLog(world.rooms, { error: quiet, warn: quiet, info, debug: quiet });
});

test("a change says who, from where, and the old and the new value", () => {
  audit.tracked(BY, "room updated", () => world.rooms.update("shop", { total_active_users: 9 }));
  expect(lines).toEqual([
    {
      audit: "room updated",
      ...BY,
      room: "shop",
      changes: [{ room: "shop", field: "total_active_users", from: "2", to: "9" }],
    },
  ]);
});

test("an order, a new room and a deleted one are changes, too", () => {
  audit.tracked(BY, "room hold", () => world.rooms.order("shop", "hold"));
  audit.tracked(BY, "room created", () => world.rooms.create({ ...SHOP, name: "bar", host: "bar.example" }));
  audit.tracked(BY, "room deleted", () => world.rooms.remove("bar"));
  expect(lines.map(({ changes }) => changes)).toEqual([
    [{ room: "shop", field: "operator_order", from: "none", to: "hold" }],
    expect.arrayContaining([{ room: "bar", field: "total_active_users", from: "nothing", to: "2" }]),
    expect.arrayContaining([{ room: "bar", field: "total_active_users", from: "2", to: "nothing" }]),
  ]);
});

test("what is refused changes nothing, and is no line", () => {
  audit.tracked(BY, "room updated", () => world.rooms.update("shop", { total_active_users: 0 }));
  expect(lines).toEqual([]);
});

test("a request that came by no socket comes from an unknown address", () => {
  expect(actorOf(request({ principal: ROOT }))).toEqual({ ...BY, from: "unknown" });
});

test("before it is known who sends a request, it is nobody's", () => {
  expect(actorOf(request({})).actor).toBe("nobody");
});

function request(variables: object) {
  return { env: undefined, var: variables } as unknown as Parameters<typeof actorOf>[0];
}
