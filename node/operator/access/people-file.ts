/**
 * The file that says by whom people log in to the dashboard: the identity provider of their company (OpenID Connect),
 * and what the members of its groups may do.
 *
 * The first group in the list that a person is in decides; who is in none does not get in.
 */

import { z } from "zod";
import type { Shape } from "../../config/document-fields.ts";
import { type Checked, checked, problemAt } from "../../config/problem.ts";
import { NAMESPACE } from "../../config/room-name.ts";
import { schemaProblems } from "../../config/schema-problems.ts";
import { text } from "../../config/text-field.ts";
import { parseYaml } from "../../config/yaml-text.ts";
import { leadsHere } from "../../outside.ts";
import { TOKEN_SCOPES } from "../tokens/token-order.ts";
import { isMeshLimited } from "../tokens/token-rights.ts";

const TEXT_MAX = 500;
const GROUPS_MAX = 100;

const REPAIRS: Readonly<Record<string, string>> = {
  "": "write issuer, client_id, client_secret, url and groups",
  issuer: "write the provider's issuer, such as https://login.example.com",
  client_id: "write the id that the provider has for anteroom",
  client_secret: "write the secret that belongs to the id",
  url: "write the admin address as browsers reach it, such as https://gate1.example.com:8443",
  groups_claim: "write the name of the claim that lists a person's groups, such as groups",
  groups:
    "write a list such as [{group: box-office, scopes: [read, operate]}]; a namespace is optional, and not for mesh",
};

const short = z.string().min(1).max(TEXT_MAX);

const FILE = z.strictObject({
  issuer: text(urlComplaint, TEXT_MAX),
  client_id: short,
  client_secret: short,
  url: text(urlComplaint, TEXT_MAX),
  groups_claim: short.default("groups"),
  groups: z
    .array(
      z.strictObject({
        group: short,
        scopes: TOKEN_SCOPES,
        namespace: z.string().regex(NAMESPACE, "is not a namespace").optional(),
      }),
    )
    .min(1)
    .max(GROUPS_MAX),
});

export type PeopleFile = Shape<typeof FILE>;

/** What travels between browser, node and provider logs people in: on other hosts it goes by https. */
function urlComplaint(written: string) {
  const url = URL.parse(written);
  const repair = "write an https:// URL; http:// is for this host alone";
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: "is not a URL", repair };
  return url.protocol === "https:" || leadsHere(url.hostname) ? undefined : { problem: "is not an https URL", repair };
}

/** Reads the text of a file; or all that is wrong with it. */
export function parsePeople(written: string): Checked<PeopleFile> {
  const data = parseYaml(written);
  if (!data.ok) return data;
  const read = FILE.safeParse(data.value);
  const known = Object.keys(FILE.shape);
  const about = { document: data.value, known, repairs: REPAIRS, hidden: ["client_secret"] };
  if (!read.success) return { ok: false, problems: schemaProblems(read.error, about) };
  const complaint = { problem: "has mesh beside a namespace", repair: "leave mesh out: it is about all rooms" };
  const limited = read.data.groups.flatMap((group, index) =>
    isMeshLimited(group) ? [problemAt(`groups[${index}]`, undefined, complaint)] : [],
  );
  return checked(read.data, limited);
}
