import type { Model } from "./Model.ts"
import type { RunningServer } from "./Process.ts"
import type { HostSite } from "./HostSite.ts"
import type { Visit } from "./Visit.ts"
import { Chat, words } from "./Widget.ts"

/*
 * A visitor who reloads the page while an answer is written, at a random moment: in the end the page has to show what is
 * stored.
 */

const ANSWER_WORDS = 60
/** In characters, and the pause in milliseconds after each of them. */
const PIECE_LENGTH = 6
const PIECE_MILLIS = 12

const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

export interface Reloads {
  readonly model: Model
  readonly server: RunningServer
  readonly site: HostSite
  readonly open: () => Promise<Visit>
  readonly times: number
  readonly seed: number
}

/** Asks and reloads so many times, and returns what was wrong each time that something was. */
export const reloadWhileWriting = async (options: Reloads): Promise<ReadonlyArray<string>> => {
  const { model, open, seed, server, site, times } = options
  const draw = random(seed)
  const faults: Array<string> = []
  const { context, page } = await open()
  for (let time = 1; time <= times; time += 1) {
    const { id } = await server.api.newChatbot()
    const answer = Array.from(
      { length: ANSWER_WORDS },
      (_, index) => `word${index}${index % 12 === 11 ? ".\n\n" : " "}`,
    ).join("")
    // Of the answer, or behind its end.
    const moment = draw() * 1.4 * answer.length
    const reached = Promise.withResolvers<void>()
    const pieces = async function* () {
      for (let at = 0; at < answer.length; at += PIECE_LENGTH) {
        if (at >= moment) reached.resolve()
        yield answer.slice(at, at + PIECE_LENGTH)
        await Bun.sleep(PIECE_MILLIS)
      }
    }
    model.answers(() => ({ kind: "pieces", pieces: pieces() }))
    const address = site.page({ "data-key": id })
    const chat = await Chat.open(page, address)
    await chat.ask("Tell me")
    await (moment < answer.length - PIECE_LENGTH ? reached.promise : chat.reply())
    await Chat.open(page, address)
    await chat.within.locator("article[data-phase][aria-busy=false]").first().waitFor()
    const shown = (await chat.within.locator("article[data-phase] .markdown").allInnerTexts()).map(words)
    const questions = await chat.message("Tell me").count()
    const stored = (await server.api.messages(id))
      .filter(({ sender_type }) => sender_type === "bot")
      .map(({ content }) => words(content))
    const isRight =
      JSON.stringify(shown) === JSON.stringify(stored) && stored.join() === words(answer) && questions === 1
    if (!isRight)
      faults.push(`${time}: shown ${JSON.stringify(shown)}, stored ${JSON.stringify(stored)}, ${questions} questions`)
    await server.api.delete(`/api/external/chatbot/${id}`)
  }
  await context.close()
  return faults
}
