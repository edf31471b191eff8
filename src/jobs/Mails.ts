import { Duration, Effect, Layer } from "effect"
import { type Mail, Mailer, type MailFailed } from "../outbound/Mailer.ts"
import { type MailJob, Mails } from "../storage/inbox/Mails.ts"
import { regularly } from "../system/Background.ts"
import { delayAfter, TRIES } from "./Tries.ts"
import { LEASE, makeWorker, type Verdict } from "./Worker.ts"

export interface MailSettings {
  /** Base of the addresses of this server; undefined where mails have no links. */
  readonly publicUrl: string | undefined
}

const RUN_EVERY = Duration.seconds(30)

const lines = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((text) => text !== undefined).join("\n\n")

const inLine = (title: string | null): string => (title ?? "").replaceAll(/\s+/g, " ").trim()

const TRIES_OF_MAILS = TRIES.map((one) => Duration.fromInputUnsafe(one))
/** E-mails that this process sends at once, so that a recipient whose server hangs delays no other. */
const CONCURRENCY = 4
const LAPSES = 5

/**
 * Makes the sending of e-mails to people about visitors who wait, and to visitors about answers that they have not seen,
 * as long as the scope lasts: each recipient's is a job of its own, tried as often as a delivery to a webhook. One whose
 * server is killed while it is sent is sent again, with the same `Message-ID`. `look` queues what is due.
 */
export const make = Effect.fnUntraced(function* (
  send: (mail: Mail) => Effect.Effect<unknown, MailFailed>,
  { publicUrl }: Pick<MailSettings, "publicUrl">,
) {
  const mails = yield* Mails
  const lease = Duration.fromInputUnsafe(LEASE)

  const work = Effect.fnUntraced(function* (job: MailJob) {
    const content = yield* mails.find(job)
    if (content === undefined) return
    const { chatbot, chatbot_id, email, messages, page, title } = content
    const name = inLine(title) || chatbot
    const link = publicUrl === undefined ? undefined : `${publicUrl}/console/inbox/${chatbot_id}/${job.session_id}`
    const [subject, text] =
      messages === null
        ? [`Waiting: ${name}`, lines(`A visitor of ${chatbot} waits for an answer of a person.`, inLine(title), link)]
        : [`Re: ${name}`, lines(...messages.map((said) => `${said.name ?? chatbot}:\n${said.content}`), page?.url)]
    yield* send({ id: job.id, to: email, subject, text })
  })

  const worker = yield* makeWorker({
    name: "E-mail",
    metricsName: "mails",
    labels: ({ session_id }: MailJob) => ({ session_id }),
    queue: mails,
    concurrency: CONCURRENCY,
    lease,
    untilDue: mails.untilDue,
    attempt: (job) => ({ work: work(job), renew: mails.renew(job, lease), finish: () => mails.end(job) }),
    judge: ({ detail, isFinal }: MailFailed): Verdict<string> => ({
      is: isFinal ? "hopeless" : "faulty",
      reason: detail,
    }),
    backOff: (attempts) => delayAfter(TRIES_OF_MAILS, attempts) ?? Duration.zero,
    givingUp: {
      attempts: TRIES_OF_MAILS.length + 1,
      lapses: LAPSES,
      ofLapses: ({ lapses }) => `The server ended ${lapses} times while it was sent.`,
      ofDefect: "The server's log says why.",
      giveUp: (job, reason) => Effect.andThen(Effect.logWarning("An e-mail could not be sent", reason), mails.end(job)),
    },
  })
  yield* Effect.forkScoped(worker.run)

  const all = (taken: typeof mails.takeWaiting) => Effect.repeat(taken, { while: (count) => count > 0 })
  return { look: Effect.all([all(mails.takeWaiting), all(mails.takeUnseen), worker.nudge], { discard: true }) }
})

/** Sends e-mail in the background as long as the layer lives, where there is a server that does. */
export const layer = (settings: MailSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const send = yield* Mailer
      if (send === undefined) return
      const { look } = yield* make(send, settings)
      yield* Effect.forkScoped(regularly(RUN_EVERY, "E-mail could not be sent", look))
    }),
  )
