import { describe, expect, test } from "bun:test"
import { modelsWithoutPrice } from "../../../src/web/console/screens/usage/Prices.tsx"
import { changeWords, qualityOf } from "../../../src/web/console/screens/usage/Quality.ts"
import { audioOf, csvOf, partsOf, readings, sheetOf } from "../../../src/web/console/screens/usage/Report.ts"

const row = (day: string, model: string, tokens: number) => ({
  day,
  model,
  provider: "anthropic",
  chatbot_id: "b1",
  api_key_id: "k1",
  replies: 1,
  input_tokens: tokens - 1,
  output_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_tokens: tokens,
})

const rows = [row("2026-11-19", "small", 10), row("2026-11-20", "large", 100), row("2026-11-20", "small", 5)]

describe("a usage report", () => {
  test("is gathered by what divides it, the largest first", () => {
    expect(partsOf(rows, "model").map(({ key, replies, total_tokens }) => [key, replies, total_tokens])).toEqual([
      ["large", 1, 100],
      ["small", 2, 15],
    ])
    expect(partsOf(rows, "chatbot").map(({ key, total_tokens }) => [key, total_tokens])).toEqual([["b1", 115]])
    expect(partsOf([], "key")).toEqual([])
  })

  test("gives a chart the measure that it shows", () => {
    expect(readings(rows, "model", "output_tokens")[1]).toEqual({ day: "2026-11-20", key: "large", value: 1 })
    expect(readings(rows, "key", "total_tokens").map(({ key, value }) => [key, value])).toEqual([
      ["k1", 10],
      ["k1", 100],
      ["k1", 5],
    ])
  })

  test("is a file in which every row is whole", () => {
    const names = { chatbot: (id: string) => `Bot ${id}`, key: () => 'My "key", the first' }
    expect(csvOf(sheetOf(rows.slice(1, 2), names)).split("\r\n")).toEqual([
      "day,chatbot,chatbot_id,model,provider,key,api_key_id,replies,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,total_tokens,audio_seconds",
      '2026-11-20,Bot b1,b1,large,anthropic,"My ""key"", the first",k1,1,99,1,0,0,100,',
      "",
    ])
  })
})

test("audio is told in seconds as long as it was heard or spoken, and text in none", () => {
  const heard = { ...row("2026-11-20", "whisper-1", 0), provider: "transcription", input_tokens: 125, output_tokens: 0 }
  const spoken = { ...heard, model: "tts-1", provider: "speech", input_tokens: 0, output_tokens: 1_500 }
  expect(partsOf([heard, heard, spoken, ...rows], "model").map((part) => [part.key, audioOf(part)])).toEqual([
    ["large", undefined],
    ["small", undefined],
    ["whisper-1", { seconds: 25, verb: "heard" }],
    ["tts-1", { seconds: 75, verb: "spoken" }],
  ])
  const [, ...lines] = sheetOf([heard, spoken], { chatbot: String, key: String })
  expect(lines.map((line) => line.at(-1))).toEqual([12.5, 75])
})

test("models that took tokens and have no price are named, and others are not", () => {
  expect(modelsWithoutPrice([...rows, row("2026-11-20", "idle", 0), row("2026-11-20", "", 1)])).toEqual([
    "large",
    "small",
    "unknown model",
  ])
})

describe("a CSV file", () => {
  test("holds no formula, whatever a name says", () => {
    expect(csvOf([["=1+1", "@x", "-2", -2, "a\nb"]])).toBe("'=1+1,'@x,'-2,-2,\"a\nb\"\r\n")
  })
})

const quiet = { conversations: 10, questions: 20, unanswered: 0, rated_up: 0, rated_down: 0, resolved: 9 }

describe("numbers of conversations", () => {
  test("compares with the time before in words", () => {
    expect([changeWords(12, 10), changeWords(9, 10), changeWords(10, 10)]).toEqual(["+20%", "−10%", "No change"])
    expect(qualityOf([quiet, { ...quiet, unanswered: 4, rated_up: 3, rated_down: 1 }])).toEqual({
      questions: 40,
      rated: 4,
      resolvedShare: 0.9,
      unansweredShare: 0.1,
      upShare: 0.75,
    })
    expect(qualityOf([]).upShare).toBeUndefined()
  })
})
