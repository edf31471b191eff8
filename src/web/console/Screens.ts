import {
  Activity,
  Bot,
  Building,
  ChartColumn,
  CodeXml,
  Files,
  FlaskConical,
  type IconNode,
  Inbox,
  KeyRound,
  Lightbulb,
  MessagesSquare,
  Phone,
  Play,
  Settings2,
  Users,
  Webhook,
  Wrench,
} from "lucide"
import { type ComponentType, h } from "preact"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import { isComplete, parametersOf, type ScreenName, screenNames, type ScreenParams } from "./Router.ts"
import { can } from "./server/Session.ts"

/** A screen with the right to see it; the properties of its component are the parameters of its address. */
interface Screen<N extends ScreenName> {
  readonly title: string
  /** Its entry in the navigation; absent for a screen that only another one leads to. */
  readonly icon?: IconNode
  readonly needs: ReadonlyArray<Scope>
  readonly load: () => Promise<{ readonly default: ComponentType<ScreenParams<N>> }>
}

const conversations = {
  needs: ["conversations:read"],
  load: () => import("./screens/conversations/Conversations.tsx"),
} as const

const inbox = {
  needs: ["conversations:read"],
  load: () => import("./screens/inbox/Inbox.tsx"),
} as const

/** The screens of the console, in the order of the navigation. */
export const screens: { readonly [N in ScreenName]: Screen<N> } = {
  chatbots: {
    title: "Chatbots",
    icon: Bot,
    needs: ["chatbots:read"],
    load: () => import("./screens/chatbots/Chatbots.tsx"),
  },
  inbox: { title: "Inbox", icon: Inbox, ...inbox },
  inboxConversation: { title: "Conversation", ...inbox },
  conversations: { title: "Conversations", icon: MessagesSquare, ...conversations },
  conversation: { title: "Conversation", ...conversations },
  usage: {
    title: "Usage",
    icon: ChartColumn,
    needs: ["conversations:read"],
    load: () => import("./screens/usage/Usage.tsx"),
  },
  people: { title: "People", icon: Users, needs: ["admin"], load: () => import("./screens/people/People.tsx") },
  keys: { title: "Keys", icon: KeyRound, needs: ["admin"], load: () => import("./screens/keys/Keys.tsx") },
  webhooks: {
    title: "Webhooks",
    icon: Webhook,
    needs: ["admin"],
    load: () => import("./screens/webhooks/Webhooks.tsx"),
  },
  organizations: {
    title: "Organizations",
    icon: Building,
    needs: ["operator"],
    load: () => import("./screens/organizations/Organizations.tsx"),
  },
  system: { title: "System", icon: Activity, needs: ["operator"], load: () => import("./screens/system/System.tsx") },
  settings: {
    title: "Settings",
    icon: Settings2,
    needs: ["chatbots:read"],
    load: () => import("./screens/settings/Settings.tsx"),
  },
  knowledge: {
    title: "Knowledge",
    icon: Files,
    needs: ["knowledge:read"],
    load: () => import("./screens/knowledge/Knowledge.tsx"),
  },
  source: {
    title: "Source",
    needs: ["knowledge:read"],
    load: () => import("./screens/knowledge/SourceScreen.tsx"),
  },
  topics: {
    title: "Gaps and topics",
    icon: Lightbulb,
    needs: ["conversations:read"],
    load: () => import("./screens/topics/Topics.tsx"),
  },
  playground: {
    title: "Playground",
    icon: Play,
    needs: ["chat", "chatbots:read"],
    load: () => import("./screens/playground/Playground.tsx"),
  },
  compare: {
    title: "Compare",
    needs: ["chat", "chatbots:write"],
    load: () => import("./screens/playground/Compare.tsx"),
  },
  tests: {
    title: "Tests",
    icon: FlaskConical,
    needs: ["chatbots:read"],
    load: () => import("./screens/tests/Tests.tsx"),
  },
  testRun: {
    title: "Test run",
    needs: ["chatbots:read"],
    load: () => import("./screens/tests/TestRunScreen.tsx"),
  },
  improve: {
    title: "Improve answer",
    needs: ["conversations:read", "knowledge:read"],
    load: () => import("./screens/improve/Improve.tsx"),
  },
  tools: { title: "Tools", icon: Wrench, needs: ["chatbots:read"], load: () => import("./screens/tools/Tools.tsx") },
  widget: {
    title: "Widget",
    icon: CodeXml,
    needs: ["chatbots:read"],
    load: () => import("./screens/widget/Widget.tsx"),
  },
  voice: { title: "Voice", icon: Phone, needs: ["chatbots:read"], load: () => import("./screens/voice/Voice.tsx") },
}

/** Loads what renders a screen with the parameters of its address. */
export const loadScreen = async <N extends ScreenName>(name: N) => {
  const { default: component } = await screens[name].load()
  return (params: Readonly<Record<string, string>>) => (isComplete(name, params) ? h(component, params) : undefined)
}

/** Whether a screen may be used, with the chatbot among the parameters of its address. */
export const isShown = (screen: ScreenName, params: Readonly<Record<string, string>>): boolean =>
  screens[screen].needs.every((scope) => can(scope, params["chatbotId"] ?? null))

/** The screens that may be used, whose addresses have these parameters and no others. */
export const screensWith = (params: Readonly<Record<string, string>>): ReadonlyArray<ScreenName> =>
  screenNames.filter((name) => isShown(name, params) && parametersOf(name).join() === Object.keys(params).join())
