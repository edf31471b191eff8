import type { ChatTurn } from "./Chat.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import type { SpokenLanguage } from "../../text/FunctionWords.ts"
import { refusalIn } from "./Refusals.ts"
import { languageOfReply } from "./ReplyLanguage.ts"

/*
 * A chatbot may ask for the user's e-mail address before it answers. It asks at most twice in a conversation: once the
 * user has declined, or has answered something else both times, it answers without the address.
 */

/** Stands in the place of a model's name in messages that the e-mail question wrote. */
export const emailGateModel = "local/email-gate"

const localPart = /[\p{L}\p{N}._%+-]+$/u
const domain = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,63}/u
/** Longest local part and domain of an address, in UTF-16 code units. */
const LOCAL_PART_MAX = 64
const DOMAIN_MAX = 255
/** How many at signs of a message are looked at: nobody writes more of them before an address. */
const AT_SIGNS_MAX = 20

/**
 * The first e-mail address in a message. The search begins at the at signs: beginning at every letter takes quadratic
 * time, and a conversation holds many long messages.
 */
export const findEmail = (text: string): string | undefined => {
  let at = text.indexOf("@")
  for (let sign = 0; sign < AT_SIGNS_MAX && at !== -1; sign++, at = text.indexOf("@", at + 1)) {
    const [host] = domain.exec(text.slice(at + 1, at + 1 + DOMAIN_MAX)) ?? []
    const [name] = localPart.exec(text.slice(Math.max(0, at - LOCAL_PART_MAX), at)) ?? []
    if (name !== undefined && host !== undefined) return `${name}@${host}`
  }
  return undefined
}

/** A message with at most this many words beside its e-mail address asks nothing else. */
const WORDS_BESIDE = 5

/** Whether a message holds an e-mail address and no question of its own. */
export const isOnlyEmail = (text: string): boolean => {
  const email = findEmail(text)
  if (email === undefined || /[?？؟]/.test(text)) return false
  const words = text.replace(email, "").matchAll(/[\p{L}\p{N}]+/gu)
  return words.take(WORDS_BESIDE + 1).toArray().length <= WORDS_BESIDE
}

const requests: Readonly<Record<SpokenLanguage, string>> = {
  ar: "قبل أن أجيب، ما عنوان بريدك الإلكتروني؟",
  cs: "Než odpovím: jaká je vaše e-mailová adresa?",
  da: "Hvad er din e-mailadresse, før jeg svarer?",
  de: "Wie lautet Ihre E-Mail-Adresse? Danach beantworte ich Ihre Frage.",
  el: "Πριν απαντήσω, ποια είναι η διεύθυνση e-mail σας;",
  en: "Before I answer, what is your e-mail address?",
  es: "Antes de responder, ¿cuál es tu dirección de correo electrónico?",
  fa: "پیش از پاسخ، نشانی ایمیل شما چیست؟",
  fi: "Mikä on sähköpostiosoitteesi? Vastaan sen jälkeen.",
  fr: "Avant de vous répondre, quelle est votre adresse e-mail ?",
  he: "לפני שאענה, מה כתובת הדוא״ל שלך?",
  hi: "उत्तर देने से पहले, आपका ई-मेल पता क्या है?",
  hu: "Mielőtt válaszolok, mi az e-mail-címe?",
  id: "Sebelum saya menjawab, apa alamat e-mail Anda?",
  it: "Prima di rispondere, qual è il tuo indirizzo e-mail?",
  ja: "お答えする前に、メールアドレスを教えていただけますか？",
  ko: "답변드리기 전에 이메일 주소를 알려 주시겠어요?",
  nl: "Wat is je e-mailadres? Daarna beantwoord ik je vraag.",
  no: "Hva er e-postadressen din, før jeg svarer?",
  pl: "Zanim odpowiem: jaki jest Pani lub Pana adres e-mail?",
  pt: "Antes de responder, qual é o seu endereço de e-mail?",
  ro: "Înainte de a răspunde, care este adresa dvs. de e-mail?",
  ru: "Прежде чем ответить: какой у вас адрес электронной почты?",
  sv: "Vad är din e-postadress, innan jag svarar?",
  th: "ก่อนตอบคำถาม ขอทราบอีเมลของคุณได้ไหม",
  tr: "Yanıtlamadan önce, e-posta adresiniz nedir?",
  uk: "Перш ніж відповісти: яка у вас адреса електронної пошти?",
  vi: "Trước khi trả lời, xin cho biết địa chỉ e-mail của bạn là gì?",
  zh: "在回答之前，请问您的电子邮箱地址是什么？",
}

/** The question for the e-mail address, in the language of the user's text, or in English where that is not known. */
export const emailRequest = (userText: string): string =>
  requests[languageOfReply(bounded(userText, MESSAGE_MAX_LENGTH))]

const requestTexts: ReadonlySet<string> = new Set(Object.values(requests))

const ASKED_AT_MOST = 2

/** Where a conversation stands with the question for the e-mail address. */
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
 * Where a conversation stands, whose last turn is the user's. `isRequest` recognizes questions of earlier versions,
 * which were worded otherwise.
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
