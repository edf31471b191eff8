import { type ComponentChildren, type ComponentType, h } from "preact"
import type { Scope } from "../../domain/ApiKey.ts"
import { isComplete, type ScreenName, type ScreenParams } from "./Router.ts"

/** Renders a screen with the parameters of its address. */
export type Render = (params: Readonly<Record<string, string>>) => ComponentChildren

/** What a screen is made of, and who may see it. */
export interface Screen {
  readonly title: string
  /** The right without which the screen is not shown. */
  readonly needs: Scope
  /** Loads the screen's own code. */
  readonly load: () => Promise<Render>
}

/** A screen by its name; the properties of its component are the parameters of its address. */
const screen = <N extends ScreenName>(
  name: N,
  title: string,
  needs: Scope,
  load: () => Promise<{ readonly default: ComponentType<ScreenParams<N>> }>,
): Partial<Record<ScreenName, Screen>> => ({
  [name]: {
    title,
    needs,
    load: async (): Promise<Render> => {
      const { default: component } = await load()
      return (params) => (isComplete(name, params) ? h(component, params) : undefined)
    },
  },
})

/** The screens of the console. A screen that is not listed here has no link anywhere. */
export const screens: Partial<Record<ScreenName, Screen>> = {
  ...screen("chatbots", "Chatbots", "chatbots:read", () => import("./screens/chatbots/Chatbots.tsx")),
  ...screen("settings", "Settings", "chatbots:read", () => import("./screens/settings/Settings.tsx")),
  ...screen("knowledge", "Knowledge", "knowledge:read", () => import("./screens/knowledge/Knowledge.tsx")),
  ...screen("widget", "Widget", "chatbots:read", () => import("./screens/widget/Widget.tsx")),
  ...screen(
    "conversations",
    "Conversations",
    "conversations:read",
    () => import("./screens/conversations/Conversations.tsx"),
  ),
  ...screen(
    "conversation",
    "Conversation",
    "conversations:read",
    () => import("./screens/conversations/Conversation.tsx"),
  ),
  ...screen("playground", "Playground", "chat", () => import("./screens/playground/Playground.tsx")),
  ...screen("tools", "Tools", "chatbots:read", () => import("./screens/tools/Tools.tsx")),
  ...screen("keys", "Keys", "admin", () => import("./screens/keys/Keys.tsx")),
  ...screen("webhooks", "Webhooks", "admin", () => import("./screens/webhooks/Webhooks.tsx")),
  ...screen("organizations", "Organizations", "operator", () => import("./screens/organizations/Organizations.tsx")),
  ...screen("system", "System", "operator", () => import("./screens/system/System.tsx")),
  ...screen("usage", "Usage", "conversations:read", () => import("./screens/usage/Usage.tsx")),
}
