/**
 * The settings of a zone: whether crawlers that are proven bypass its rooms.
 *
 * What counts is what each room's `crawlers` says, so the setting is read from the rooms, and a change of it changes
 * them. A register has it for a zone without rooms. Rooms that are made later take it over, unless they say otherwise.
 */

import { z } from "zod";
import { ZONES_KEY } from "../../../mesh/core/replica/register-keys.ts";
import { isObject } from "../../config/is-object.ts";
import { type Checked, checked, problemAt } from "../../config/problem.ts";
import { namespaceOf } from "../../config/room-name.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import type { Changed } from "../../rooms/changed.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";

/** Zones with a setting of their own; with more, the oldest is forgotten. As many as a mesh may have rooms. */
const ZONES_MAX = 1_000;

/** The zones in which crawlers bypass rooms. */
const REGISTER = z.array(z.string());

const FIELD = "search_engine_crawler_bypass";

export function doCrawlersBypass(rooms: Rooms, zone: string): boolean {
  const all = inZone(rooms, zone);
  return all.length === 0 ? listed(rooms).includes(zone) : all.every(({ declared }) => declared.crawlers !== "wait");
}

/** Sets it for all rooms of the zone, and for those to come. */
export function setCrawlersBypass(rooms: Rooms, zone: string, isOn: boolean): Changed<readonly LiveRoom[]> {
  const others = listed(rooms).filter((each) => each !== zone);
  const document = JSON.stringify((isOn ? [...others, zone] : others).slice(-ZONES_MAX));
  const register = { firstName: "", document, createdMs: 0 };
  const changes = inZone(rooms, zone).flatMap((live) => {
    const { crawlers } = live.declared;
    if (isOn ? crawlers !== "wait" : crawlers === "wait") return [];
    return [{ live, room: { ...live.declared, crawlers: isOn ? ("bypass" as const) : ("wait" as const) } }];
  });
  return rooms.replaceAll(changes, new Map([[ZONES_KEY, register]]));
}

/** Reads a body; `now` is for a patch that does not name the setting. */
export function readSettings(body: unknown, { kind, now }: { kind: "whole" | "part"; now: boolean }): Checked<boolean> {
  if (!isObject(body)) {
    const problem = { problem: "is not an object", repair: `send {${FIELD}: true} or {${FIELD}: false}` };
    return { ok: false, problems: [problemAt("", body, problem)] };
  }
  const problems = unknownFields(body, { known: [FIELD] });
  const value = body[FIELD] ?? (FIELD in body ? null : kind === "part" ? now : false);
  if (typeof value !== "boolean")
    problems.push(problemAt(FIELD, value, { problem: "is not true or false", repair: "write true or false" }));
  return checked(value === true, problems);
}

function inZone(rooms: Rooms, zone: string): LiveRoom[] {
  return rooms.all().filter(({ declared }) => namespaceOf(declared.name) === zone);
}

function listed(rooms: Rooms): readonly string[] {
  try {
    return REGISTER.parse(JSON.parse(rooms.beside(ZONES_KEY)?.document ?? "[]"));
  } catch {
    // Another release wrote it: a zone without rooms has the default.
    return [];
  }
}
