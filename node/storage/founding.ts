/**
 * `anteroom init`: the keys of a new mesh in a data directory, and the right of its first start to create the mesh.
 *
 * That right lies in the store and the start uses it up. A directory that has a mesh key and neither state nor this
 * right has lost its state: it must not own the rooms a second time.
 */

import { join } from "node:path";
import { DataDirectoryError, hasMesh, identityFiles, loadIdentity, newMesh, saveMesh } from "./identity.ts";
import { Store } from "./store.ts";
import { FOUNDS } from "./stored-node.ts";

/** Generates the keys of a mesh in `directory`; refuses a directory that already has a mesh. */
export async function initDataDirectory(directory: string): Promise<{ meshId: string; files: readonly string[] }> {
  if (hasMesh(directory)) {
    throw new DataDirectoryError("already-initialised", `Cannot create a mesh in ${directory} as it already has one`, {
      hint: `start a node with "anteroom serve --data ${directory}", or name another directory`,
    });
  }
  const { nodeKey } = await loadIdentity(directory, { meshKey: undefined, joins: false });
  const mesh = newMesh(nodeKey.node);
  const store = new Store(join(directory, "anteroom.db"), "fsync");
  store.clear();
  store.commit({ writes: new Map([[FOUNDS.at(), mesh.meshId]]), isVote: false });
  store.close();
  saveMesh(directory, mesh);
  return { meshId: mesh.meshId, files: identityFiles(directory) };
}
