import { BUBBLE_SHARE } from "../../../shared/Accent.ts"
import { contrast, formatColor, mix, parseColor, TEXT_CONTRAST, textOn } from "../../../shared/Contrast.ts"

const WHITE = [255, 255, 255] as const

/** The shade of a primary colour that the widget has in light behind the visitor's messages. */
export const shadeOf = (primary: string): string => formatColor(mix(WHITE, parseColor(primary) ?? WHITE, BUBBLE_SHARE))

/** Says which colour the text on a background has, how well it is read, and what the operator might not expect. */
export const contrastHint = (background: string): string | undefined => {
  const color = parseColor(background)
  if (color === undefined) return undefined
  const text = textOn(color)
  const ratio = contrast(text, color)
  const name = formatColor(text) === "#ffffff" ? "White" : "Black"
  const read = `${name} text has a contrast of ${ratio.toFixed(1)}:1.`
  const onWhite = contrast(WHITE, color)
  if (name === "Black") return `${read} White text would have only ${onWhite.toFixed(1)}:1.`
  return onWhite >= TEXT_CONTRAST ? `${read} Easy to read.` : read
}
