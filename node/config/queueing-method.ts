/**
 * What a room does with visitors for whom it has no slot: a line by arrival or by chance, no limits at all, or no
 * visitors at all.
 */
export type QueueingMethod = "fifo" | "random" | "passthrough" | "reject";
