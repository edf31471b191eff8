import { computed, signal } from "@preact/signals"
import type { Scope } from "../../../domain/keys/ApiKey.ts"
import { type Answer, call, whenSignedOut } from "./Api.ts"
import { type Failure, toFailure } from "./Failure.ts"
import { forgetResources, reloadRefused } from "./Resource.ts"

/** The API key that is signed in, without its secret, with its organization and its rights. */
export type Session = Answer<"GET /api/console/session">["session"]

/**
 * - `starting`: the server has not said yet who is signed in.
 * - `out`: nobody is, and the console shows nothing but the form to sign in.
 * - `in`: somebody is.
 * - `ended`: the server no longer accepts the session. What was being written stays on the screen behind the form.
 */
type SessionState =
  | { readonly is: "starting" }
  | { readonly is: "unreachable"; readonly failure: Failure }
  | { readonly is: "out"; readonly failure?: Failure }
  | { readonly is: "in"; readonly session: Session }
  | { readonly is: "ended"; readonly session: Session }

const state = signal<SessionState>({ is: "starting" })

export const sessionState = computed(() => state.value)

/** The session of the screens, which are only shown within one. */
export const session = computed((): Session | undefined => ("session" in state.value ? state.value.session : undefined))

export const can = (scope: Scope): boolean => session.value?.scopes.includes(scope) === true

/** Whether the key may make chatbots, which one of a single chatbot may not. */
export const mayCreateChatbots = (): boolean => can("chatbots:write") && session.value?.chatbot_id === null

const begin = (next: Session): void => {
  const previous = session.value
  if (previous !== undefined && previous.organization.id !== next.organization.id) forgetResources()
  state.value = { is: "in", session: next }
  reloadRefused()
}

/** Signs in by an API key or a one-time link. Rejects with a `Failure`. */
export const signIn = async (by: { readonly key: string } | { readonly link: string }): Promise<void> => {
  begin((await call("POST /api/console/session", { body: by })).session)
}

export const signOut = async (): Promise<void> => {
  await call("DELETE /api/console/session")
  forgetResources()
  state.value = { is: "out" }
}

const LINK = /^#sign-in=(.+)$/

/** The one-time link in the address, which is taken out of the address at once. */
const takeLink = (): string | undefined => {
  const link = LINK.exec(location.hash)?.[1]
  if (link !== undefined) history.replaceState(history.state, "", location.pathname + location.search)
  return link === undefined ? undefined : decodeURIComponent(link)
}

export const startSession = async (): Promise<void> => {
  state.value = { is: "starting" }
  const link = takeLink()
  if (link !== undefined) {
    try {
      return await signIn({ link })
    } catch (error) {
      state.value = { is: "out", failure: toFailure(error) }
    }
  }
  try {
    begin((await call("GET /api/console/session")).session)
  } catch (error) {
    const failure = toFailure(error)
    if (failure.status === 401) state.value = state.value.is === "out" ? state.value : { is: "out" }
    else state.value = { is: "unreachable", failure }
  }
}

whenSignedOut(() => {
  if (state.value.is === "in") state.value = { is: "ended", session: state.value.session }
})
