import { Context, Duration, Effect, Layer, Predicate, Redacted, Schema } from "effect"

/** A mail could not be sent. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  detail: Schema.String,
  /** Whether the server refuses it for ever, such as for an address that does not exist. */
  isFinal: Schema.Boolean,
}) {}

/** An e-mail of plain text. */
export interface Mail {
  /** Identifies it, so that mail servers and programs show it once where it was sent twice. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface MailerSettings {
  /** Address of the server that sends e-mail; undefined for none. */
  readonly server: Redacted.Redacted | undefined
  readonly from: string
}

/** Sends an e-mail; undefined where no server does. */
export const Mailer = Context.Reference<((mail: Mail) => Effect.Effect<unknown, MailFailed>) | undefined>(
  "parley/outbound/Mailer",
  { defaultValue: () => undefined },
)

export const layer = ({ from, server }: MailerSettings) =>
  server === undefined ? Layer.empty : Layer.effect(Mailer, makeMailer(server, from))

/** Time for a connection, and for each answer of the server. */
const TIMEOUT = Duration.seconds(20)

/** Sends e-mail through the server of an `smtp://` or `smtps://` address. */
export const makeMailer = Effect.fnUntraced(function* (server: Redacted.Redacted, from: string) {
  // Most servers send no e-mail, and do not load it.
  const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
  const timeout = Duration.toMillis(TIMEOUT)
  const transport = createTransport(
    { url: Redacted.value(server), connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout },
    // Nothing of a mail is read from a file or an address that it names.
    { from, disableFileAccess: true, disableUrlAccess: true },
  )
  const domain = from.match(/@([^\s<>@]+)>?\s*$/)?.[1] ?? "localhost"
  return ({ id, subject, text, to }: Mail) =>
    Effect.tryPromise({
      try: () =>
        transport.sendMail({
          to: { name: "", address: to },
          subject,
          text,
          messageId: `<${id}@${domain}>`,
          // RFC 3834: programs that answer, such as those of holidays, stay silent.
          headers: { "Auto-Submitted": "auto-generated" },
        }),
      catch: failureOf,
    })
})

const failureOf = (cause: unknown): MailFailed => {
  const code = Predicate.hasProperty(cause, "responseCode") ? Number(cause.responseCode) : 0
  // A password that the server refuses is the operator's to mend.
  const isFinal = code >= 500 && !(Predicate.hasProperty(cause, "code") && cause.code === "EAUTH")
  return new MailFailed({ detail: cause instanceof Error ? cause.message : String(cause), isFinal })
}
