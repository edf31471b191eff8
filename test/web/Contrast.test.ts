import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  contrast,
  formatColor,
  parseColor,
  readable,
  TEXT_CONTRAST,
  textOn,
  type Rgb,
} from "../../src/web/shared/Contrast.ts"
import { colorProperties } from "../../src/web/widget/model/Colors.ts"

const part = fc.integer({ min: 0, max: 255 })
const color: fc.Arbitrary<Rgb> = fc.tuple(part, part, part)
const colorText = color.map(formatColor)

const read = (properties: ReadonlyMap<string, string>, name: string): Rgb => {
  const parsed = parseColor(properties.get(name) ?? "")
  if (parsed === undefined) throw new Error(`${name} is no colour`)
  return parsed
}

describe("the contrast of two colours", () => {
  test("is that of WCAG 2", () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
    expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2)
    expect(parseColor("#0af")).toEqual([0, 170, 255])
    expect(parseColor("red")).toBeUndefined()
  })

  test("is enough for text on any background, and for any colour that is made readable", () => {
    fc.assert(
      fc.property(color, color, (one, other) => {
        expect(contrast(textOn(one), one)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
        expect(contrast(readable(one, other), other)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
      }),
    )
  })
})

describe("the colours of the widget", () => {
  test("are readable whatever the operator has chosen, in light and dark", () => {
    fc.assert(
      fc.property(colorText, fc.oneof(colorText, fc.constant("")), (primary, secondary) => {
        const properties = colorProperties(primary, secondary)
        const pairs = [
          ["--on-primary", "--primary"],
          ["--on-bubble-light", "--bubble-light"],
          ["--on-bubble-dark", "--bubble-dark"],
        ] as const
        for (const [text, background] of pairs) {
          expect(contrast(read(properties, text), read(properties, background))).toBeGreaterThanOrEqual(TEXT_CONTRAST)
        }
        expect(contrast(read(properties, "--link-light"), [255, 255, 255])).toBeGreaterThanOrEqual(TEXT_CONTRAST)
        expect(contrast(read(properties, "--link-dark"), [24, 26, 31])).toBeGreaterThanOrEqual(TEXT_CONTRAST)
      }),
    )
  })

  test("give a message of the page's own colour an edge, and no other", () => {
    const white = colorProperties("", "#ffffff")
    expect(white.get("--bubble-edge-light")).not.toBe(white.get("--bubble-light"))
    expect(white.get("--bubble-edge-dark")).toBe(white.get("--bubble-dark"))
    const own = colorProperties("", "")
    expect(own.get("--bubble-edge-light")).toBe(own.get("--bubble-light"))
  })

  test("are the widget's own where the operator has chosen none, or what is no colour", () => {
    expect(colorProperties("", "")).toEqual(colorProperties("url(x)", "nonsense"))
  })
})
