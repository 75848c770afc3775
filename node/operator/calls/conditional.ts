/**
 * Changes under a condition, such as If-Match: of those that nodes are asked for at once, about one state, one is made.
 *
 * What is asked for is compared with the state that this node knows, and then the mesh is asked for the right to change
 * that state (`peer/change-rights.ts`). A change that was refused the right waits a moment for the other one, so that
 * its answer can have the new ETag.
 */

import type { HonoRequest } from "hono";
import type { RegisterKey } from "../../../mesh/core/replica/register-keys.ts";
import type { ChangeRights, Right } from "../../peer/change-rights.ts";
import { failure } from "./api-answers.ts";
import { changedSince, entityTag, missingFor } from "./entity-tag.ts";

/** A change reaches all nodes within a second or two. Longer, and a caller waits for a node that is cut off. */
const PATIENCE_MS = 2_000;

/** Between two questions: a right that was not used is given back, and another event of a room is soon changed. */
const AGAIN_MS = 250;

/** Between two looks at whether the other change is there. */
const LOOK_MS = 25;

/** The rights of the mesh, for the admin API. */
export interface Rights extends Pick<ChangeRights, "stampOf" | "giveBack"> {
  ask(subject: RegisterKey): Promise<Right | undefined>;
}

export interface Conditional {
  readonly subject: RegisterKey;
  /** What the condition is about, as this node knows it now; undefined where it does not exist. */
  readonly document: () => object | undefined;
  /** Whether the change creates what does not exist. */
  readonly creates?: boolean;
  /** Makes the change, by what it finds then. */
  readonly change: () => Response | Promise<Response>;
}

/** Makes a change if its condition holds. */
export type MakeIf = (request: HonoRequest, conditional: Conditional) => Promise<Response>;

/** `rights`: left out where a node is alone. */
export function conditionalChanges(rights?: Rights): MakeIf {
  return async (request, { subject, document, creates = false, change }) => {
    const stale = (): Response | undefined => {
      const present = document();
      if (present !== undefined) return changedSince(request, present);
      return creates ? missingFor(request) : undefined;
    };
    const refused = stale();
    if (refused !== undefined) return refused;
    const mayChange = creates || document() !== undefined;
    if (rights === undefined || !mayChange || !needsRight(request)) return change();
    const endMs = performance.now() + PATIENCE_MS;
    do {
      const before = keyOf(rights, subject);
      const right = await rights.ask(subject);
      if (right === undefined) await arrival(() => keyOf(rights, subject) !== before);
      const isStale = stale();
      const isSame = keyOf(rights, subject) === before;
      if (right !== undefined && isStale === undefined && isSame) return underRight(rights, right, change);
      if (right !== undefined && isSame) rights.giveBack(right);
      if (isStale !== undefined) return isStale;
    } while (performance.now() < endMs);
    return changing(document());
  };
}

/** What a change gets that another one came before, of which this node has not heard. */
function changing(document: object | undefined): Response {
  const hint = "read it again in some seconds, repeat the change on what it is then, and send the new ETag";
  const detail = "Cannot change this as it is being changed at another node, or was just changed there";
  const headers = document === undefined ? {} : { ETag: entityTag(document) };
  return failure("changed", detail, { hint, headers });
}

async function underRight(rights: Rights, right: Right, change: Conditional["change"]): Promise<Response> {
  const before = keyOf(rights, right.subject);
  try {
    return await change();
  } finally {
    if (keyOf(rights, right.subject) === before) rights.giveBack(right);
  }
}

/** `If-Match: *` is about any state. */
function needsRight(request: HonoRequest): boolean {
  const match = request.header("If-Match");
  return (match !== undefined && match.trim() !== "*") || request.header("If-None-Match") !== undefined;
}

function keyOf(rights: Rights, subject: RegisterKey): string {
  return JSON.stringify(rights.stampOf(subject));
}

async function arrival(isThere: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < AGAIN_MS && !isThere(); waitedMs += LOOK_MS) await Bun.sleep(LOOK_MS);
}
