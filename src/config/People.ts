import { Duration } from "effect"
import { publicUrl } from "./Address.ts"
import { integer, smtpUrl, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const mail = {
  server: smtpUrl.orAbsent(
    "SMTP_URL",
    "Server that sends e-mail: to people about visitors who wait for them, and to visitors about answers that they have not seen. Absent: no e-mail is sent.",
  ),
  from: text.or("MAIL_FROM", "Parley <parley@localhost>", "Sender of e-mail. Set it with the server."),
  publicUrl,
}

const sessionChecks = {
  every: integer(1, 1_440)
    .or(
      "SIGN_IN_CHECK_MINUTES",
      "15",
      "Minutes after which a session is checked with the provider that has signed the person in. Lower it to have people whom a provider knows no more out sooner.",
    )
    .map(Duration.minutes),
}

export const people = {
  title: "People",
  introduction: "[People](people.md) who sign in, and the [inbox](inbox.md).",
  sections: { sessionChecks, mail },
} satisfies Group
