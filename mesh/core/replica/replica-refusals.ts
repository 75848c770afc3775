/** Why a replica does not take in what another node sends, and how often each reason applied. */

const REFUSALS = [
  "badPart",
  "badSignature",
  "badRegister",
  "notTheWriter",
  "unknownAccount",
  "fenced",
  "notForThisNode",
  "takenBack",
  "tooFarAhead",
  "registerTooFarAhead",
  "tooManyRooms",
  "partTooLarge",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * Refusals that are the fault of the node that passed it on: a sound node checks first. The others come from different
 * views, clocks and bounds.
 */
const FAULTS: ReadonlySet<Refusal> = new Set(["badPart", "badSignature", "badRegister"]);

export class Refusals {
  readonly #counts = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<Refusal, number>;
  #faults = 0;

  /** How much has been refused since the start, by reason. */
  get counts(): Readonly<Record<Refusal, number>> {
    return this.#counts;
  }

  /** How many of these were their sender's fault. */
  get faults(): number {
    return this.#faults;
  }

  /** Something is refused. */
  note(reason: Refusal): Refusal {
    this.#counts[reason] += 1;
    if (FAULTS.has(reason)) this.#faults += 1;
    return reason;
  }
}
