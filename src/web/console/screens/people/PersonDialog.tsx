import { formatMoment } from "../../../shared/Format.ts"
import { type Person, type PersonRole, shownPeople } from "../../data/People.ts"
import { SecretDialog } from "../../parts/Copy.tsx"
import { Dialog, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Sessions } from "../../parts/Sessions.tsx"
import { toast } from "../../parts/Toast.ts"
import { type Answer, call, request } from "../../server/Api.ts"
import { passkeyObstacle } from "../../server/Passkeys.ts"
import { resources } from "../../server/Resource.ts"
import { RoleFields } from "./RoleFields.tsx"

/** Shows the link of an invitation this once. */
const showInvitation = ({ invitation, person }: Answer<"POST /api/admin/people">): void => {
  const first = {
    sent: `This link was sent to ${person.email}.`,
    failed: `The e-mail to ${person.email} could not be sent: the server's log says why. Pass this link on yourself.`,
    none: `Send this link to ${person.name}.`,
  }[invitation.email ?? "none"]
  void shownPeople().reload()
  openDialog(
    <SecretDialog
      title={`Invitation for ${person.name}`}
      about={`${first} It works once, until ${formatMoment(invitation.expires_at)}, for anyone who opens it. It is shown only now.`}
      secret={invitation.link}
    />,
  )
}

export const inviteAgain = async ({ id: personId }: Person): Promise<void> =>
  showInvitation(await call("POST /api/admin/people/:personId/invitation", { params: { personId } }))

interface PersonDialogProps {
  /** The person to change, with the version of them; absent to invite somebody. */
  readonly item?: Person
  readonly etag?: string | undefined
  /** Whether the person is the one who fills in the form, and becomes an owner. */
  readonly isOwn?: boolean
}

const agent: PersonRole = { role: "agent", chatbot_id: null }
const owner: PersonRole = { role: "owner", chatbot_id: null }

const PersonDialog = ({ etag, isOwn = false, item }: PersonDialogProps) => {
  const { draft, of } = useDraft({
    name: item?.name ?? "",
    email: item?.email ?? "",
    roles: isOwn ? [owner] : item === undefined || item.roles.length === 0 ? [agent] : item.roles,
  })
  const submit = async (): Promise<void> => {
    const body = { ...draft, email: draft.email.trim() || null }
    if (item === undefined) {
      const invited = await call("POST /api/admin/people", { body: { ...body, send_email: !isOwn } })
      if (!isOwn) return showInvitation(invited)
      const { link } = invited.invitation
      // The person stays at this address of the server, if it is good for passkeys.
      return location.assign(passkeyObstacle() === undefined ? new URL(link).hash : link)
    }
    const route = "PATCH /api/admin/people/:personId"
    const { person } = await call(route, { params: { personId: item.id }, body, ifMatch: etag })
    void shownPeople().reload()
    toast(`${person.name} updated.`)
  }
  return (
    <FormDialog
      title={isOwn ? "Create your account" : item === undefined ? "Invite a person" : `Edit ${item.name}`}
      action={isOwn ? "Continue" : item === undefined ? "Create invitation" : "Save"}
      wide
      onSubmit={submit}
    >
      <TextField label="Name" {...of("name")} maxLength={200} required />
      <TextField
        label="E-mail"
        type="email"
        hint="Optional. For the invitation and notifications, never to sign in."
        {...of("email")}
      />
      {isOwn ? (
        <p class="soft small">You become an owner of the organization. The next page creates your passkey.</p>
      ) : (
        <RoleFields legend="Roles" first={agent} {...of("roles")} />
      )}
    </FormDialog>
  )
}

export const invite = () => openDialog(<PersonDialog />)
export const createAccount = () => openDialog(<PersonDialog isOwn />)

export const editPerson = async ({ id: personId }: Person): Promise<void> => {
  const { body, etag } = await request("GET /api/admin/people/:personId", { params: { personId } })
  openDialog(<PersonDialog item={body.person} etag={etag} />)
}

const sessionsOf = resources(
  async (personId: string) =>
    (await call("GET /api/admin/people/:personId/sessions", { params: { personId } })).sessions,
)

export const showSessions = ({ id: personId, name }: Person) =>
  openDialog(
    <Dialog title={`Sessions of ${name}`}>
      <Sessions
        of={sessionsOf(personId)}
        end={(sessionId) =>
          call("DELETE /api/admin/people/:personId/sessions/:sessionId", { params: { personId, sessionId } })
        }
      />
    </Dialog>,
  )
