import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import {
  BookOpen,
  CircleUser,
  Keyboard,
  LogOut,
  Menu as MenuIcon,
  MessagesSquare,
  Monitor,
  Moon,
  Search,
  SearchX,
  Sun,
  X,
} from "lucide"
import { formatCount } from "../shared/Format.ts"
import { Icon } from "../shared/Icon.tsx"
import { type Chatbot, chatbotResource, lastRunOf } from "./data/Chatbots.ts"
import { inboxCounts, useInbox } from "./data/Inbox.ts"
import { AccountDialog } from "./Account.tsx"
import { showDocumentation, showPalette, showShortcuts, useCommands } from "./Palette.tsx"
import { Avatar } from "./parts/Avatar.tsx"
import { IconButton, Menu } from "./parts/Buttons.tsx"
import { Dialog, Dialogs, openDialog } from "./parts/Dialogs.tsx"
import { Badge, Empty, Page, Problem, Skeleton } from "./parts/Layout.tsx"
import { removeToast, toasts } from "./parts/Toast.ts"
import { resources, useResource } from "./server/Resource.ts"
import { atRoot } from "./server/Root.ts"
import { href, mailboxOf, navigate, place, screenAddress, type ScreenName } from "./Router.ts"
import { can, session, sessionState, signOut, startSession } from "./server/Session.ts"
import { isShown, loadScreen, screens, screensWith } from "./Screens.ts"
import { InvitationPage, SignIn } from "./SignIn.tsx"
import { theme, themes } from "./Theme.ts"

const Wordmark = () => (
  <span class="wordmark row nowrap">
    <span class="wordmark-sign centred">
      <Icon nodes={MessagesSquare} size={16} />
    </span>
    Parley
  </span>
)

/** The number of tests that the last run of a chatbot has found worse, asked for as screens change. */
const WorseBadge = ({ chatbotId }: { readonly chatbotId: string }) => {
  const last = lastRunOf(chatbotId)
  const { screen } = place.value
  useEffect(() => void last.reload(), [last, screen])
  const worse = last.data.value?.counts.worse ?? 0
  return worse === 0 ? null : <Badge kind="bad">{`${formatCount(worse)} worse`}</Badge>
}

/** How many visitors wait for anybody, and how many conversations the person looks after. */
const InboxBadges = () => {
  const { mine, waiting } = inboxCounts().data.value ?? { mine: 0, waiting: 0 }
  return (
    <>
      {waiting > 0 && <Badge kind="busy">{`${formatCount(waiting)} waiting`}</Badge>}
      {mine > 0 && <Badge>{`${formatCount(mine)} yours`}</Badge>}
    </>
  )
}

/** The screens whose addresses have these parameters and no others, as far as they may be used. */
const Entries = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const current = place.value.screen
  return (
    <ul>
      {screensWith(params).map((name) => {
        const { icon, title } = screens[name]
        const isCurrent =
          current === name ||
          mailboxOf(current) === name ||
          (name === "knowledge" && current === "source") ||
          (name === "playground" && current === "compare") ||
          (name === "tests" && current === "testRun")
        return (
          icon !== undefined && (
            <li key={name}>
              <a
                class="entry row nowrap"
                href={screenAddress(name, params)}
                aria-current={isCurrent ? "page" : undefined}
              >
                <Icon nodes={icon} size={18} />
                {title}
                {name === "inbox" && <InboxBadges />}
                {name === "tests" && <WorseBadge chatbotId={params["chatbotId"] ?? ""} />}
              </a>
            </li>
          )
        )
      })}
    </ul>
  )
}

/** The status with which the API refuses a chatbot's id that names none. */
const isUnknown = (status: number | undefined): boolean => status === 404 || status === 400

const ChatbotName = ({ chatbot }: { readonly chatbot: Chatbot | undefined }) => (
  <div class="nav-chatbot row nowrap">
    <Avatar name={chatbot?.name ?? ""} image={chatbot?.settings.avatar} />
    <span class="ellipsis" dir="auto">
      {chatbot?.name ?? "…"}
    </span>
  </div>
)

const ChatbotEntries = ({ chatbotId }: { readonly chatbotId: string }) => {
  const { data, failure } = useResource(chatbotResource(chatbotId))
  if (isUnknown(failure.value?.status)) return null
  return (
    <div>
      <ChatbotName chatbot={data.value?.chatbot} />
      <Entries params={{ chatbotId }} />
    </div>
  )
}

const nextTheme = { system: "light", light: "dark", dark: "system" } as const
const themeIcon = { system: Monitor, light: Sun, dark: Moon }

const Account = () => {
  const who = session.value
  if (who === undefined) return null
  const { api_key: key, organization, person } = who
  const change = (): void => {
    theme.value = nextTheme[theme.value]
  }
  return (
    <div class="account row nowrap">
      {person !== null && <Avatar name={person.name} image={person.avatar ?? ""} />}
      <div>
        <span class="ellipsis">{organization.name}</span>
        <span class="soft small ellipsis">{person?.name ?? key?.name}</span>
      </div>
      <Menu
        label="Account"
        items={[
          person !== null && { label: "Your account", icon: CircleUser, onChoose: () => openDialog(<AccountDialog />) },
          { label: `Theme: ${themes[theme.value]}`, icon: themeIcon[theme.value], onChoose: change },
          { label: "Documentation", icon: BookOpen, onChoose: showDocumentation },
          { label: "Keyboard shortcuts", icon: Keyboard, onChoose: showShortcuts },
          { label: "Sign out", icon: LogOut, onChoose: signOut },
        ]}
      />
    </div>
  )
}

/** The chatbot whose screens are shown. */
const shownChatbot = (): string | undefined => {
  const { params, screen } = place.value
  return mailboxOf(screen) === undefined ? params["chatbotId"] : undefined
}

const Navigation = () => {
  const chatbotId = shownChatbot()
  const { screen } = place.value
  const nav = useRef<HTMLElement>(null)
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [screen])
  return (
    <nav aria-label="Console" class="navigation" ref={nav}>
      <Entries params={{}} />
      {chatbotId !== undefined && <ChatbotEntries key={chatbotId} chatbotId={chatbotId} />}
    </nav>
  )
}

const codeOf = resources((screen: ScreenName) => loadScreen(screen))

const Screen = () => {
  const { params, screen: named } = place.value
  // The list stays while one of its conversations after the other is read.
  const mailbox = mailboxOf(named)
  const screen = mailbox ?? named
  const main = useRef<HTMLElement>(null)
  const address = `${screen ?? ""} ${mailbox !== undefined ? "{}" : JSON.stringify(params)}`
  const isFirst = useRef(true)
  useEffect(() => {
    // Screen readers go on reading at the new screen, not at the link that is gone.
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [address])
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {screen === undefined && <Missing title="Page not found" about="This page does not exist." />}
      {screen !== undefined && !isShown(screen, params) && (
        <Missing title="No access" about="You do not have permission to view this page." />
      )}
      {screen !== undefined && isShown(screen, params) && <Shown key={address} screen={screen} />}
    </main>
  )
}

const Missing = ({ about, title }: { readonly title: string; readonly about: string }) => (
  <Page title={title}>
    <Empty
      icon={SearchX}
      title={about}
      action={
        <a class="button secondary" href={href("home", {})}>
          Go to Home
        </a>
      }
    />
  </Page>
)

const Shown = ({ screen }: { readonly screen: ScreenName }): ComponentChildren => {
  const code = useResource(codeOf(screen))
  const { chatbotId } = place.value.params
  // The navigation asks for it. A screen of a chatbot that does not exist would take what it cannot store.
  const chatbot = chatbotId !== undefined && can("chatbots:read") ? chatbotResource(chatbotId) : undefined
  const failure = code.failure.value
  if (isUnknown(chatbot?.failure.value?.status))
    return <Missing title="Chatbot not found" about="This chatbot does not exist or has been deleted." />
  const isAwaited =
    chatbot !== undefined &&
    mailboxOf(place.value.screen) === undefined &&
    (chatbot.data.value ?? chatbot.failure.value) === undefined
  // The server may have other files by now.
  if (failure !== undefined) return <Problem failure={failure} onRetry={() => location.reload()} />
  const render = code.data.value
  if (render !== undefined && !isAwaited) return render(place.value.params)
  return (
    <div class="page stack loose">
      <Skeleton />
    </div>
  )
}

const showMenu = () =>
  openDialog(
    <Dialog kind="menu-drawer" title="Parley">
      <Navigation />
      <Account />
    </Dialog>,
  )

/** Whether somebody answers visitors and changes no chatbot, as people with the role of an agent do. */
const isAgent = (): boolean => can("conversations:write", null) && !can("chatbots:write", null)

/** The bar above a narrow screen: the chatbot whose screens are shown, or Parley. */
const Top = () => {
  const chatbotId = shownChatbot()
  // The navigation asks for it.
  const chatbot = chatbotId === undefined ? undefined : chatbotResource(chatbotId).data.value?.chatbot
  return (
    <header class="top row nowrap">
      <IconButton icon={MenuIcon} label="Menu" onClick={showMenu} />
      {chatbot === undefined ? <Wordmark /> : <ChatbotName chatbot={chatbot} />}
    </header>
  )
}

const SignedIn = () => {
  useCommands()
  useEffect(() => {
    if (place.peek().screen === "home" && isAgent()) void navigate(href("inbox", {}))
  }, [])
  useInbox()
  return (
    <div class="shell">
      <a class="skip raised" href="#main">
        Skip to content
      </a>
      <Top />
      <header class="side">
        <a class="home" href={href("home", {})}>
          <Wordmark />
        </a>
        <button type="button" class="to-palette row nowrap" onClick={showPalette}>
          <Icon nodes={Search} size={16} />
          <span>Go to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <Navigation />
        <Account />
      </header>
      <Screen />
      <Dialogs />
    </div>
  )
}

const Outside = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="sign-in centred">
    <div class="box stack loose">
      <Wordmark />
      {children}
    </div>
  </main>
)

const Toasts = () => (
  <output class="toasts stack tight">
    {toasts.value.map(({ id, kind, text }) => (
      <div class={`toast raised row nowrap apart start ${kind}`} key={id}>
        <p>{text}</p>
        <IconButton icon={X} label="Dismiss" onClick={() => removeToast(id)} />
      </div>
    ))}
  </output>
)

export const Shell = () => {
  const state = sessionState.value
  return (
    <>
      {state.is === "starting" && (
        <main class="sign-in centred" aria-busy="true">
          <Wordmark />
        </main>
      )}
      {state.is === "unreachable" && (
        <Outside>
          <Problem failure={state.failure} onRetry={() => void startSession()} />
        </Outside>
      )}
      {state.is === "out" && (
        <Outside>
          <h1>Sign in to the console</h1>
          <SignIn failure={state.failure} />
          <p class="soft small">
            <a href={atRoot("/docs/readme")}>Documentation</a> · <a href={atRoot("/docs")}>API reference</a>
          </p>
        </Outside>
      )}
      {state.is === "invited" && (
        <Outside>
          <InvitationPage token={state.token} />
        </Outside>
      )}
      {(state.is === "in" || state.is === "ended") && <SignedIn />}
      {state.is === "ended" && (
        <Dialog title="Sign in again" stays>
          <p class="soft">Your session has expired. Unsaved changes are kept.</p>
          <SignIn isAgain />
        </Dialog>
      )}
      <Toasts />
    </>
  )
}
