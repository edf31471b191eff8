import { effect } from "@preact/signals"
import { kept } from "./data/Kept.ts"
import { keysOf } from "./server/Unknown.ts"

/** The choices of colours: as the system prefers, or as the person chose in this browser. */
export const themes = { light: "Light", dark: "Dark", system: "System" }

export type Theme = keyof typeof themes

export const theme = kept<Theme>("theme", "system", (stored) => keysOf(themes).find((each) => each === stored))

export const startTheme = (): void => {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value
  })
}
