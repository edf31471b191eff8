import {
  Activity,
  Bot,
  Building,
  ChartColumn,
  CodeXml,
  Cpu,
  Files,
  FlaskConical,
  House,
  type IconNode,
  Inbox,
  KeyRound,
  Lightbulb,
  MessagesSquare,
  Phone,
  Play,
  ScrollText,
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
  /** Its entry in the navigation; undefined for a screen that only another one leads to. */
  readonly icon: IconNode | undefined
  readonly needs: ReadonlyArray<Scope>
  readonly load: () => Promise<{ readonly default: ComponentType<ScreenParams<N>> }>
}

const screen = <A>(
  title: string,
  icon: IconNode | undefined,
  needs: ReadonlyArray<Scope>,
  load: () => Promise<{ readonly default: ComponentType<A> }>,
) => ({ title, icon, needs, load })

const home = () => import("./screens/home/Home.tsx")
const inbox = () => import("./screens/inbox/Inbox.tsx")
const conversations = () => import("./screens/conversations/Conversations.tsx")

/** The screens of the console, in the order of the navigation. */
export const screens: { readonly [N in ScreenName]: Screen<N> } = {
  home: screen("Home", House, ["chatbots:read"], home),
  chatbots: screen("Chatbots", Bot, ["chatbots:read"], () => import("./screens/chatbots/Chatbots.tsx")),
  inbox: screen("Inbox", Inbox, ["conversations:read"], inbox),
  inboxConversation: screen("Conversation", undefined, ["conversations:read"], inbox),
  conversations: screen("Conversations", MessagesSquare, ["conversations:read"], conversations),
  conversation: screen("Conversation", undefined, ["conversations:read"], conversations),
  usage: screen("Usage", ChartColumn, ["conversations:read"], () => import("./screens/usage/Usage.tsx")),
  models: screen("Models", Cpu, ["admin"], () => import("./screens/models/Models.tsx")),
  people: screen("People", Users, ["admin"], () => import("./screens/people/People.tsx")),
  keys: screen("Keys", KeyRound, ["admin"], () => import("./screens/keys/Keys.tsx")),
  webhooks: screen("Webhooks", Webhook, ["admin"], () => import("./screens/webhooks/Webhooks.tsx")),
  auditLog: screen("Audit log", ScrollText, ["admin"], () => import("./screens/system/AuditLog.tsx")),
  organizations: screen(
    "Organizations",
    Building,
    ["operator"],
    () => import("./screens/organizations/Organizations.tsx"),
  ),
  system: screen("System", Activity, ["operator"], () => import("./screens/system/System.tsx")),
  overview: screen("Overview", House, ["chatbots:read"], home),
  settings: screen("Settings", Settings2, ["chatbots:read"], () => import("./screens/settings/Settings.tsx")),
  knowledge: screen("Knowledge", Files, ["knowledge:read"], () => import("./screens/knowledge/Knowledge.tsx")),
  source: screen("Source", undefined, ["knowledge:read"], () => import("./screens/knowledge/SourceScreen.tsx")),
  topics: screen("Gaps and topics", Lightbulb, ["conversations:read"], () => import("./screens/topics/Topics.tsx")),
  playground: screen(
    "Playground",
    Play,
    ["chat", "chatbots:read"],
    () => import("./screens/playground/Playground.tsx"),
  ),
  compare: screen("Compare", undefined, ["chat", "chatbots:write"], () => import("./screens/playground/Compare.tsx")),
  tests: screen("Tests", FlaskConical, ["chatbots:read"], () => import("./screens/tests/Tests.tsx")),
  testRun: screen("Test run", undefined, ["chatbots:read"], () => import("./screens/tests/TestRunScreen.tsx")),
  improve: screen(
    "Improve answer",
    undefined,
    ["conversations:read", "knowledge:read"],
    () => import("./screens/improve/Improve.tsx"),
  ),
  tools: screen("Tools", Wrench, ["chatbots:read"], () => import("./screens/tools/Tools.tsx")),
  widget: screen("Widget", CodeXml, ["chatbots:read"], () => import("./screens/widget/Widget.tsx")),
  voice: screen("Voice", Phone, ["chatbots:read"], () => import("./screens/voice/Voice.tsx")),
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
