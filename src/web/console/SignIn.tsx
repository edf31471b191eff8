import { effect, useSignal } from "@preact/signals"
import { LogIn } from "lucide"
import { Icon } from "../shared/Icon.tsx"
import { kept } from "./data/Kept.ts"
import { Button } from "./parts/Buttons.tsx"
import { Form } from "./parts/Dialogs.tsx"
import { bind, TextField } from "./parts/Field.tsx"
import { Problem, Skeleton } from "./parts/Layout.tsx"
import { useWindowEvent } from "./parts/Shortcuts.ts"
import { queryText } from "./Router.ts"
import { type Answer, call } from "./server/Api.ts"
import type { Failure } from "./server/Failure.ts"
import { passkeyObstacle } from "./server/Passkeys.ts"
import { resources, useResource } from "./server/Resource.ts"
import { addressOf } from "./server/Root.ts"
import { acceptInvitation, resumeSession, session, signIn, signInByPasskey, startSession } from "./server/Session.ts"
import { textIn } from "./server/Unknown.ts"

type Ways = Answer<"GET /api/console/sign-in">

/** The organization of the person who was signed in last, whose ways to sign in are shown next. */
const lastOrganization = kept("organization", "", textIn)

effect(() => {
  const { organization, person } = session.value ?? {}
  if (organization !== undefined && person !== null) lastOrganization.value = organization.id
})

/** The ways to sign in at an organization; at the operator's where there is none of that id any more. */
const waysIn = resources((organization: string) => {
  const ask = (organization_id?: string) => call("GET /api/console/sign-in", { query: { organization_id } })
  return organization === "" ? ask() : ask(organization).catch(() => ask())
})

const KeyForm = ({ autofocus, failure }: { readonly failure?: Failure | undefined; readonly autofocus: boolean }) => {
  const key = useSignal("")
  const submit = async (): Promise<void> => {
    if (key.value.trim() !== "") await signIn({ key: key.value.trim() })
  }
  return (
    <Form action="Sign in" failure={failure} onSubmit={submit}>
      <TextField
        label="API key"
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        autofocus={autofocus}
        required
        {...bind(key)}
        hint={
          <>
            Printed when the server first started. Whoever runs the server makes another one by{" "}
            <code>parley keys create</code>.
          </>
        }
      />
    </Form>
  )
}

interface ProvidersProps {
  readonly providers: Ways["providers"]
  readonly invitation?: string
  /** Whether the provider is visited in another tab, so that what is written here is kept. */
  readonly isApart?: boolean
}

/** Links to the providers, which lead back to the screen of the address. */
const Providers = ({ invitation, isApart = false, providers }: ProvidersProps) => (
  <>
    {providers.map(({ id, name }) => (
      <a
        key={id}
        class="button secondary"
        target={isApart ? "_blank" : undefined}
        href={addressOf(
          "/api/console/providers/:providerId/sign-in",
          { providerId: id },
          { invitation, return_to: location.pathname + location.search },
        )}
      >
        <Icon nodes={LogIn} size={16} />
        <span class="ellipsis">
          Sign in with <bdi>{name}</bdi>
        </span>
      </a>
    ))}
  </>
)

interface SignInProps {
  readonly failure?: Failure | undefined
  /** Whether somebody was signed in, and wants to go on. */
  readonly isAgain?: boolean
}

/** The ways to sign in: those of people, and the API key when all else fails. */
export const SignIn = ({ failure, isAgain = false }: SignInProps) => {
  const ways = useResource(waysIn(queryText("organization") || lastOrganization.value))
  useWindowEvent("focus", () => isAgain && void resumeSession())
  if (ways.data.value === undefined && ways.failure.value === undefined) return <Skeleton />
  const { organization, passkeys, providers } = ways.data.value ?? {
    organization: null,
    passkeys: false,
    providers: [],
  }
  const obstacle = passkeys ? passkeyObstacle() : undefined
  const hasPasskeys = passkeys && obstacle === undefined
  if (!passkeys && providers.length === 0) return <KeyForm autofocus failure={failure} />
  return (
    <>
      {organization !== null && <p class="soft">{organization.name}</p>}
      {failure !== undefined && <Problem failure={failure} />}
      <div class="stack">
        {hasPasskeys && <Form action="Sign in with a passkey" onSubmit={signInByPasskey} />}
        {obstacle !== undefined && <p class="soft small">{obstacle}</p>}
        <Providers providers={providers} isApart={isAgain} />
      </div>
      {isAgain && providers.length > 0 && (
        <p class="soft small">Providers open in a new tab. Come back here after it.</p>
      )}
      <details>
        <summary>Sign in with an API key</summary>
        <KeyForm autofocus={false} />
      </details>
    </>
  )
}

const invitations = resources((token: string) => call("POST /api/console/invitations/options", { body: { token } }))

const Accept = ({ invitation, token }: InvitationProps & { readonly invitation: Invitation }) => {
  const { organization, person, providers } = invitation
  const name = useSignal(person.name)
  const obstacle = passkeyObstacle()
  return (
    <>
      <h1>Join {organization.name}</h1>
      {obstacle === undefined ? (
        <Form action="Create a passkey" onSubmit={() => acceptInvitation(token, name.value)}>
          <TextField label="Your name" autocomplete="name" maxLength={200} required {...bind(name)} />
          <p class="soft small">
            A passkey stays on this device or in your password manager. You sign in with your fingerprint, face or PIN.
          </p>
        </Form>
      ) : (
        <p class="notice warn">{obstacle}</p>
      )}
      <Providers providers={providers} invitation={token} />
    </>
  )
}

type Invitation = Answer<"POST /api/console/invitations/options">

interface InvitationProps {
  readonly token: string
}

/** The page on which a person accepts an invitation. */
export const InvitationPage = ({ token }: InvitationProps) => {
  const { data, failure } = useResource(invitations(token))
  if (data.value !== undefined) return <Accept invitation={data.value} token={token} />
  if (failure.value === undefined) return <Skeleton />
  return (
    <>
      <h1>Invitation</h1>
      <Problem failure={failure.value} />
      <Button onClick={startSession}>Go to sign-in</Button>
    </>
  )
}
