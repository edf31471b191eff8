import { describe, expect, test } from "bun:test"
import { Arbitrary, Effect, Schema } from "effect"
import * as fc from "fast-check"
import { ChatbotInput, ChatbotPatch, chatbotDefaults, Settings } from "../../../src/domain/chatbot/Chatbot.ts"
import { Slug, freeSlug, slugOf } from "../../../src/domain/chatbot/Slug.ts"
import { ChatWidgetPatch } from "../../../src/domain/chatbot/ChatWidget.ts"
import { merge } from "../../../src/domain/schema/Merge.ts"
import { VoiceWidgetConfig, VoiceWidgetPatch } from "../../../src/domain/chatbot/VoiceWidget.ts"
import { anyLongString, holds } from "../../lib/Arbitraries.ts"

const isSlug = Schema.is(Slug)

describe("a patch", () => {
  test("of a valid configuration results in a valid one", async () => {
    const isSettings = Schema.is(Settings)
    const settings = chatbotDefaults("Some", "local/extractive").settings
    await holds(Arbitrary.schema(ChatbotPatch), (patch) => isSettings(merge(settings, patch.settings ?? {})))
    const isVoice = Schema.is(VoiceWidgetConfig)
    const voice = Arbitrary.schema(VoiceWidgetConfig)
    await holds(Arbitrary.all([voice, Arbitrary.schema(VoiceWidgetPatch)]), ([a, b]) => isVoice(merge(a, b)))
  })
})

describe("slugs", () => {
  test("are valid for any name, and leave room for a number", () =>
    fc.assert(
      fc.property(anyLongString, (name) => {
        const slug = slugOf(name)
        expect([slug, isSlug(slug), isSlug(`${slug}-999999999`)]).toEqual([slug, true, true])
      }),
      { numRuns: 1_000 },
    ))

  test("differ for names in other scripts", () => {
    expect(slugOf("Żółć & Co.")).toBe("zolc-co")
    expect(slugOf("Ελληνικά")).toBe("ellinika")
    expect(slugOf("日本語")).not.toBe("chatbot")
    expect(slugOf("!?")).toBe("chatbot")
  })

  /** The free slug beside taken ones, and how many slugs each query asked for. */
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

  test("are the first that is free", () =>
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

  test("are found among very many in a few queries, after those that are taken", () =>
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

  test("accept colours only as #rgb, #rrggbb and #rrggbbaa", () => {
    expect(["", "#fff", "#3B82f6", "#3b82f680"].filter((color) => !colors(color))).toEqual([])
    expect(["red", "#ff", "#ffff", "#fffff", "#ggg", "#fff ", "fff", "#3b82f6\n"].filter(colors)).toEqual([])
  })

  test("accept languages as BCP 47 tags", () => {
    expect(["", "auto", "de", "pt-BR", "zh-Hant-TW"].filter((language) => !languages(language))).toEqual([])
    expect(["d", "de_DE", "english language", "de-", "-"].filter(languages)).toEqual([])
  })

  test("accept only image URLs that a browser loads over http(s)", () => {
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
  ])("limit the length of %s to %d–%d", (field, minimum, maximum) => {
    const sent = (length: number) => accepts(ChatbotPatch, { [field]: "x".repeat(length) })
    expect([minimum, maximum].map(sent)).toEqual([true, true])
    expect([minimum - 1, maximum + 1].filter((length) => length >= 0 && sent(length))).toEqual([])
  })

  test.each([
    [["appearance", "buttonRadius"], 0, 100],
    [["appearance", "cardRadius"], 0, 100],
    [["model", "temperature"], 0, 2],
    [["model", "max_output_tokens"], 1, 4_096],
    [["vad", "threshold"], 0, 1],
    [["vad", "prefix_padding_ms"], 0, 5_000],
    [["vad", "silence_duration_ms"], 0, 10_000],
  ])("limit %p to %d–%d", ([group = "", field = ""], minimum, maximum) => {
    const sent = (value: number) => accepts(VoiceWidgetConfig, { [group]: { [field]: value } })
    expect([minimum, maximum].map(sent)).toEqual([true, true])
    expect([minimum - 0.001, maximum + 1, Number.NaN, Number.POSITIVE_INFINITY].filter(sent)).toEqual([])
  })

  test("limit the length of a prompt to 32,000", () => {
    const sent = (length: number) => accepts(ChatbotPatch, { settings: { prompt: "x".repeat(length) } })
    expect([32_000, 32_001].map(sent)).toEqual([true, false])
  })

  test("refuse unknown and read-only fields, and a new chatbot without a name", () => {
    for (const field of ["id", "organization_id", "active", "created_at", "migrated_data", "colour"]) {
      expect([field, accepts(ChatbotInput, { name: "Some", [field]: "x" })]).toEqual([field, false])
    }
    expect(accepts(ChatbotInput, {})).toBe(false)
    expect(accepts(ChatbotInput, { name: "Some" })).toBe(true)
  })
})
