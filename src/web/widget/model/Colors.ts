import {
  accent,
  BUBBLE_SHARE,
  contrast,
  formatColor,
  mix,
  parseColor,
  readable,
  type Rgb,
  textOn,
} from "../../shared/Contrast.ts"

/** The widget's surfaces in light and dark, which `frame.css` has as well. */
const surfaces = {
  light: { surface: [255, 255, 255], raised: [244, 245, 247] },
  dark: { surface: [24, 26, 31], raised: [37, 40, 47] },
} as const satisfies Record<string, { readonly surface: Rgb; readonly raised: Rgb }>

/** The contrast with the surface below which a message needs an edge to be seen as one. */
const BUBBLE_CONTRAST = 1.1

const fallback: Rgb = parseColor(accent) ?? [0, 0, 0]

/**
 * Returns the custom properties that follow from the colours that an operator chose. The texts on them, and links in the
 * primary colour, are readable with any choice. Without a secondary colour, the visitor's messages have a shade of
 * the primary one.
 */
export const colorProperties = (primary: string, secondary: string): ReadonlyMap<string, string> => {
  const main = parseColor(primary) ?? fallback
  const second = parseColor(secondary)
  const properties = new Map<string, Rgb>([
    ["--primary", main],
    ["--on-primary", textOn(main)],
  ])
  for (const [scheme, { raised, surface }] of Object.entries(surfaces)) {
    const bubble = second ?? mix(surface, main, scheme === "light" ? BUBBLE_SHARE : 0.28)
    const rounded = parseColor(formatColor(bubble)) ?? bubble
    properties.set(`--bubble-${scheme}`, bubble)
    properties.set(`--on-bubble-${scheme}`, textOn(rounded))
    const isLost = contrast(rounded, surface) < BUBBLE_CONTRAST
    properties.set(`--bubble-edge-${scheme}`, isLost ? mix(surface, textOn(surface), 0.25) : rounded)
    properties.set(`--link-${scheme}`, readable(main, surface, raised))
  }
  return new Map(Array.from(properties, ([name, color]) => [name, formatColor(color)]))
}
