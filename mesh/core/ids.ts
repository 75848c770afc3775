/**
 * The branded names of the things in the shared state.
 *
 * A brand costs nothing at run time and keeps a room's id from being passed where an account's is expected.
 * docs/glossary.md defines each thing.
 */

declare const brand: unique symbol;
type Branded<Base, Name> = Base & { readonly [brand]: Name };

/** A room's identity: a hash of its first name, so that the same file applied on two nodes makes one room. */
export type RoomId = Branded<string, "RoomId">;

/** The row that owns shares and sessions (a bookkeeping account); each node has one. */
export type AccountId = Branded<string, "AccountId">;

/** `floor(unixMs / minuteMs)`: the number of a minute; the source's bucketId. */
export type Minute = Branded<number, "Minute">;

/**
 * One running binary's identity: the text of its libp2p peer id. It is also the id of the account that the node brings.
 */
export type NodeId = Branded<string, "NodeId">;

/** The node that brought `account` into the mesh. */
export function nodeOf(account: AccountId): NodeId {
  return account as string as NodeId;
}

/** The account that `node` brings into the mesh. */
export function accountOf(node: NodeId): AccountId {
  return node as string as AccountId;
}
