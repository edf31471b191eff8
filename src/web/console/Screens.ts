import {
  Activity,
  Bot,
  Building,
  ChartColumn,
  CodeXml,
  Files,
  type IconNode,
  KeyRound,
  MessagesSquare,
  Play,
  Settings2,
  Webhook,
  Wrench,
} from "lucide"
import { type ComponentChildren, type ComponentType, h } from "preact"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import { isComplete, type ScreenName, type ScreenParams } from "./Router.ts"
import { can } from "./server/Session.ts"

/** Renders a screen with the parameters of its address. */
type Render = (params: Readonly<Record<string, string>>) => ComponentChildren

/** A screen, and the right to see it. */
interface Screen {
  readonly title: string
  /** Its entry in the navigation; undefined for a screen that only another one leads to. */
  readonly icon: IconNode | undefined
  /** The rights without which the screen is not shown. */
  readonly needs: ReadonlyArray<Scope>
  /** Loads the screen's own code. */
  readonly load: () => Promise<Render>
}

/** A screen by its name; the properties of its component are the parameters of its address. */
const screen = <N extends ScreenName>(
  name: N,
  title: string,
  icon: IconNode | undefined,
  needs: ReadonlyArray<Scope>,
  load: () => Promise<{ readonly default: ComponentType<ScreenParams<N>> }>,
): Screen => ({
  title,
  icon,
  needs,
  load: async (): Promise<Render> => {
    const { default: component } = await load()
    return (params) => (isComplete(name, params) ? h(component, params) : undefined)
  },
})

/** The screens of the console, in the order of the navigation. */
export const screens: Readonly<Record<ScreenName, Screen>> = {
  chatbots: screen("chatbots", "Chatbots", Bot, ["chatbots:read"], () => import("./screens/chatbots/Chatbots.tsx")),
  conversations: screen(
    "conversations",
    "Conversations",
    MessagesSquare,
    ["conversations:read"],
    () => import("./screens/conversations/Conversations.tsx"),
  ),
  conversation: screen(
    "conversation",
    "Conversation",
    undefined,
    ["conversations:read"],
    () => import("./screens/conversations/Conversations.tsx"),
  ),
  usage: screen("usage", "Usage", ChartColumn, ["conversations:read"], () => import("./screens/usage/Usage.tsx")),
  keys: screen("keys", "Keys", KeyRound, ["admin"], () => import("./screens/keys/Keys.tsx")),
  webhooks: screen("webhooks", "Webhooks", Webhook, ["admin"], () => import("./screens/webhooks/Webhooks.tsx")),
  organizations: screen(
    "organizations",
    "Organizations",
    Building,
    ["operator"],
    () => import("./screens/organizations/Organizations.tsx"),
  ),
  system: screen("system", "System", Activity, ["operator"], () => import("./screens/system/System.tsx")),
  settings: screen(
    "settings",
    "Settings",
    Settings2,
    ["chatbots:read"],
    () => import("./screens/settings/Settings.tsx"),
  ),
  knowledge: screen(
    "knowledge",
    "Knowledge",
    Files,
    ["knowledge:read"],
    () => import("./screens/knowledge/Knowledge.tsx"),
  ),
  playground: screen(
    "playground",
    "Playground",
    Play,
    ["chat", "chatbots:read"],
    () => import("./screens/playground/Playground.tsx"),
  ),
  compare: screen(
    "compare",
    "Compare",
    undefined,
    ["chat", "chatbots:write"],
    () => import("./screens/playground/Compare.tsx"),
  ),
  tools: screen("tools", "Tools", Wrench, ["chatbots:read"], () => import("./screens/tools/Tools.tsx")),
  widget: screen("widget", "Widget", CodeXml, ["chatbots:read"], () => import("./screens/widget/Widget.tsx")),
}

/** Whether the key that is signed in may use a screen. */
export const isShown = (screen: ScreenName): boolean => screens[screen].needs.every(can)
