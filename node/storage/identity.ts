/**
 * The files that make a data directory a node's own: the mesh key, the node key and the admin token.
 *
 * A mesh is created once, by a node that finds no mesh key and is given none: it generates a mesh id and a 32-byte key
 * and writes both to `mesh.key` as text, so that a person can read and copy them to the next host. The file is written
 * last, when the first node's state is on disk: a directory with a mesh key and no state owns nothing until it has
 * joined. All secrets have mode 0600.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AccountId, accountOf, type NodeId } from "../../mesh/core/ids.ts";
import { ephemeralNodeKey, loadNodeKey, NODE_KEY_FILE, type NodeKey, NodeKeyError } from "../../mesh/node-key.ts";
import { messageOf } from "../message-of.ts";

export interface MeshIdentity {
  /** 16 hexadecimal digits; part of every cookie key, so that cookies of another mesh are unreadable here. */
  readonly meshId: string;
  /** 32 bytes; all cookie keys are derived from it, and connections between nodes prove it. */
  readonly meshKey: Uint8Array;
  /** The account that all units of all rooms belonged to at first. */
  readonly founder: AccountId;
}

export interface Identity {
  readonly nodeKey: NodeKey;
  /** Undefined for a node that will create a mesh. */
  readonly mesh: MeshIdentity | undefined;
  readonly adminToken: string;
}

/** How a node gets its mesh key. */
export interface KeySources {
  /** Path of a mesh key copied from another node. */
  readonly meshKey: string | undefined;
  /** Whether it was given nodes to join. */
  readonly joins: boolean;
}

/** A data directory that cannot be used: what is wrong, and in `hint` the repair. */
export class DataDirectoryError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, options: { hint: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "DataDirectoryError";
    this.code = code;
    this.hint = options.hint;
  }
}

const MESH_KEY_FILE = "mesh.key";
const TOKEN_FILE = "admin.token";
const SECRET_MODE = 0o600;
/** The bits of a file's mode by which group and others may do anything. */
const OTHERS = 0o077;
const EVERYBODY = 0o007;

/** Whether `directory` belongs to a mesh already. */
export function hasMesh(directory: string): boolean {
  return existsSync(join(directory, MESH_KEY_FILE));
}

/** Reads the identity in `directory`, creating what is missing except the mesh. Throws `DataDirectoryError`. */
export async function loadIdentity(directory: string, sources: KeySources): Promise<Identity> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new DataDirectoryError("unwritable", `Cannot use ${directory} as data directory: ${messageOf(cause)}`, {
      hint: "name a directory that this user may write with --data, or start with --ephemeral",
      cause,
    });
  }
  for (const path of identityFiles(directory)) requireFile(path);
  const mesh = meshIn(directory, sources);
  const tokenPath = join(directory, TOKEN_FILE);
  const adminToken = readOrCreate(tokenPath, () => `${newToken()}\n`).trim();
  if (adminToken === "") {
    throw new DataDirectoryError("empty-token", `Cannot take the admin token from ${tokenPath} as it is empty`, {
      hint: "remove the file: the next start makes a new token",
    });
  }
  return { nodeKey: await nodeKeyIn(directory), mesh, adminToken };
}

/** The files that make `directory` a node's own. */
export function identityFiles(directory: string): string[] {
  return [MESH_KEY_FILE, NODE_KEY_FILE, TOKEN_FILE].map((file) => join(directory, file));
}

/** A new mesh in which `founder` owns everything. */
export function newMesh(founder: NodeId): MeshIdentity {
  return { meshId: randomBytes(8).toString("hex"), meshKey: randomBytes(32), founder: accountOf(founder) };
}

/** Makes `directory` belong to `mesh`; the founder's state must be on disk. */
export function saveMesh(directory: string, mesh: MeshIdentity): void {
  readOrCreate(join(directory, MESH_KEY_FILE), () => formatMeshKey(mesh));
}

/** The secret files in `directory` that other users of the host can read. */
export function looseSecrets(directory: string): string[] {
  return identityFiles(directory).filter((path) => existsSync(path) && (statSync(path).mode & OTHERS) !== 0);
}

/** Which of these files every user of the host can read. A group may: it is how a service gets a file of root's. */
export function looseFiles(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path) && (statSync(path).mode & EVERYBODY) !== 0);
}

/** An identity that lives as long as the process. Throws `DataDirectoryError`. */
export async function ephemeralIdentity({ meshKey, joins }: KeySources): Promise<Identity> {
  if (meshKey === undefined && joins) throw noMeshKey();
  const mesh = meshKey === undefined ? undefined : parseMeshKey(read(meshKey), meshKey);
  return { nodeKey: await ephemeralNodeKey(), mesh, adminToken: newToken() };
}

function meshIn(directory: string, { meshKey, joins }: KeySources): MeshIdentity | undefined {
  const path = join(directory, MESH_KEY_FILE);
  const own = existsSync(path) ? parseMeshKey(read(path), path) : undefined;
  if (meshKey === undefined) {
    if (own === undefined && joins) throw noMeshKey();
    return own;
  }
  const given = parseMeshKey(read(meshKey), meshKey);
  if (own === undefined) saveMesh(directory, given);
  else if (own.meshId !== given.meshId) {
    throw new DataDirectoryError(
      "other-mesh",
      `Cannot join mesh ${given.meshId} with ${directory} as it belongs to mesh ${own.meshId}`,
      { hint: "meshes never merge: give this node its own data directory with --data" },
    );
  }
  return given;
}

function noMeshKey(): DataDirectoryError {
  return new DataDirectoryError("no-mesh-key", "Cannot join a mesh as there is no mesh key", {
    hint: "copy mesh.key from the data directory of a node of that mesh, and name it with --mesh-key FILE",
  });
}

async function nodeKeyIn(directory: string): Promise<NodeKey> {
  try {
    return await loadNodeKey(directory);
  } catch (error) {
    if (!(error instanceof NodeKeyError)) throw error;
    throw new DataDirectoryError(error.code, error.message, { hint: error.hint, cause: error });
  }
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}

function formatMeshKey({ meshId, meshKey, founder }: MeshIdentity): string {
  return [
    "# anteroom mesh key: anyone who has it can admit visitors. Copy it to each host of this mesh, mode 0600.",
    `id ${meshId}`,
    `key ${Buffer.from(meshKey).toString("hex")}`,
    `founder ${founder}`,
    "",
  ].join("\n");
}

function parseMeshKey(text: string, path: string): MeshIdentity {
  const meshId = /^id ([0-9a-f]{16})$/m.exec(text)?.[1];
  const key = /^key ([0-9a-f]{64})$/m.exec(text)?.[1];
  const founder = /^founder ([\w]{1,64})$/m.exec(text)?.[1];
  if (meshId === undefined || key === undefined || founder === undefined) {
    throw new DataDirectoryError("bad-mesh-key", `Cannot read ${path} as a mesh key`, {
      hint: "it must hold a line `id` with 16 and a line `key` with 64 hexadecimal digits, and a line `founder`: copy it from another host again",
    });
  }
  return { meshId, meshKey: Buffer.from(key, "hex"), founder: founder as AccountId };
}

function readOrCreate(path: string, create: () => string): string {
  try {
    // `wx` fails where the file exists: two starts at once end with one key.
    writeFileSync(path, create(), { flag: "wx", mode: SECRET_MODE });
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") throw unreadable(path, cause);
  }
  return read(path);
}

function read(path: string): string {
  requireFile(path);
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Refuses a path that exists and is not a file: reading a pipe or a device could take for ever. */
export function requireFile(path: string): void {
  if (!isOtherThanFile(path)) return;
  throw new DataDirectoryError("not-a-file", `Cannot use ${path} as it is not a regular file`, {
    hint: "put the file back that was there, or name another data directory with --data",
  });
}

function isOtherThanFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError("unreadable", `Cannot read or write ${path}: ${messageOf(cause)}`, {
    hint: "give the user that runs anteroom the rights to it",
    cause,
  });
}
