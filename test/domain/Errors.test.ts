import { describe, expect, test } from "bun:test"
import { InvalidRequest, listedErrorsMaxCount, TooLarge } from "../../src/domain/Errors.ts"

describe("what is wrong with a request", () => {
  const places = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `messages.${index}`, message: "Expected object" }))

  test("is listed up to a number of places; how many more there are is told", () => {
    const few = InvalidRequest.of(places(listedErrorsMaxCount))
    expect(few.errors).toEqual(places(listedErrorsMaxCount))
    expect(few.detail).toBe("messages.0: Expected object")
    const many = InvalidRequest.of(places(524_230))
    expect(many.errors).toEqual(places(listedErrorsMaxCount))
    expect(many.detail).toBe("messages.0: Expected object (and 524210 more that are not listed)")
  })

  test("is told shortly, whatever names the caller chose", () => {
    const { detail, errors } = InvalidRequest.at("😀".repeat(100_000), "x".repeat(100_000))
    const [place] = errors
    expect(place?.path).toMatch(/^(?:😀)+�?…$/u)
    expect(place?.path.isWellFormed()).toBe(true)
    for (const text of [place?.path, place?.message]) expect(text?.length).toBeLessThanOrEqual(200)
    expect(detail.length).toBeLessThan(500)
  })
})

test("a limit is told in the unit that suits it", () => {
  expect(TooLarge.of("handbook.pdf", 25 * 1024 ** 2).detail).toBe("handbook.pdf: at most 25 MiB.")
  expect(TooLarge.of("The body", 4 * 1024).detail).toBe("The body: at most 4 KiB.")
})
