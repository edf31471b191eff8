import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Clauses, spokenIn } from "../../../src/domain/voice/Clauses.ts"
import { cutAtHeard, type Spoken } from "../../../src/domain/voice/Heard.ts"

const MS = 10

/** How a reply is spoken with a fixed time for each character. */
const spokenOf = (content: string, unit: Spoken["unit"] = "ms"): Spoken => {
  const clauses = new Clauses()
  let until = 0
  const marks = [...clauses.push(content), ...clauses.end()].map(({ end, text }) => {
    until += text.length * (unit === "ms" ? MS : 1)
    return [end, until] as const
  })
  return { unit, marks }
}

const cut = (content: string, heard: number, unit: Spoken["unit"] = "ms"): string =>
  cutAtHeard(content, spokenOf(content, unit), heard)?.content ?? content

describe("a reply that was interrupted is cut", () => {
  const reply = "The **ferry** leaves at noon. It takes [an hour](https://example.com), at most."

  test.each([
    [0, ""],
    [20, ""],
    [30, "The"],
    [80, "The"],
    [90, "The **ferry"],
    [240, "The **ferry** leaves at noon"],
    [250, "The **ferry** leaves at noon."],
    [280, "The **ferry** leaves at noon. It"],
    [360, "The **ferry** leaves at noon. It takes [an"],
    [410, "The **ferry** leaves at noon. It takes [an hour"],
    [10_000, reply],
  ])("after %d ms", (ms, left) => {
    expect(cut(reply, ms)).toBe(left)
  })

  test("by the characters that a browser has spoken", () => {
    expect(cut(reply, 9, "characters")).toBe("The **ferry")
  })

  test("after whole words, also where there are no spaces, and never within a character", () => {
    expect(cut("我们九点开门。", 15)).toBe("")
    expect(cut("我们九点开门。", 35)).toBe("我们九")
    expect(cut("Go 👩‍👧 on", 10_000)).toBe("Go 👩‍👧 on")
  })

  test("and once more, with the same effect", () => {
    const first = cutAtHeard(reply, spokenOf(reply), 185)
    expect(first?.content).toBe("The **ferry** leaves")
    expect(first && cutAtHeard(first.content, first.spoken, 185)).toBeUndefined()
    expect(first && cutAtHeard(first.content, first.spoken, 95)?.content).toBe("The **ferry")
  })

  test("to what was spoken of it, where more was written", () => {
    expect(cutAtHeard("One. Two. Three.", { unit: "ms", marks: [[5, 400]] }, 400)?.content).toBe("One.")
    expect(cutAtHeard("One. Two.", { unit: "ms", marks: [] }, 0)?.content).toBe("")
  })

  test("to a beginning of it whose spoken words are those that were heard whole", () => {
    const words = fc.array(fc.constantFrom("Noon", "ferry,", "**hour**", "leaves.", "it", "at", "Pier\n"), {
      minLength: 1,
      maxLength: 60,
    })
    fc.assert(
      fc.property(words, fc.nat({ max: 5_000 }), (parts, ms) => {
        const content = parts.join(" ")
        const left = cut(content, ms)
        expect(content).toStartWith(left)
        const { marks } = spokenOf(content)
        if (ms >= (marks.at(-1)?.[1] ?? 0)) return expect(left).toBe(content)
        // What sounds until then, clause by clause.
        let heard = ""
        let start = 0
        let before = 0
        for (const [end, until] of marks) {
          heard += ` ${spokenIn(content.slice(start, end)).text.slice(0, Math.max(0, Math.floor((ms - before) / MS)))}`
          if (ms < until) break
          ;[start, before] = [end, until]
        }
        const bare = (text: string) =>
          spokenIn(text)
            .text.replaceAll(/[^\p{L}\s]/gu, "")
            .trim()
        const whole = bare(left)
        expect(bare(heard)).toStartWith(whole)
        // At most one word that has only begun is missing.
        expect(bare(heard).slice(whole.length).trim().split(/\s+/u).length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
