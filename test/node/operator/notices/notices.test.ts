import { expect, test } from "vitest";
import { Notices } from "../../../../node/operator/notices/notices.ts";
import { NoticeMesh } from "./notice-mesh.ts";

const SILENT = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

test("the mesh is looked at each second where there is a webhook, and every ten seconds where there is none", () => {
  const mesh = new NoticeMesh(1);
  const node = mesh.node(0);
  const notices = new Notices({
    mesh: { meshId: "m", meshKey: new Uint8Array(32) },
    node: node.id,
    version: "1.2.3",
    registers: node.registers,
    tokens: { stands: () => true },
    proxyOf: () => false,
    knowsRegisters: () => true,
    formerOf: () => "removed",
    clock: () => mesh.nowMs,
    log: SILENT,
  });
  const looksIn = (seconds: number): number => {
    let looks = 0;
    for (let second = 0; second < seconds; second++) {
      mesh.pass(1);
      if (!notices.isDue(mesh.nowMs)) continue;
      looks += 1;
      notices.look(node.status());
    }
    return looks;
  };
  expect(looksIn(1)).toBe(1);
  expect(looksIn(20)).toBe(2);
  const filter = { rooms: [], namespace: null, format: "json", enabled: true } as const;
  notices.webhooks.create({ name: "chat", url: "https://example.com/hook", ...filter, types: ["room.held"] }, {});
  expect(looksIn(20)).toBe(20);
  notices.close();
});
