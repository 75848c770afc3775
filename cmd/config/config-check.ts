/**
 * `anteroom config check`: the settings that somebody chose, each value with its source, and the rooms; or everything
 * that is wrong with them. `--json` has the defaults as well.
 */

import { routesOf } from "../../node/config/check-rooms.ts";
import { cutOffFigures, cutOffText } from "../../node/config/cut-off-figures.ts";
import type { Room } from "../../node/config/room.ts";
import { roomDocument } from "../../node/config/room-document.ts";
import { SESSION_MINUTES } from "../../node/config/room-schema.ts";
import { startWarnings, stuffedDraw } from "../../node/config/start-warnings.ts";
import { ownHosts } from "../../node/own-hosts.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { count, number, problemList, table, tableOptions, wrap } from "../print.ts";
import { type CertificateRow, certificateRows, certificateWarnings } from "../serve/certificates.ts";
import { type Configuration, loadConfiguration } from "../serve/load.ts";
import { loadLookups, lookupFolder, lookupProblems } from "../serve/lookup-files.ts";
import { dayText } from "../serve/tls-check.ts";
import { configDiff, diffLines } from "./config-diff.ts";

export async function configCheck(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const configuration = loadConfiguration(invocation);
  const json = isOn(invocation, "json");
  if (!configuration.ok) {
    const { problems } = configuration;
    if (json) io.answer(JSON.stringify({ ok: false, problems }));
    else io.talk(problemList(problems, "serve would not start"));
    return EXIT.usage;
  }
  const { settings, rooms } = configuration.value;
  const folder = lookupFolder(settings);
  const { lookups, problems } = await loadLookups(folder);
  const unmet = [...problems, ...lookupProblems(rooms, { lookups, folder })];
  if (unmet.length > 0) {
    if (json) io.answer(JSON.stringify({ ok: false, problems: unmet }));
    else io.talk(problemList(unmet, "serve would start, but these files would not be used, or rules never apply"));
    return EXIT.usage;
  }
  const warnings = [
    ...startWarnings(settings, rooms, ownHosts()),
    ...rooms.flatMap((room) => stuffedDraw(room, Date.now())),
    ...certificateWarnings(shownCertificates(configuration.value), Date.now()),
  ];
  const diff = isOn(invocation, "diff") ? await configDiff(configuration.value, invocation) : undefined;
  if (json) io.answer(JSON.stringify({ ...asJson(configuration.value, warnings), ...(diff && { diff }) }));
  else {
    const lines = diff === undefined ? [] : ["", ...diffLines(diff)];
    io.answer([asText(configuration.value, invocation), ...lines].join("\n"));
    for (const warning of warnings) io.talk(`warning: ${warning}`);
  }
  return diff === undefined || diff.settings.length === 0 ? EXIT.ok : EXIT.checkFailed;
}

function asJson(configuration: Configuration, warnings: readonly string[]): object {
  const { rows, rooms, settings } = configuration;
  const certificates = shownCertificates(configuration).map(({ file, names, fromMs, untilMs }) => ({
    file,
    names,
    valid_from: new Date(fromMs).toISOString(),
    valid_until: new Date(untilMs).toISOString(),
  }));
  const { browsesMs, idleMs } = cutOffFigures(settings, longestSession(rooms));
  const cutOff = { browses_ms: browsesMs, idle_ms: idleMs };
  return { ok: true, settings: rows, rooms: rooms.map(roomDocument), certificates, cut_off: cutOff, warnings };
}

function asText(configuration: Configuration, { io }: Invocation): string {
  const { rows, rooms, settings } = configuration;
  const options = tableOptions(io);
  const chosen = rows.filter(({ source }) => source !== "default");
  const settingsTable = table(
    [{ title: "SETTING" }, { title: "VALUE" }, { title: "SOURCE" }],
    chosen.map(({ setting, value, source }) => [setting, value, source]),
    options,
  );
  const cutOff = cutOffText(cutOffFigures(settings, longestSession(rooms)));
  const certificates = shownCertificates(configuration);
  const certificatesTable = table(
    [{ title: "CERTIFICATE" }, { title: "FOR", cutTo: 16 }, { title: "VALID UNTIL" }],
    certificates.map(({ file, names, untilMs }) => [file, names.join(", "), dayText(untilMs)]),
    options,
  );
  const others = `${count(rows.length - chosen.length, "setting")} at the default (--json lists all)`;
  const parts = (...roomsPart: string[]): string =>
    [
      ...(chosen.length === 0 ? [] : [settingsTable]),
      ...roomsPart,
      ...(certificates.length === 0 ? [] : [certificatesTable]),
      wrap(`${cutOff}.`, options.width),
      others,
    ].join("\n\n");
  if (settings.rooms === undefined) return parts("No rooms file: rooms come only from the admin API.");
  const roomsTable = table(
    [
      { title: "ROOM" },
      { title: "ROUTES", cutTo: 16 },
      { title: "INSIDE", align: "right" },
      { title: "PER MINUTE", align: "right" },
      { title: "ORIGIN", cutTo: 16 },
    ],
    rooms.map((room) => [
      room.name,
      routesOf(room)
        .map(({ host, path }) => host + path)
        .join(", "),
      number(room.totalActiveUsers),
      number(room.newUsersPerMinute),
      originText(room.origin ?? settings.origin ?? ""),
    ]),
    options,
  );
  return parts(`${count(rooms.length, "room")} in ${settings.rooms}`, roomsTable);
}

function shownCertificates({ settings, certificates }: Configuration): readonly CertificateRow[] {
  return certificateRows(settings, certificates);
}

/** For the rooms in the file, in minutes; without a file, for a room with defaults. */
function longestSession(rooms: readonly Room[]): number {
  return rooms.length === 0 ? SESSION_MINUTES : Math.max(...rooms.map(({ sessionDuration }) => sessionDuration));
}

function originText(origin: NonNullable<Room["origin"]>): string {
  return typeof origin === "string" ? origin : origin.map(({ url, weight }) => `${url} (${weight})`).join(", ");
}
