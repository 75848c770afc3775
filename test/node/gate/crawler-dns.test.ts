/** Forward-confirmed reverse DNS: against a resolver of the test, and by `node:dns` against a server on loopback. */

import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterEach, expect, test } from "vitest";
import { crawlerDns, NAMES_MAX, type NameResolver } from "../../../node/gate/crawler-dns.ts";
import type { CrawlerFinding } from "../../../node/gate/crawler-proofs.ts";

const ADDRESS = "66.249.66.1";
const NAME = "crawl-66-249-66-1.googlebot.com";
const ADDRESS6 = "2001:4860:4801:10::1";
const NAME6 = "crawl-2001.googlebot.com";

type Records = Readonly<Record<string, readonly string[]>>;

/** Answers from `records`; fails without one. */
function resolverOf(records: Records, asked: string[] = []): NameResolver {
  const read = (question: string): Promise<string[]> => {
    asked.push(question);
    const found = records[question];
    return found === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve([...found]);
  };
  return {
    reverse: (address: string) => read(`PTR ${address}`),
    resolve4: (name: string) => read(`A ${name}`),
    resolve6: (name: string) => read(`AAAA ${name}`),
    cancel: () => {},
  } as NameResolver;
}

function find(address: string, newResolver: () => NameResolver): Promise<CrawlerFinding> {
  return new Promise((resolve) => {
    crawlerDns(newResolver)(address, resolve);
  });
}

function nameOf(finding: CrawlerFinding): string {
  return typeof finding === "string" ? finding : finding.name;
}

test.each<[string, string, Records, string]>([
  ["a crawler", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME], [`A ${NAME}`]: ["192.0.2.1", ADDRESS] }, "Google"],
  [
    "a crawler by IPv6",
    ADDRESS6,
    { [`PTR ${ADDRESS6}`]: [NAME6], [`AAAA ${NAME6}`]: ["2001:4860:4801:10:0:0:0:1"] },
    "Google",
  ],
  ["a name that leads elsewhere", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME], [`A ${NAME}`]: ["66.249.66.2"] }, "nobody's"],
  ["a name that leads nowhere", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME] }, "failed"],
  ["no name", ADDRESS, {}, "failed"],
  ["an empty answer", ADDRESS, { [`PTR ${ADDRESS}`]: [] }, "nobody's"],
  [
    "a name beside the domain",
    ADDRESS,
    { [`PTR ${ADDRESS}`]: ["evilgooglebot.com"], "A evilgooglebot.com": [ADDRESS] },
    "nobody's",
  ],
])("finds %s", async (_, address, records, expected) => {
  expect(nameOf(await find(address, () => resolverOf(records)))).toBe(expected);
});

test("of thousands of names few are looked up, and only those of crawlers", async () => {
  const asked: string[] = [];
  const names = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? `c${at}.googlebot.com` : `c${at}.example`));
  const records = {
    [`PTR ${ADDRESS}`]: names,
    ...Object.fromEntries(names.map((name) => [`A ${name}`, ["192.0.2.1"]])),
  };
  expect(await find(ADDRESS, () => resolverOf(records, asked))).toBe("nobody's");
  expect(asked).toHaveLength(1 + NAMES_MAX);
});

const sockets: { close: () => void }[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

test("node:dns asks a server for the name and for its address", async () => {
  const port = await dnsServer({ "1.66.249.66.in-addr.arpa": nameData(NAME), [NAME]: Buffer.from([66, 249, 66, 1]) });
  expect(nameOf(await find(ADDRESS, () => asking(port)))).toBe("Google");
});

test("a server that is silent is given up by cancelling", async () => {
  const asked = Promise.withResolvers<void>();
  const port = await dnsServer(undefined, asked.resolve);
  const finding = Promise.withResolvers<CrawlerFinding>();
  const cancel = crawlerDns(() => asking(port, ENDLESS_MS))(ADDRESS, finding.resolve);
  await asked.promise;
  cancel();
  expect(await finding.promise).toBe("failed");
});

/** No answer takes longer, on whatever machine. */
const PATIENT_MS = 60_000;
/** Longer than any test lasts: only cancelling ends it. */
const ENDLESS_MS = 3_600_000;

function asking(port: number, timeout = PATIENT_MS): Resolver {
  const resolver = new Resolver({ timeout, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

/** A DNS server (RFC 1035) with one record for each name; without any it never answers. */
async function dnsServer(
  records: Readonly<Record<string, Buffer>> | undefined,
  onQuery = (): void => undefined,
): Promise<number> {
  const socket = createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (query, from) => {
    onQuery();
    if (records === undefined) return;
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const data = records[labels.join(".").toLowerCase()];
    const flags = data === undefined ? 0x8183 : 0x8180;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(flags, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data === undefined ? 0 : 1, 6);
    const answer = Buffer.alloc(12);
    answer.writeUInt16BE(0xc00c, 0);
    query.copy(answer, 2, at + 1, at + 5);
    answer.writeUInt32BE(60, 6);
    answer.writeUInt16BE(data?.length ?? 0, 10);
    const parts = data === undefined ? [head, question] : [head, question, answer, data];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  return socket.address().port;
}

function nameData(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
