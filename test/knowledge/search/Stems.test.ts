import { expect, test } from "bun:test"
import { Stems } from "../../../src/knowledge/search/Stems.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const english = [{ language: "english", texts: 1 }] as const
const knows = (stems: Stems, question: string): boolean =>
  stems.query(english, bounded(question), () => 0) !== undefined
/** Learns the words of a question that are not known, as a search does. */
const ask = (stems: Stems, question: string): boolean => {
  const words = stems.unknown(english, bounded(question))
  stems.learn(words, [])
  return knows(stems, question)
}

test("a question knows all its words, whatever its new ones displace", () => {
  const stems = new Stems()
  for (let number = 0; number < 50_000; number++) ask(stems, `${number}`)
  expect(ask(stems, "0 new newer")).toBe(true)
  expect(knows(stems, "1")).toBe(false)
  expect(knows(stems, "3")).toBe(true)
})

test("long words take no more memory than short ones", () => {
  const stems = new Stems()
  const question = (number: number) => `${number}${"x".repeat(1_900)}`
  for (let number = 1; number <= 1_000; number++) ask(stems, question(number))
  const remembered = Array.from({ length: 1_000 }, (_, index) => index + 1).filter((n) => knows(stems, question(n)))
  expect(remembered.length * 1_900).toBeLessThanOrEqual(1_000_000)
  expect(remembered.at(-1)).toBe(1_000)
})
