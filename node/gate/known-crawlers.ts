/**
 * Crawlers by what they call themselves, and by the host names of their addresses.
 *
 * Anybody can send the user agent of a crawler. Nobody but its operator can make a name under the operator's domain
 * lead to an address. The table has the crawlers whose operators publish these names as the way to verify them; those
 * that publish lists of addresses are known by these files (node/rules/crawler-lists.ts).
 */

export interface KnownCrawler {
  readonly name: string;
  /** Parts of its user agents, in lower case. */
  readonly claims: readonly string[];
  readonly hosts: readonly CrawlerHosts[];
}

/** Host names under a domain; `startsWith`: of those the ones that begin so, because others there fetch for anybody. */
export interface CrawlerHosts {
  readonly domain: string;
  readonly startsWith?: string;
}

export const KNOWN_CRAWLERS: readonly KnownCrawler[] = [
  {
    // https://developers.google.com/crawling/docs/crawlers-fetchers/verifying-googlebot
    name: "Google",
    claims: [
      ...["googlebot", "adsbot-google", "mediapartners-google", "apis-google"],
      ...["storebot-google", "google-inspectiontool", "googleother"],
    ],
    // Other names of Google are of fetchers and virtual machines that anybody can use.
    hosts: [{ domain: "googlebot.com" }, { domain: "google.com", startsWith: "rate-limited-proxy-" }],
  },
  {
    // https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26
    name: "Bing",
    claims: ["bingbot", "bingpreview", "adidxbot", "msnbot", "microsoftpreview"],
    hosts: [{ domain: "search.msn.com" }],
  },
  {
    // https://support.apple.com/119829
    name: "Apple",
    claims: ["applebot"],
    hosts: [{ domain: "applebot.apple.com" }],
  },
  {
    // https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html
    name: "Yandex",
    claims: ["yandexbot", "yandeximages", "yandexmobilebot", "yandexrenderresourcesbot", "yandexaccessibilitybot"],
    hosts: [{ domain: "yandex.ru" }, { domain: "yandex.net" }, { domain: "yandex.com" }],
  },
  {
    // https://help.baidu.com/question?prod_id=99&class=476&id=2996
    name: "Baidu",
    claims: ["baiduspider"],
    hosts: [{ domain: "baidu.com" }, { domain: "baidu.jp" }],
  },
  {
    // https://developer.amazon.com/support/amazonbot
    name: "Amazon",
    claims: ["amazonbot"],
    hosts: [{ domain: "crawl.amazonbot.amazon" }],
  },
  {
    // https://napoveda.seznam.cz/en/seznambot-crawler
    name: "Seznam",
    claims: ["seznambot"],
    hosts: [{ domain: "seznam.cz", startsWith: "fulltextrobot-" }],
  },
];

/** Longest user agent that is read. Those of crawlers have some 200 characters. */
const USER_AGENT_MAX = 1_024;

/** What programs call themselves that name no browser, and where they say what they are. */
const CRAWLER_WORD = /bot|crawl|spider/;
const ITS_PAGE = /https?:\/\//;

/**
 * The crawlers that a user agent may be by its own words; empty for a crawler that is not known, undefined for all
 * others. A browser's user agent may have `bot` in it, for instance as the name of a telephone, but never an address.
 */
export function crawlerClaims(userAgent: string): readonly KnownCrawler[] | undefined {
  const text = userAgent.slice(0, USER_AGENT_MAX).toLowerCase();
  const known = KNOWN_CRAWLERS.filter(({ claims }) => claims.some((claim) => text.includes(claim)));
  if (known.length > 0) return known;
  return CRAWLER_WORD.test(text) && ITS_PAGE.test(text) ? [] : undefined;
}

/** Whose crawlers have host names like `host`; undefined if none of those that are known. */
export function crawlerOfHost(host: string): KnownCrawler | undefined {
  const name = host.toLowerCase().replace(/\.$/, "");
  return KNOWN_CRAWLERS.find(({ hosts }) =>
    hosts.some(({ domain, startsWith = "" }) => name.endsWith(`.${domain}`) && name.startsWith(startsWith)),
  );
}
