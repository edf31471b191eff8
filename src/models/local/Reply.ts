import { QUERY_MAX_LENGTH } from "../ToolDeclaration.ts"
import { cut } from "../../text/Cut.ts"
import { normalize } from "../../text/Normalization.ts"
import { answerTo } from "./Answer.ts"
import type { Answer, Conversation, Reply } from "./Conversation.ts"
import { greeting, nothingFound, searchFailed } from "./Phrases.ts"

/* Decides what `local/extractive` does next: it replies by itself, searches, or answers with what was found. */

/** Decides the next step of a conversation. */
export const replyTo = ({ found, maySearch, question }: Conversation): Reply => {
  if (isGreeting(question)) return saying(greeting)
  // The part of the question that the search is for.
  const query = cut(question, QUERY_MAX_LENGTH)
  if (found === undefined) return maySearch ? { query } : saying(nothingFound)
  if (found === "failed") return saying(searchFailed)
  return answerTo(query, found.likely, found.others) ?? saying(nothingFound)
}

const saying = (text: string): Answer => ({ text, quotes: [] })

const greetings: ReadonlySet<string> = new Set(
  "hi hello hey hiya yo greetings good morning evening afternoon day there hallo guten tag morgen abend moin servus salut bonjour bonsoir coucou hola buenas buenos días tardes noches ciao buongiorno buonasera olá oi bom dia boa tarde hei hej hallå cześć ahoj szia merhaba selam привет здравствуйте привіт γεια مرحبا السلام عليكم שלום नमस्ते 你好 您好 こんにちは おはよう 안녕 안녕하세요".split(
    " ",
  ),
)

const isGreeting = (message: string): boolean => {
  const words = normalize(message.toLowerCase(), "NFC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.length <= 3 && words.every((word) => greetings.has(word))
}
