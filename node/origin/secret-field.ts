/**
 * How an origin recognises a request that came through the gate, a visitor's or a health check: it can refuse all
 * others.
 */

/** The header field with the origin's secret. */
export const SECRET_FIELD = "Anteroom-Origin-Secret";
