import { Duration } from "effect"
import { keyForm } from "../KeyForm.ts"

/** Time for which the link of an invitation is good. */
export const INVITATION_LIFETIME = Duration.days(7)

const invitationForm = keyForm("inv_", 43)
const sessionForm = keyForm("prs_", 43)

/** A new secret of an invitation's link. */
export const makeInvitation = invitationForm.make

/** A new secret of a person's session. */
export const makeSessionSecret = sessionForm.make
