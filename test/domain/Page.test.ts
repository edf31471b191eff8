import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { offset, pageMetadata } from "../../src/domain/Page.ts"

test("every item is on exactly one page, and the last page is not empty", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 1, max: 100 }), (totalCount, limit) => {
      const items = Array.from({ length: totalCount }, (_, index) => index)
      const itemsOf = (page: number) => items.slice(offset({ page, limit }), offset({ page, limit }) + limit)
      const { totalPages } = pageMetadata({ page: 1, limit }, totalCount)
      const pages = Array.from({ length: totalPages }, (_, index) => itemsOf(index + 1))
      expect(pages.flat()).toEqual(items)
      expect(pages.every((page) => page.length > 0)).toBe(true)
      expect(itemsOf(totalPages + 1)).toEqual([])
    }),
  ))

test("the metadata of a page names the requested page, also past the end", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.nat(),
      (page, limit, totalCount) => {
        const metadata = pageMetadata({ page, limit }, totalCount)
        expect(metadata).toMatchObject({ currentPage: page, pageSize: limit, totalCount })
        // The offset is a 64-bit number in the database, and must not be rounded by JavaScript.
        expect(Number.isSafeInteger(offset({ page, limit }))).toBe(true)
      },
    ),
  ))
