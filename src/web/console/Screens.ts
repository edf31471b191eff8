import type { ComponentType } from "preact"
import type { Scope } from "../../domain/ApiKey.ts"
import type { ScreenName } from "./Router.ts"

/** What a screen is made of, and who may see it. */
export interface Screen {
  readonly title: string
  /** The right without which the screen is not shown. */
  readonly needs: Scope
  /** Loads the screen's own code. Its component is given the parameters of its address as properties. */
  readonly load: () => Promise<{ readonly default: ComponentType<Record<string, string>> }>
}

/**
 * Fits a component, whose properties are parameters of its address, to what any screen is given: the router gives each
 * screen the parameters that `paths` names.
 */
const screen = <P extends object>(
  title: string,
  needs: Scope,
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): Screen => ({ title, needs, load: load as unknown as Screen["load"] })

/** The screens of the console. A screen that is not listed here has no link anywhere. */
export const screens: Partial<Record<ScreenName, Screen>> = {
  chatbots: screen("Chatbots", "chatbots:read", () => import("./screens/chatbots/Chatbots.tsx")),
  usage: screen("Usage", "conversations:read", () => import("./screens/usage/Usage.tsx")),
}
