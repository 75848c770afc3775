/**
 * The admin API: rooms, status and orders to the mesh under `/v1/` with a bearer token; metrics and health without one.
 *
 * It is a function from Request to Response (hono), so tests need no sockets. Bodies are snake_case JSON; an error is
 * `{ error: { code, message, hint?, problems? } }`, and a refused change leaves everything as it was.
 */

import { timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { type Checked, type Complaint, checked, problemAt } from "../config/problem.ts";
import { ALL_ROOMS_BYTES_MAX } from "../config/room-size.ts";
import { parseRooms } from "../config/rooms-file.ts";
import type { SettingRow } from "../config/settings.ts";
import { templateComplaint } from "../config/template-check.ts";
import type { PassMaker } from "../cookie/pass.ts";
import { type PassOrder, parsePassOrder } from "../cookie/pass-order.ts";
import type { VisitorKeys } from "../cookie/visitor-keys.ts";
import { PLAIN_PAGE } from "../gate/brand.ts";
import { renderWaitingPage } from "../gate/page.ts";
import { DEFAULT_LANGUAGE } from "../languages/texts.ts";
import type { Log } from "../log.ts";
import type { Rollouts } from "../rooms/rollouts.ts";
import { apiDocument, type Rooms } from "../rooms/rooms.ts";
import { NotStored } from "../storage/disk-watch.ts";
import { failure, invalid, refusal, unread } from "./api-answers.ts";
import { type AdminEnv, AuditLog, actorOf } from "./audit.ts";
import { type DashboardParts, dashboardRoutes } from "./dashboard/dashboard.ts";
import { CSRF_FIELD } from "./dashboard/session.ts";
import { type DrawApiParts, drawRoutes } from "./draw-api.ts";
import { eventRoutes } from "./event-api.ts";
import type { OnFault } from "./faults.ts";
import { type ForgetOrders, forgetNodes } from "./forget.ts";
import { jsonBody } from "./json-body.ts";
import { type LaneParts, laneRoutes } from "./lane-api.ts";
import { type Identify, identified, needs, ROOT } from "./principal.ts";
import type { NodeStatus } from "./status.ts";
import { visitorKeyRoutes } from "./visitor-key-api.ts";

/** What an operator may order in the mesh. */
export interface MeshOrders extends ForgetOrders {
  /**
   * Removes this node from the mesh for good; the process ends by itself afterwards. Without an heir it is only a stop.
   * Refused while an earlier order is carried out.
   */
  leave(): Promise<
    | { readonly left: boolean; readonly heir: string | undefined; readonly message: string }
    | { readonly isRefused: true; readonly problem: string }
  >;
}

export interface AdminOptions {
  readonly rooms: Rooms;
  readonly passes: PassMaker;
  readonly lane: Omit<LaneParts, "rooms">;
  readonly visitorKeys: VisitorKeys;
  readonly token: string;
  readonly status: () => NodeStatus;
  readonly metrics: () => Promise<string>;
  /** Why this node should get no new requests; undefined while it should. */
  readonly notReady: () => string | undefined;
  readonly onFault: OnFault;
  readonly mesh: MeshOrders;
  readonly rollouts: Pick<Rollouts, "start" | "stop" | "back">;
  /** Left out where there are none. */
  readonly draws?: Omit<DrawApiParts, "audit">;
  readonly log: Log;
  /** The settings of this node as text, without secrets. */
  readonly settingRows?: readonly SettingRow[];
  /** What nodes are called, by id, former members included. */
  readonly nodeNames: () => Readonly<Record<string, string>>;
  readonly dashboard: DashboardParts;
}

/** All rooms of a mesh, and the fields around them. */
const APPLY_BYTES_MAX = ALL_ROOMS_BYTES_MAX + 1024 * 1024;

/** One room or page of the largest size, with every character escaped as JSON may. */
const ROOM_BODY_BYTES_MAX = 6 * ROOM_BYTES_MAX;

/** An order: a URL, or the names of all nodes. */
const ORDER_BYTES_MAX = 64 * 1024;

/** Passes in one call: they are made at once, in some ms. */
const PASSES_MAX = 1_000;

const LEAVE_HINT = "wait for the answer to the first order; the process ends by itself once everything is handed over";

/** What a preview shows: a visitor in the middle of a line. */
const PREVIEW = {
  kind: "waiting",
  queueingMethod: "fifo",
  queueAll: false,
  position: 42,
  waitSeconds: 240,
  keptMinutes: 10,
  refreshSeconds: 20,
  originReachable: true,
  posted: false,
  isDrawing: false,
  message: "",
  supportId: "4QK7-X2MD",
  event: undefined,
  receipt: "/.anteroom/receipt",
} as const;

export function adminApi({
  rooms,
  passes,
  lane,
  visitorKeys,
  token,
  status,
  metrics,
  notReady,
  onFault,
  mesh,
  rollouts,
  draws,
  log,
  nodeNames,
  dashboard,
  settingRows = [],
}: AdminOptions): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  const audit = new AuditLog(rooms, log);

  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/readyz", (c) => {
    const reason = notReady();
    return reason === undefined ? c.text("ready\n") : c.text(`not ready: ${reason}\n`, 503);
  });
  app.get("/metrics", async (c) => c.body(await metrics(), 200, { "Content-Type": "text/plain; version=0.0.4" }));

  dashboardRoutes(app, { ...dashboard, status, actorOf, note: (by, action) => audit.note(by, action) });
  const { logins } = dashboard;
  const identify: Identify = (c) => {
    const session = logins.sessionIn(c.req.header("Cookie"));
    const isLoggedIn = session !== undefined && logins.isCsrf(session, c.req.header(CSRF_FIELD));
    if (isLoggedIn || isToken(c.req.header("Authorization"), token)) return ROOT;
    return failure("unauthorized", "Cannot act without the admin token", 401);
  };
  const roomNames = () => [...rooms.all().map(({ room }) => room.name), ...rooms.unreadable.map(({ name }) => name)];
  app.use("/v1/*", identified(identify, roomNames));
  app.use(
    "/v1/*",
    bodyLimit({
      maxSize: APPLY_BYTES_MAX,
      onError: () => failure("too-large", `Cannot read a body of more than ${APPLY_BYTES_MAX} bytes`, 413),
    }),
  );

  app.get("/v1/status", needs("read"), (c) => c.json(status()));
  app.get("/v1/settings", needs("mesh"), (c) => c.json({ settings: settingRows }));
  app.get("/v1/rooms", needs("read"), (c) => {
    const unreadable = rooms.unreadable.map(({ name }) => name);
    return c.json({ rooms: rooms.all().map(apiDocument), ...(unreadable.length > 0 && { unreadable }) });
  });
  app.get("/v1/rooms/:name", needs("read"), (c) => {
    const named = rooms.named(c.req.param("name"));
    return named.ok ? c.json({ room: apiDocument(named.value) }) : refusal(named.refusal);
  });
  app.post("/v1/rooms", needs("configure"), async (c) => {
    const body = await jsonBody(c.req, ROOM_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const created = audit.tracked(actorOf(c), "room created", () => rooms.create(body.value));
    if (!created.ok) return refusal(created.refusal);
    return c.json({ room: apiDocument(created.value) }, 201);
  });
  app.patch("/v1/rooms/:name", needs("configure"), async (c) => {
    const body = await jsonBody(c.req, ROOM_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const name = c.req.param("name");
    const updated = audit.tracked(actorOf(c), "room updated", () => rooms.update(name, body.value));
    if (!updated.ok) return refusal(updated.refusal);
    return c.json({ room: apiDocument(updated.value) });
  });
  app.delete("/v1/rooms/:name", needs("configure"), (c) => {
    const name = c.req.param("name");
    const removed = audit.tracked(actorOf(c), "room deleted", () => rooms.remove(name));
    if (!removed.ok) return refusal(removed.refusal);
    return c.json({ room: removed.value === undefined ? { name } : apiDocument(removed.value) });
  });
  for (const [path, kind] of [
    ["hold", "hold"],
    ["open", "open"],
    ["resume", undefined],
  ] as const) {
    app.post(`/v1/rooms/:name/${path}`, needs("operate"), (c) => {
      const ordered = audit.tracked(actorOf(c), `room ${path}`, () => rooms.order(c.req.param("name"), kind));
      if (!ordered.ok) return refusal(ordered.refusal);
      return c.json({ room: apiDocument(ordered.value) });
    });
  }
  app.post("/v1/rooms/:name/passes", needs("operate"), async (c) => {
    const body = await jsonBody(c.req, ROOM_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const named = rooms.named(c.req.param("name"));
    if (!named.ok) return refusal(named.refusal);
    const { room, firstName } = named.value;
    const { now_ms: madeMs } = status();
    const orders = passOrders(body.value, { lanes: room.lanes, nowMs: madeMs });
    if (!orders.ok) return invalid(orders.problems);
    const scope = { room: firstName, generation: room.passGeneration };
    const made = orders.value.map((order) => ({
      ...(order.key !== undefined && { key: order.key }),
      ...(order.lane !== undefined && { lane: order.lane }),
      ...(order.isStaff && { staff: true }),
      expires: new Date(Math.floor(order.expiresMs / 1_000) * 1_000).toISOString(),
      pass: passes.make({ ...order, madeMs }, scope),
    }));
    audit.note(actorOf(c), "passes made", { room: room.name, passes: made.length });
    return c.json({ passes: made }, 201);
  });
  eventRoutes(app, { rooms, audit });
  laneRoutes(app, { ...lane, rooms, audit });
  visitorKeyRoutes(app, { rooms, keys: visitorKeys, audit });
  if (draws !== undefined) drawRoutes(app, { ...draws, audit });
  app.post("/v1/rooms/:name/rollout", needs("operate"), async (c) => {
    const name = c.req.param("name");
    const body = await jsonBody(c.req, ORDER_BYTES_MAX);
    if (!body.ok) return unread(body);
    const { to, stop, back } = Object(body.value) as Record<string, unknown>;
    const orders = [to !== undefined, stop === true, back === true].filter(Boolean);
    if (orders.length !== 1) {
      const repair = "send one of {to: URL}, {stop: true} and {back: true}";
      return invalid([
        { path: "to", problem: `comes with ${orders.length} orders where exactly one is needed`, repair },
      ]);
    }
    const changed = await audit.trackedLater(actorOf(c), "rollout changed", async () =>
      stop === true ? rollouts.stop(name) : back === true ? rollouts.back(name) : rollouts.start(name, to),
    );
    return changed.ok ? c.json({ room: apiDocument(changed.value) }) : refusal(changed.refusal);
  });
  app.post("/v1/rooms/apply", needs("configure"), async (c) => {
    const body = await jsonBody(c.req, APPLY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const parsed = parseRooms(body.value);
    if (!parsed.ok) return invalid(parsed.problems);
    const trial = c.req.query("dry_run") ?? "false";
    if (trial !== "true" && trial !== "false") {
      const problem = `cannot be ${JSON.stringify(trial)}`;
      return invalid([{ path: "dry_run", problem, repair: "send dry_run=true, or leave it out to apply the rooms" }]);
    }
    const isTrial = trial === "true";
    const apply = () => rooms.apply(parsed.value, { isTrial });
    const applied = isTrial ? apply() : audit.tracked(actorOf(c), "rooms applied", apply);
    if (!applied.ok) return refusal(applied.refusal);
    if (isTrial) return c.json({ dry_run: true, results: applied.value });
    return c.json({ results: applied.value });
  });
  app.post("/v1/preview", needs("configure"), async (c) => {
    const body = await jsonBody(c.req, ROOM_BODY_BYTES_MAX);
    if (!body.ok) return unread(body);
    const { custom_page_html: template } = Object(body.value) as Record<string, unknown>;
    const complaint = previewComplaint(template);
    if (complaint !== undefined) return invalid([{ path: "custom_page_html", ...complaint }]);
    const view = { ...PREVIEW, lastUpdatedMs: status().now_ms };
    const { html, templateProblem } = renderWaitingPage(view, {
      ...{ customPageHtml: String(template), page: PLAIN_PAGE, language: DEFAULT_LANGUAGE },
      ...{ again: "/", leave: "/", here: "/", host: "shop.example.com" },
    });
    if (templateProblem === undefined) return c.html(html);
    const problem = `cannot be rendered: ${templateProblem}`;
    return invalid([{ path: "custom_page_html", problem, repair: "correct the template" }]);
  });

  app.post("/v1/leave", needs("mesh"), async (c) => {
    audit.note(actorOf(c), "asked to leave the mesh");
    const answer = await mesh.leave();
    if ("isRefused" in answer) return failure("conflict", answer.problem, 409, { hint: LEAVE_HINT });
    const { left, heir, message } = answer;
    return c.json({ left, heir: heir ?? null, message });
  });
  app.post("/v1/forget", needs("mesh"), async (c) => {
    const body = await jsonBody(c.req, ORDER_BYTES_MAX);
    if (!body.ok) return unread(body);
    const answer = await forgetNodes(body.value, { members: status().members, names: nodeNames(), orders: mesh });
    if (answer.ok) {
      const { forgotten, already } = answer;
      const names = nodeNames();
      const nodes = forgotten.map((node) => ({ node, ...(names[node] !== undefined && { name: names[node] }) }));
      if (nodes.length > 0) audit.note(actorOf(c), "nodes forgotten on the operator's order", { nodes });
      return c.json({ nodes: [...forgotten, ...already], forgotten, already });
    }
    if ("problems" in answer) return invalid(answer.problems);
    const { problem, hint, reason, status: code } = answer;
    return failure(code === 404 ? "not-found" : "refused", problem, code, { hint, reason });
  });

  app.notFound((c) => failure("not-found", `Cannot find ${c.req.method} ${c.req.path}`, 404));
  app.onError((error) => {
    if (error instanceof NotStored) return failure("not-stored", error.message, 503, { hint: error.hint });
    onFault(error, "admin request failed");
    return failure("internal", "Cannot answer because of an internal error: see the log", 500);
  });
  return app;
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The passes that a body asks for: one, or a list of them. */
function passOrders(body: unknown, known: Parameters<typeof passOrder>[2]): Checked<readonly PassOrder[]> {
  const { passes } = Object(body) as Record<string, unknown>;
  if (passes === undefined) {
    const order = passOrder(body, "", known);
    return order.ok ? { ok: true, value: [order.value] } : order;
  }
  const repair = `write a list of 1 to ${PASSES_MAX} passes, each as {key: "a-1", expires: "30d"}`;
  if (!Array.isArray(passes))
    return { ok: false, problems: [problemAt("passes", passes, { problem: "is not a list", repair })] };
  if (passes.length === 0 || passes.length > PASSES_MAX) {
    const problem = `has ${passes.length} entries`;
    return { ok: false, problems: [problemAt("passes", undefined, { problem, repair })] };
  }
  const orders = passes.map((each, index) => passOrder(each, `passes[${index}]`, known));
  const problems = orders.flatMap((order) => (order.ok ? [] : order.problems));
  return checked(
    orders.flatMap((order) => (order.ok ? [order.value] : [])),
    problems,
  );
}

/** A pass with a lane to which the room gives no share would be one without. */
function passOrder(
  document: unknown,
  path: string,
  { lanes, nowMs }: { readonly lanes: readonly number[]; readonly nowMs: number },
): Checked<PassOrder> {
  const order = parsePassOrder(document, { path, nowMs });
  const { lane } = order.ok ? order.value : {};
  if (lane === undefined || (lanes[lane] ?? 0) > 0) return order;
  const repair = `give it a share first, such as: anteroom room update ROOM lanes='{${lane}: 20}'`;
  const problem = { problem: "is a lane without a share in this room", repair };
  return { ok: false, problems: [problemAt(path === "" ? "lane" : `${path}.lane`, lane, problem)] };
}

/** A template may be previewed if a room could have it. */
function previewComplaint(template: unknown): Complaint {
  if (typeof template !== "string") return { problem: "is missing", repair: "send the template as a string" };
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes <= ROOM_BYTES_MAX) return templateComplaint(template);
  const problem = `takes ${bytes} bytes as JSON: a room takes at most ${ROOM_BYTES_MAX}, its page included`;
  return { problem, repair: "shorten it; a waiting page may load images, styles and scripts from elsewhere" };
}
