import { describe, expect, test } from "bun:test"
import { Predicate, Schema } from "effect"
import * as Errors from "../../src/domain/Errors.ts"
import { InvalidRequest, LISTED_ERRORS_MAX_COUNT, TooLarge } from "../../src/domain/Errors.ts"
import { saysWhen } from "../../src/domain/Failure.ts"

const classes = Object.values(Errors.failures)

describe("the failures that a client can meet", () => {
  test("are all listed, each under its tag", () => {
    const declared = Object.values(Errors).filter((value) => Predicate.hasProperty(value, "declaration"))
    expect(new Set<unknown>(classes)).toEqual(new Set<unknown>(declared))
    for (const [tag, { identifier }] of Object.entries(Errors.failures)) expect(identifier).toBe(tag)
  })

  test("differ in their codes and titles", () => {
    for (const name of ["code", "title"] as const) {
      expect(new Set(classes.map(({ declaration }) => declaration[name])).size).toBe(classes.length)
    }
    for (const { declaration } of classes) expect(declaration.code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  test("have an example that could happen", () => {
    for (const failure of classes) {
      const { example } = failure.declaration
      const decode = Schema.decodeUnknownSync<Schema.Decoder<unknown>>(failure, { onExcessProperty: "error" })
      expect(decode({ _tag: failure.identifier, ...example })).toBeInstanceOf(failure)
    }
  })

  test("may be tried again where they say when, and where the request was not at fault", () => {
    for (const failure of classes) {
      const { isRetryable = false, status } = failure.declaration
      expect(isRetryable).toBe(saysWhen(failure) || status === 408 || status >= 500)
    }
  })
})

describe("the description of an invalid request", () => {
  const places = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `messages.${index}`, message: "Expected object" }))

  test("lists a limited number of errors, and the number of further ones", () => {
    const few = InvalidRequest.of(places(LISTED_ERRORS_MAX_COUNT))
    expect(few.errors).toEqual(places(LISTED_ERRORS_MAX_COUNT))
    expect(few.detail).toBe("messages.0: Expected object")
    const many = InvalidRequest.of(places(524_230))
    expect(many.errors).toEqual(places(LISTED_ERRORS_MAX_COUNT))
    expect(many.detail).toBe("messages.0: Expected object (and 524210 more that are not listed)")
  })

  test("is short, whatever the names in the request", () => {
    const { detail, errors } = InvalidRequest.at("😀".repeat(100_000), "x".repeat(100_000))
    const [place] = errors
    expect(place?.path).toMatch(/^(?:😀)+�?…$/u)
    expect(place?.path.isWellFormed()).toBe(true)
    for (const text of [place?.path, place?.message]) expect(text?.length).toBeLessThanOrEqual(200)
    expect(detail.length).toBeLessThan(500)
  })
})

test("a limit is described in a suitable unit", () => {
  expect(TooLarge.of("handbook.pdf", 25 * 1024 ** 2).detail).toBe("handbook.pdf: at most 25 MiB.")
  expect(TooLarge.of("The body", 4 * 1024).detail).toBe("The body: at most 4 KiB.")
})
