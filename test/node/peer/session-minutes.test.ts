import { expect, test } from "vitest";
import { sessionMinutesOf } from "../../../node/peer/session-minutes.ts";

test.each([
  ["a room's document", JSON.stringify({ name: "shop", session_duration: 7 }), 7],
  ["a deleted room", undefined, 0],
  ["a document without the field", JSON.stringify({ name: "shop" }), 30],
  ["a duration that is none", JSON.stringify({ session_duration: "7" }), 30],
  ["a duration below a minute", JSON.stringify({ session_duration: 0 }), 30],
  ["the longest of a room's events", JSON.stringify({ session_duration: 7, events: [{}, { session_duration: 9 }] }), 9],
  ["a room with shorter events", JSON.stringify({ session_duration: 7, events: [{ session_duration: 1 }] }), 7],
  ["an event that inherits", JSON.stringify({ session_duration: 7, events: [{ session_duration: null }] }), 7],
  [
    "an event with a duration that is none",
    JSON.stringify({ session_duration: 7, events: [{ session_duration: "" }] }),
    30,
  ],
  ["events without a room's own duration", JSON.stringify({ events: [{ session_duration: 9 }] }), 30],
  ["a document of another kind", "[]", 30],
  ["what is no JSON", "{", 30],
])("sessions last as long as %s says", (_what, document, minutes) => {
  expect(sessionMinutesOf(document)).toBe(minutes);
});
