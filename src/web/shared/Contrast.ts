/*
 * Readable text on all colours that operators choose: contrast as WCAG 2 defines it.
 */

/** The colour of the widget where the operator has chosen none. White is read well on it. */
export const accent = "#2f55d4"

/** The share of the primary colour in the light background of the visitor's messages, where it has no colour of its own. */
export const BUBBLE_SHARE = 0.12

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]

export const TEXT_CONTRAST = 4.5

/** Reads `#rgb` or `#rrggbb`; `undefined` for anything else. */
export const parseColor = (text: string): Rgb | undefined => {
  const digits = text.trim().replace(/^#(.)(.)(.)$/u, "#$1$1$2$2$3$3")
  if (!/^#[0-9a-f]{6}$/iu.test(digits)) return undefined
  const number = Number.parseInt(digits.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

export const formatColor = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

const luminance = ([red, green, blue]: Rgb): number => {
  const linear = (part: number): number => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** Returns the contrast of two colours: from 1 for the same colour to 21 for black on white. */
export const contrast = (one: Rgb, other: Rgb): number => {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Returns white or black, of which at least one has a contrast of 4.58 on every colour; white where both are readable. */
export const textOn = (background: Rgb): Rgb => (contrast(WHITE, background) >= TEXT_CONTRAST ? WHITE : BLACK)

/** Mixes two colours; `share` is that of the second one, from 0 to 1. */
export const mix = (one: Rgb, other: Rgb, share: number): Rgb => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
]

/** Returns the colour, made darker or lighter as far as it takes to be readable on all of the backgrounds. */
export const readable = (color: Rgb, ...backgrounds: readonly [Rgb, ...ReadonlyArray<Rgb>]): Rgb => {
  const towards = textOn(backgrounds[0])
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = parseColor(formatColor(mix(color, towards, share))) ?? towards
    if (backgrounds.every((background) => contrast(mixed, background) >= TEXT_CONTRAST)) return mixed
  }
  return towards
}
