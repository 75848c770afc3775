/**
 * The shell of a simulated process: that of the binary, on virtual time, a disk and a network in memory.
 */

import type { Instant } from "../../mesh/core/instant.ts";
import { QueueIt } from "../../node/adapters/queue-it/queue-it.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { LaneKeys } from "../../node/cookie/lane-keys.ts";
import { PassMaker } from "../../node/cookie/pass.ts";
import { CookieSeal } from "../../node/cookie/seal.ts";
import type { Surroundings } from "../../node/gate/gate-context.ts";
import { ProxyWatch } from "../../node/gate/proxy-watch.ts";
import { ContactSeal } from "../../node/keys/contact-seal.ts";
import { PushKeys } from "../../node/keys/push-keys.ts";
import { VisitorKeys } from "../../node/keys/visitor-keys.ts";
import type { Log } from "../../node/log.ts";
import type { PeerOptions } from "../../node/peer/peer-options.ts";
import { NodeShell } from "../../node/process/shell.ts";
import type { Scheduler, ShellDisk, ShellParts } from "../../node/process/shell-parts.ts";
import { originTarget } from "../../node/rooms/live-room.ts";
import { NO_LOOKUPS } from "../../node/rules/lookups.ts";
import { MESH, SimCipher } from "./sim-cipher.ts";
import { SIM_PROOF } from "./sim-proof.ts";

export interface SimShellParts {
  readonly peer: Omit<PeerOptions, "incarnation" | "now" | "events">;
  readonly history: ShellParts["history"];
  readonly declared: ShellParts["declared"];
  readonly newRoomKey: NonNullable<ShellParts["newRoomKey"]>;
  readonly disk: ShellDisk;
  readonly now: () => Instant;
  readonly scheduler: Scheduler;
  readonly surroundings: Surroundings;
  readonly sourceOf: NonNullable<ShellParts["sourceOf"]>;
  readonly events: ShellParts["events"];
  readonly onFault: (error: unknown) => void;
  readonly log: (text: string) => void;
  /** A room takes part in the mesh. */
  readonly attached: (room: MeshRoom) => void;
}

/** Never asked: exchanges are answered by the world's own origin. */
const ORIGIN = originTarget("http://origin.example");

export function openShell({ log: say, surroundings, ...parts }: SimShellParts): NodeShell {
  const log = logTo(say);
  return new NodeShell({
    ...parts,
    gate: {
      seal: new CookieSeal(new SimCipher()),
      passes: new PassMaker(MESH),
      laneKeys: new LaneKeys(MESH),
      visitorKeys: new VisitorKeys(MESH),
      proof: SIM_PROOF,
      contactSeal: new ContactSeal(MESH),
      pushKeys: new PushKeys(MESH),
      surroundings,
      defaultOrigin: ORIGIN,
      loopName: "anteroom-sim",
      trustedProxies: [],
      crawlerLookup: () => () => {},
      lookups: () => NO_LOOKUPS,
      proxies: new ProxyWatch({ trusted: [], log }),
      originSecret: undefined,
      connectors: (parts) => new QueueIt({ ...parts, account: undefined }),
      isLogged: () => false,
      hasAccessLog: false,
    },
    defaultOrigin: ORIGIN,
    diskName: "the disk of its host",
    log,
  });
}

function logTo(say: (text: string) => void): Log {
  const line = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    const details = Object.entries(fields).map(([name, value]) => ` ${name} ${String(value)}`);
    say(`${message}${details.join("")}`);
  };
  return { error: line, warn: line, info: line, debug: () => {} };
}
