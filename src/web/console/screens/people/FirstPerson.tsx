import { peopleOf } from "../../data/People.ts"
import { Button } from "../../parts/Buttons.tsx"
import { useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { createAccount } from "./PersonDialog.tsx"

/** Offers the key that is signed in to make its holder a person, while the organization has none. */
export const FirstPerson = () => {
  const isKey = session.value?.person === null && can("admin")
  const people = useResource(peopleOf("", ""), isKey).data.value?.items
  if (!isKey || people === undefined || people.some(({ state }) => state === "active")) return null
  return (
    <section class="notice row" aria-label="Your account">
      You are signed in with an API key. Create your account to sign in with a passkey, and to invite others.
      <Button small kind="primary" onClick={createAccount}>
        Create your account
      </Button>
    </section>
  )
}
