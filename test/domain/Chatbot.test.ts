import { describe, expect, test } from "bun:test"
import { Arbitrary, Effect, Schema } from "effect"
import * as fc from "fast-check"
import {
  ChatbotInput,
  ChatbotPatch,
  chatbotDefaults,
  ChatWidgetPatch,
  merge,
  Settings,
  Slug,
  freeSlug,
  slugOf,
  VoiceWidgetConfig,
} from "../../src/domain/Chatbot.ts"
import { anyLongString, holds } from "../lib/Arbitraries.ts"

const isSlug = Schema.is(Slug)

/** A JSON object; `__proto__` and the like are names as good as any other. */
const jsonObject = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor", "toString"), fc.string()),
  fc.jsonValue({ maxDepth: 2 }),
)
const asJson = (value: object): Schema.JsonObject => Schema.decodeUnknownSync(Schema.JsonObject)(value)
const sameJson = (a: Schema.JsonObject, b: Schema.JsonObject) => expect(JSON.stringify(a)).toBe(JSON.stringify(b))

/** Objects of one form: `plain` fields never hold objects, `nested` ones always do. */
const formed = fc.letrec<{ object: Schema.JsonObject }>((tie) => ({
  object: fc
    .record(
      {
        plain1: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 })),
        plain2: fc.boolean(),
        nested1: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("object")),
        nested2: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("object")),
      },
      { requiredKeys: [] },
    )
    .map((value) => ({ ...value })),
})).object

describe("merge", () => {
  test("of nothing, or of the same, changes nothing", () =>
    fc.assert(
      fc.property(jsonObject, (value) => {
        const a = asJson(value)
        sameJson(merge(a, {}), a)
        sameJson(merge(a, a), a)
        expect(merge({}, a)).toEqual(a)
      }),
    ))

  test("has every field that was sent, and those of before that were not", () =>
    fc.assert(
      fc.property(jsonObject, jsonObject, (before, patch) => {
        const merged = merge(asJson(before), asJson(patch))
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(before), ...Object.keys(patch)]))
        for (const [key, value] of Object.entries(merged)) {
          if (!Object.hasOwn(patch, key)) expect<unknown>(value).toEqual(asJson(before)[key] ?? null)
          else if (typeof value !== "object" || Array.isArray(value))
            expect<unknown>(value).toEqual(asJson(patch)[key] ?? null)
        }
      }),
    ))

  test("of two patches together is that of one after the other", () =>
    fc.assert(
      fc.property(formed, formed, formed, (a, b, c) => expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))),
    ))

  test("in either order is the same when the patches are of different fields", () =>
    fc.assert(
      fc.property(formed, formed, formed, (a, left, right) => {
        const b = { plain1: 1, nested1: left }
        const c = { plain2: true, nested2: right }
        expect(merge(merge(a, b), c)).toEqual(merge(merge(a, c), b))
      }),
    ))

  test("of valid configurations is valid", async () => {
    const isSettings = Schema.is(Settings)
    const settings = chatbotDefaults("Some", "local/extractive").settings
    await holds(Arbitrary.schema(ChatbotPatch), (patch) => isSettings(merge(settings, patch.settings ?? {})))
    const isVoice = Schema.is(VoiceWidgetConfig)
    const voice = Arbitrary.schema(VoiceWidgetConfig)
    await holds(Arbitrary.all([voice, voice]), ([a, b]) => isVoice(merge(a, b)))
  })
})

describe("slugs", () => {
  test("of any name at all are valid, and leave room for a number", () =>
    fc.assert(
      fc.property(anyLongString, (name) => {
        const slug = slugOf(name)
        expect([slug, isSlug(slug), isSlug(`${slug}-999999999`)]).toEqual([slug, true, true])
      }),
      { numRuns: 1_000 },
    ))

  test("tell names of other scripts apart", () => {
    expect(slugOf("Żółć & Co.")).toBe("zolc-co")
    expect(slugOf("Ελληνικά")).toBe("ellinika")
    expect(slugOf("日本語")).not.toBe("chatbot")
    expect(slugOf("!?")).toBe("chatbot")
  })

  /** What is found among those that are taken, and how many were asked for each time. */
  const search = (slug: string, taken: ReadonlySet<string>) => {
    const asked: Array<number> = []
    const free = Effect.runSync(
      freeSlug(slug, (slugs) => {
        asked.push(slugs.length)
        return Effect.succeed(slugs.filter((each) => taken.has(each)))
      }),
    )
    return { free, asked }
  }

  test("are free, and the first that is", () =>
    fc.assert(
      fc.property(fc.string(), fc.array(fc.integer({ min: 0, max: 12 })), fc.boolean(), (name, numbers, isTaken) => {
        const slug = slugOf(name)
        const taken = [...numbers.map((number) => `${slug}-${number}`), ...(isTaken ? [slug] : [])]
        const { free } = search(slug, new Set(taken))
        expect(taken).not.toContain(free)
        expect(isSlug(free)).toBe(true)
        const candidates = [slug, ...Array.from({ length: 13 }, (_, index) => `${slug}-${index + 2}`)]
        expect(free).toBe(candidates.find((candidate) => !taken.includes(candidate)) ?? "none")
      }),
    ))

  test("are found among very many in a few steps, and follow one that is taken", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.integer({ min: 2, max: 100_000 })),
        (count, gaps) => {
          const taken = new Set(["a", ...Array.from({ length: count - 1 }, (_, index) => `a-${index + 2}`)])
          for (const gap of gaps) taken.delete(`a-${gap}`)
          const { free, asked } = search("a", taken)
          expect(taken.has(free)).toBe(false)
          expect(asked.length).toBeLessThanOrEqual(5)
          expect(Math.max(...asked)).toBeLessThanOrEqual(64)
          const number = Number(free.split("-")[1] ?? 1)
          expect(number === 1 || taken.has(number === 2 ? "a" : `a-${number - 1}`)).toBe(true)
          if (gaps.length === 0) expect(number).toBe(count + 1)
        },
      ),
      { numRuns: 50 },
    ))
})

const accepts = (schema: Schema.Codec<unknown, unknown>, value: unknown): boolean =>
  Schema.decodeUnknownOption(schema, { onExcessProperty: "error" })(value)._tag === "Some"

describe("configurations", () => {
  const colors = (primaryColor: string) => accepts(ChatWidgetPatch, { primaryColor })
  const languages = (language: string) => accepts(ChatWidgetPatch, { language })
  const logos = (logo: string) => accepts(ChatWidgetPatch, { logo })

  test("take colours as #rgb, #rrggbb and #rrggbbaa only", () => {
    expect(["", "#fff", "#3B82f6", "#3b82f680"].filter((color) => !colors(color))).toEqual([])
    expect(["red", "#ff", "#ffff", "#fffff", "#ggg", "#fff ", "fff", "#3b82f6\n"].filter(colors)).toEqual([])
  })

  test("take languages as BCP 47 tags", () => {
    expect(["", "auto", "de", "pt-BR", "zh-Hant-TW"].filter((language) => !languages(language))).toEqual([])
    expect(["d", "de_DE", "english language", "de-", "-"].filter(languages)).toEqual([])
  })

  test("take addresses of images that a browser loads over http(s)", () => {
    expect(["", "https://a.example/b.png", "http://[::1]/x"].filter((logo) => !logos(logo))).toEqual([])
    expect(["javascript:alert(1)", "data:image/png;base64,", "//a.example", "https://", "a.png"].filter(logos)).toEqual(
      [],
    )
    expect(logos(`https://a.example/${"x".repeat(2_030)}`)).toBe(true)
    expect(logos(`https://a.example/${"x".repeat(2_031)}`)).toBe(false)
  })

  test.each([
    ["name", 1, 200],
    ["description", 0, 2_000],
    ["slug", 1, 100],
  ])("bound the length of %s to %d–%d", (field, minimum, maximum) => {
    const sent = (length: number) => accepts(ChatbotPatch, { [field]: "x".repeat(length) })
    expect([minimum, maximum].map(sent)).toEqual([true, true])
    expect([minimum - 1, maximum + 1].filter((length) => length >= 0 && sent(length))).toEqual([])
  })

  test.each([
    [["appearance", "buttonRadius"], 0, 100],
    [["model", "temperature"], 0, 2],
    [["model", "max_output_tokens"], 1, 4_096],
    [["vad", "threshold"], 0, 1],
    [["vad", "prefix_padding_ms"], 0, 5_000],
    [["vad", "silence_duration_ms"], 0, 10_000],
  ])("bound %p to %d–%d", ([group = "", field = ""], minimum, maximum) => {
    const sent = (value: number) => accepts(VoiceWidgetConfig, { [group]: { [field]: value } })
    expect([minimum, maximum].map(sent)).toEqual([true, true])
    expect([minimum - 0.001, maximum + 1, Number.NaN, Number.POSITIVE_INFINITY].filter(sent)).toEqual([])
  })

  test("refuse what they do not know and what cannot be set, and a new chatbot without a name", () => {
    for (const field of ["id", "organization_id", "active", "created_at", "migrated_data", "colour"]) {
      expect([field, accepts(ChatbotInput, { name: "Some", [field]: "x" })]).toEqual([field, false])
    }
    expect(accepts(ChatbotInput, {})).toBe(false)
    expect(accepts(ChatbotInput, { name: "Some" })).toBe(true)
  })
})
