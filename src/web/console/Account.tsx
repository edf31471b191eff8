import { useRoleWords } from "./data/Admin.ts"
import { Avatar } from "./parts/Avatar.tsx"
import { Dialog } from "./parts/Dialogs.tsx"
import { FactList } from "./parts/Layout.tsx"
import { Sessions } from "./parts/Sessions.tsx"
import { call } from "./server/Api.ts"
import { resources } from "./server/Resource.ts"
import { session } from "./server/Session.ts"

const ownSessions = resources(async () => (await call("GET /api/console/sessions")).sessions)

/** Who the person is that is signed in, what they may do, and where else they are signed in. */
export const AccountDialog = () => {
  const wordsOf = useRoleWords()
  const { organization, person, roles } = session.value ?? {}
  if (person == null) return null
  return (
    <Dialog title="Your account">
      <div class="row nowrap">
        <Avatar name={person.name} image={person.avatar ?? ""} size="large" />
        <div class="anywhere">
          <p>
            <strong>{person.name}</strong>
          </p>
          {person.email !== null && <p class="soft small">{person.email}</p>}
        </div>
      </div>
      <FactList facts={{ Organization: organization?.name, Roles: roles?.map(wordsOf).join(", ") }} />
      <h3>Sessions</h3>
      <Sessions
        of={ownSessions()}
        end={(sessionId) => call("DELETE /api/console/sessions/:sessionId", { params: { sessionId } })}
      />
    </Dialog>
  )
}
