import { Duration } from "effect"
import { publicUrl } from "./Address.ts"
import { integer, smtpUrl, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const mail = {
  server: smtpUrl.orAbsent("SMTP_URL", "Server that sends the e-mail of the [inbox](inbox.md#notifications)."),
  from: text.or("MAIL_FROM", "Parley <parley@localhost>", "Sender of e-mail."),
  publicUrl,
}

const sessionChecks = {
  every: integer(1, 1_440)
    .or(
      "SIGN_IN_CHECK_MINUTES",
      "15",
      "Minutes after which a session is checked with the provider that has [signed the person in](people.md#openid-connect).",
    )
    .map(Duration.minutes),
}

export const people = {
  title: "People",
  introduction: "See [People](people.md).",
  sections: { sessionChecks, mail },
} satisfies Group
