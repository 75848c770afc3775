/** How long the secret before a rotation counts if nothing else is said: a day to bring the new one to all programs. */
export const GRACE = "24h";
