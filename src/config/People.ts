import { publicUrl } from "./Address.ts"
import { smtpUrl, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const mail = {
  server: smtpUrl.orAbsent(
    "SMTP_URL",
    "Server that sends invitations, and the e-mail of the [inbox](inbox.md#notifications).",
  ),
  from: text.or("MAIL_FROM", "Parley <parley@localhost>", "Sender of e-mail."),
  publicUrl,
}

export const people = {
  title: "People",
  introduction: "See [People](people.md).",
  sections: { mail },
} satisfies Group
