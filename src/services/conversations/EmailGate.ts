import type { ChatTurn } from "../../domain/chat/Chat.ts"
import { findEmail, isOnlyEmail } from "../../domain/chat/EmailAddress.ts"
import { languageOfReply } from "../../language/Detection.ts"
import { locales, type SpokenLanguage } from "../../language/Locales.ts"
import { refusalIn } from "../../language/messages/Refusals.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"

/*
 * A chatbot may ask for the user's e-mail address before it answers. It asks at most twice in a conversation: once the
 * user has declined, or has answered something else both times, it answers without the address.
 */

/** Stands in the place of a model's name in messages that the e-mail question wrote. */
export const emailGateModel = "local/email-gate"

/** The question for the e-mail address, in the language of the user's text; in doubt in that of the widget, or in English. */
export const emailRequest = (userText: string, widget?: SpokenLanguage): string =>
  locales[languageOfReply(bounded(userText, MESSAGE_MAX_LENGTH), [], widget)].emailRequest

const requestTexts: ReadonlySet<string> = new Set(Object.values(locales).map((locale) => locale.emailRequest))

const ASKED_AT_MOST = 2

/** State of a conversation with regard to the question for the e-mail address. */
export interface EmailGate {
  /** The address that the user gave. */
  readonly email: string | undefined
  /** Whether the chatbot has to ask for the address now. */
  readonly isAsking: boolean
  /** Whether the chatbot may ask for the address again later. */
  readonly mayAskAgain: boolean
  /**
   * The conversation without the questions, and without the messages that only give the address or decline to give it.
   */
  readonly turns: ReadonlyArray<ChatTurn>
}

/**
 * Returns the state of a conversation whose last turn is the user's. `isRequest` recognizes questions of earlier
 * versions, which were worded otherwise.
 */
export const emailGate = (
  conversation: ReadonlyArray<ChatTurn>,
  isRequest: (content: string) => boolean = () => false,
): EmailGate => {
  let timesAsked = 0
  let isDeclined = false
  let email: string | undefined
  let isReply = false
  const turns = conversation.filter((turn) => {
    if (turn.role === "assistant") {
      const isQuestion = requestTexts.has(turn.content) || isRequest(turn.content)
      isReply ||= isQuestion
      if (isQuestion) timesAsked += 1
      return !isQuestion
    }
    const refusal = isReply ? refusalIn(bounded(turn.content, MESSAGE_MAX_LENGTH)) : undefined
    email = findEmail(turn.content) ?? email
    isReply = false
    isDeclined ||= refusal !== undefined
    return refusal !== "only" && !isOnlyEmail(turn.content)
  })
  const isSettled = email !== undefined || isDeclined
  return {
    email,
    isAsking: !isSettled && timesAsked < ASKED_AT_MOST,
    mayAskAgain: !isSettled && timesAsked + 1 < ASKED_AT_MOST,
    // A message that holds only an address, without having been asked for it, is answered like any other.
    turns: turns.at(-1)?.role === "user" ? turns : [...turns, ...conversation.slice(-1)],
  }
}
