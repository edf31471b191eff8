import { publicUrl } from "./Address.ts"
import { smtpUrl, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const mail = {
  server: smtpUrl.orAbsent(
    "SMTP_URL",
    "Server that sends e-mail: to people about visitors who wait for them, and to visitors about answers that they have not seen. Absent: no e-mail is sent.",
  ),
  from: text.or("MAIL_FROM", "Parley <parley@localhost>", "Sender of e-mail. Set it with `SMTP_URL`."),
  publicUrl,
}

export const people = {
  title: "People",
  introduction: "[People](people.md) who sign in, and the [inbox](inbox.md).",
  sections: { mail },
} satisfies Group
