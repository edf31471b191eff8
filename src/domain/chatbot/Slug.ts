import anyAscii from "any-ascii"
import { Effect, Schema } from "effect"

const SLUG_MAX_LENGTH = 100

export const Slug = Schema.String.check(
  Schema.isMaxLength(SLUG_MAX_LENGTH).abort(),
  Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, {
    message: "Expected lower-case letters, digits and single hyphens, such as my-chatbot",
  }),
).annotate({ examples: ["support"] })

/**
 * The slug that a name suggests: the name in ASCII, or `chatbot` where nothing of it is left, with room for a suffix.
 */
export const slugOf = (name: string): string =>
  anyAscii(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX_LENGTH - 10)
    .replaceAll(/^-+|-+$/g, "") || "chatbot"

/** Number of candidates that are looked up in one query. */
const PROBES = 32
/** The number of doublings after which a suffix still has at most nine digits. */
const DOUBLINGS = 24

/**
 * The slug itself when it is free, or else with a number as its suffix: `support`, `support-2`, … The number is the
 * lowest that is free; where many are taken it is some free number, found in a few queries without reading all that are
 * taken.
 *
 * @param inUse returns those of some slugs that are taken
 */
export const freeSlug = <E, R>(
  slug: string,
  inUse: (slugs: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, E, R>,
): Effect.Effect<string, E, R> => {
  const named = (number: number) => (number === 1 ? slug : `${slug}-${number}`)
  /** As far as is known, all numbers up to `taken` are taken; `numbers` increase from there. */
  const search = (taken: number, numbers: ReadonlyArray<number>): Effect.Effect<string, E, R> =>
    Effect.flatMap(inUse(numbers.map(named)), (names) => {
      const used = new Set(names)
      const index = numbers.findIndex((number) => !used.has(named(number)))
      const free = numbers[index] ?? (numbers.at(-1) ?? taken) + 1
      const before = numbers[index - 1] ?? taken
      if (index < 0 || free - before <= 1) return Effect.succeed(named(free))
      const step = Math.ceil((free - before) / PROBES)
      const between = Array.from({ length: PROBES }, (_, index) => before + (index + 1) * step)
      return search(before, [...between.filter((number) => number < free), free])
    })
  const first = Array.from({ length: PROBES }, (_, index) => index + 1)
  return search(0, [...first, ...Array.from({ length: DOUBLINGS }, (_, index) => PROBES * 2 ** (index + 1))])
}
