import { computed, signal } from "@preact/signals"
import type { Scope } from "../../../domain/keys/ApiKey.ts"
import type { SignInFailureCode } from "../../../domain/people/SignInFailure.ts"
import { place } from "../Router.ts"
import { type Answer, call, whenSignedOut } from "./Api.ts"
import { Failure, isOperator, toFailure } from "./Failure.ts"
import { choosePasskey, createPasskey } from "./Passkeys.ts"
import { forgetResources, reloadRefused } from "./Resource.ts"

/** The person or the API key that is signed in, with the organization and the rights. */
export type Session = Answer<"GET /api/console/session">["session"]

/**
 * - `starting`: the server has not said yet who is signed in.
 * - `out`: nobody is, and the console shows nothing but the ways to sign in.
 * - `invited`: the address is that of an invitation, which a person may accept.
 * - `in`: somebody is.
 * - `ended`: the server no longer accepts the session. What was being written stays on the screen behind the form.
 */
type SessionState =
  | { readonly is: "starting" }
  | { readonly is: "unreachable"; readonly failure: Failure }
  | { readonly is: "out"; readonly failure?: Failure }
  | { readonly is: "invited"; readonly token: string }
  | { readonly is: "in"; readonly session: Session }
  | { readonly is: "ended"; readonly session: Session }

const state = signal<SessionState>({ is: "starting" })

export const sessionState = computed(() => state.value)

/** The session of the screens, which are only shown within one. */
export const session = computed((): Session | undefined => ("session" in state.value ? state.value.session : undefined))

/** The scopes in the whole organization. A person with roles of single chatbots alone has none. */
const scopes = computed(() => {
  const { person, roles, scopes: own } = session.value ?? { person: null, roles: [], scopes: [] }
  return person === null || roles.some(({ chatbot_id }) => chatbot_id === null) ? own : []
})

/**
 * Whether the person or the key may do something with a chatbot: unless another one is given, with that of the screen.
 * With null, or on a screen of no chatbot, whether there is a chatbot for which it may.
 */
export const can = (scope: Scope, chatbotId: string | null = place.value.params["chatbotId"] ?? null): boolean =>
  scopes.value.includes(scope) ||
  session.value?.chatbot_scopes.some(
    ({ chatbot_id, scopes: own }) => (chatbotId ?? chatbot_id) === chatbot_id && own.includes(scope),
  ) === true

/** Whether chatbots may be made, which takes a right in the whole organization. */
export const mayCreateChatbots = (): boolean =>
  scopes.value.includes("chatbots:write") && session.value?.chatbot_id === null

const begin = (next: Session): void => {
  const previous = session.value
  const isAnother = previous?.organization.id !== next.organization.id || previous.person?.id !== next.person?.id
  if (previous !== undefined && isAnother) forgetResources()
  isOperator.value = next.scopes.includes("operator")
  state.value = { is: "in", session: next }
  reloadRefused()
}

/** Signs in by an API key or a one-time link. Rejects with a `Failure`. */
export const signIn = async (by: { readonly key: string } | { readonly link: string }): Promise<void> => {
  begin((await call("POST /api/console/session", { body: by })).session)
}

/** Signs in by a passkey that the person chooses. Rejects with a `Failure`. */
export const signInByPasskey = async (): Promise<void> => {
  const { options } = await call("POST /api/console/passkeys/options", { body: {} })
  const credential = await choosePasskey(options)
  begin((await call("POST /api/console/passkeys", { body: { credential } })).session)
}

/** Accepts an invitation with a new passkey, and signs in. Rejects with a `Failure`. */
export const acceptInvitation = async (token: string, name: string): Promise<void> => {
  const { options } = await call("POST /api/console/invitations/options", { body: { token } })
  const credential = await createPasskey(options)
  begin((await call("POST /api/console/invitations", { body: { token, name, credential } })).session)
}

export const signOut = async (): Promise<void> => {
  const { redirect_to } = await call("DELETE /api/console/session")
  forgetResources()
  // The provider ends its own session there.
  if (redirect_to !== undefined) location.assign(redirect_to)
  else state.value = { is: "out" }
}

/** Why a provider has not signed a person in, by the code in the address that it led back to. */
const failures: Readonly<Record<SignInFailureCode, string> & Record<string, string>> = {
  expired: "Signing in took too long, or began in another browser. Try again.",
  refused: "The provider has not signed you in. Try again, or choose another way.",
  unreachable: "The provider cannot be reached at the moment. Try again later, or choose another way.",
  invalid: "The provider's answer could not be verified. Ask an administrator to look into the server's log.",
  algorithm:
    "The provider's ID token is signed by HS256, which the provider does not list, or its user info is, or one of them is signed by HS384 or HS512. Ask an administrator to let the provider sign by RS256.",
  short_secret:
    "The provider's ID token is signed by HS256 with a client secret that is too short. Ask an administrator for one of at least 32 characters, or to let the provider sign by RS256.",
  subject:
    "The provider names you by a number (sub), where OpenID Connect has a text. Ask an administrator to let the provider send a text.",
  user_info:
    "The provider refused to give your user info, and its ID token does not say your groups. Ask an administrator to allow one of them.",
  no_role: "You have no role in this organization. Ask an administrator to give you one.",
  removed: "Your account was removed. Ask an administrator for a new invitation.",
  invitation: "This invitation was accepted before or has expired. Ask for a new one.",
}

const FRAGMENT = /^#(sign-in|sign-in-failed|invitation)=(.+)$/

/** A one-time link, an invitation or a failure in the address, which is taken out of the address at once. */
const takeFragment = (): { readonly kind: string; readonly value: string } => {
  const [all, kind = "", value = ""] = FRAGMENT.exec(location.hash) ?? []
  if (all !== undefined) history.replaceState(history.state, "", location.pathname + location.search)
  return { kind, value: decodeURIComponent(value) }
}

/** Shows the screens if somebody is signed in, and otherwise the ways to sign in, with the reason why one has failed. */
const resume = async (failure?: Failure): Promise<void> => {
  try {
    begin((await call("GET /api/console/session")).session)
  } catch (error) {
    const problem = toFailure(error)
    if (problem.status !== 401) state.value = { is: "unreachable", failure: problem }
    else state.value = { is: "out", ...(failure !== undefined && { failure }) }
  }
}

export const startSession = async (): Promise<void> => {
  const { kind, value } = takeFragment()
  if (kind === "invitation") return void (state.value = { is: "invited", token: value })
  state.value = { is: "starting" }
  if (kind === "sign-in-failed") {
    return resume(new Failure(failures[value] ?? "Signing in has failed. Try again.", { code: value }))
  }
  if (kind === "sign-in") return signIn({ link: value }).catch((error: unknown) => resume(toFailure(error)))
  return resume()
}

// A link that is opened where the console is shown already does not load the page again.
globalThis.addEventListener("hashchange", () => FRAGMENT.test(location.hash) && void startSession())

/** Goes on after somebody has signed in elsewhere, such as in another tab. */
export const resumeSession = async (): Promise<void> => {
  if (state.value.is !== "ended") return
  const found = await call("GET /api/console/session").catch(() => undefined)
  if (found !== undefined) begin(found.session)
}

whenSignedOut(() => {
  if (state.value.is === "in") state.value = { is: "ended", session: state.value.session }
})
