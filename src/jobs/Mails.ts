import { Duration, Effect, Layer, type Redacted } from "effect"
import { makeMailer, type Mail, type MailFailed } from "../outbound/Mailer.ts"
import { Mails } from "../storage/inbox/Mails.ts"
import { regularly } from "../system/Background.ts"

export interface MailSettings {
  /** Address of the server that sends e-mail; undefined for none. */
  readonly server: Redacted.Redacted | undefined
  readonly from: string
  /** Base of the addresses of this server; undefined where mails have no links. */
  readonly publicUrl: string | undefined
}

const RUN_EVERY = Duration.seconds(30)

const lines = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((text) => text !== undefined).join("\n\n")

const inLine = (title: string | null): string => (title ?? "").replaceAll(/\s+/g, " ").trim()

/** Sends a mail, or puts its conversation back where the failure may pass. One failure does not keep others from being sent. */
const delivered = <E>(sending: Effect.Effect<void, MailFailed>, putBack: Effect.Effect<unknown, E>) =>
  Effect.catchTag(sending, "MailFailed", ({ detail, isFinal }) =>
    Effect.andThen(isFinal ? Effect.void : putBack, Effect.logWarning("An e-mail could not be sent", detail)),
  )

/**
 * Tells people of visitors who wait, and visitors of answers that they have not seen. A mail that cannot be sent is tried
 * again at the next run; one whose server dies while it is sent is not.
 */
export const run = Effect.fn("Mails.run")(function* (
  send: (mail: Mail) => Effect.Effect<void, MailFailed>,
  { publicUrl }: Pick<MailSettings, "publicUrl">,
) {
  const mails = yield* Mails
  for (const { chatbot, chatbot_id, emails, id, title } of yield* mails.takeWaiting) {
    if (emails === null) continue
    const link = publicUrl === undefined ? undefined : `${publicUrl}/console/inbox/${chatbot_id}/${id}`
    const text = lines(`A visitor of ${chatbot} waits for an answer of a person.`, inLine(title), link)
    const mail = { to: emails, subject: `Waiting: ${inLine(title) || chatbot}`, text }
    yield* delivered(send(mail), mails.putBackWaiting(id))
  }
  for (const { chatbot, email, id, mailed_before, messages, page, title } of yield* mails.takeUnseen) {
    const said = messages.map(({ content, name }) => `${name ?? chatbot}:\n${content}`)
    const mail = { to: [email], subject: `Re: ${inLine(title) || chatbot}`, text: lines(...said, page?.url) }
    yield* delivered(send(mail), mails.putBackUnseen(id, mailed_before))
  }
})

/** Runs it in the background as long as the layer lives, where there is a server that sends e-mail. */
export const layer = (settings: MailSettings) =>
  settings.server === undefined
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(makeMailer(settings.server, settings.from), (send) =>
          Effect.forkScoped(regularly(RUN_EVERY, "E-mail could not be sent", run(send, settings))),
        ),
      )
