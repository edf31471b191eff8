import { effect } from "@preact/signals"
import { kept } from "./data/Kept.ts"

/** The choice of colours: as the system prefers, or as the person chose in this browser. */
export type Theme = "system" | "light" | "dark"

const isTheme = (value: unknown): value is Theme => value === "system" || value === "light" || value === "dark"

export const theme = kept<Theme>("theme", "system", (stored) => (isTheme(stored) ? stored : undefined))

export const startTheme = (): void => {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value
  })
}
