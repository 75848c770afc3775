/** Pages of a list, counted from 1. A page after the last one is empty: clients ask until they get such a page. */

import { type Checked, checked, problemAt } from "../../config/problem.ts";
import { countFrom } from "../../config/readers.ts";
import type { ResultInfo } from "./envelope.ts";

export interface Paging {
  readonly page: number;
  readonly perPage: number;
}

/** Entries of a page where the request does not say. */
const PER_PAGE = 25;

/** A mesh has at most so many rooms, and a room so many events: one page may have them all. */
const PER_PAGE_MAX = 1_000;

/** Far beyond the last page of any list. */
const PAGE_MAX = 1_000_000_000;

/** The page that a query asks for. */
export function pagingOf(query: Readonly<Record<string, string>>): Checked<Paging> {
  const problems = Object.entries(READERS).flatMap(([name, read]) => {
    const text = query[name];
    const reading = text === undefined ? undefined : read(text);
    return reading !== undefined && "complaint" in reading ? [problemAt(name, text, reading.complaint)] : [];
  });
  return checked({ page: Number(query.page ?? 1), perPage: Number(query.per_page ?? PER_PAGE) }, problems);
}

const READERS = { page: countFrom(1, PAGE_MAX), per_page: countFrom(1, PER_PAGE_MAX) };

export function pageOf<Item>(all: readonly Item[], { page, perPage }: Paging): { items: Item[]; info: ResultInfo } {
  const items = all.slice((page - 1) * perPage, page * perPage);
  const pages = Math.ceil(all.length / perPage);
  return {
    items,
    info: { count: items.length, page, per_page: perPage, total_count: all.length, total_pages: pages },
  };
}
