import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import { head, noindex } from "./Documents.ts"
import { escape } from "./Html.ts"

/*
 * Documents that say a sentence in place of a chat, without a script. They do not say why: that concerns the owner of the
 * page alone, who finds it in the console.
 */

/** Where there is no chat: the key is unknown or revoked, or the chatbot is not public. */
const noChat: Readonly<Record<string, string>> = {
  en: "This chat is not available.",
  de: "Dieser Chat ist nicht verfügbar.",
  fr: "Ce chat n’est pas disponible.",
  es: "Este chat no está disponible.",
  pt: "Este chat não está disponível.",
  it: "Questa chat non è disponibile.",
  nl: "Deze chat is niet beschikbaar.",
  pl: "Ten czat jest niedostępny.",
  ru: "Этот чат недоступен.",
  tr: "Bu sohbet kullanılamıyor.",
  ar: "هذه الدردشة غير متاحة.",
  hi: "यह चैट उपलब्ध नहीं है।",
  zh: "此聊天不可用。",
  ja: "このチャットは利用できません。",
  ko: "이 채팅은 사용할 수 없습니다.",
}

/** Where there is a chat, and the server cannot show it for a moment. */
const notNow: Readonly<Record<string, string>> = {
  en: "This page is not available at the moment. Please try again later.",
  de: "Diese Seite ist im Moment nicht verfügbar. Bitte versuchen Sie es später noch einmal.",
  fr: "Cette page n’est pas disponible pour le moment. Veuillez réessayer plus tard.",
  es: "Esta página no está disponible en este momento. Inténtelo de nuevo más tarde.",
  pt: "Esta página não está disponível no momento. Tente novamente mais tarde.",
  it: "Questa pagina non è disponibile al momento. Riprova più tardi.",
  nl: "Deze pagina is op dit moment niet beschikbaar. Probeer het later opnieuw.",
  pl: "Ta strona jest chwilowo niedostępna. Spróbuj ponownie później.",
  ru: "Эта страница сейчас недоступна. Попробуйте позже.",
  tr: "Bu sayfa şu anda kullanılamıyor. Lütfen daha sonra tekrar deneyin.",
  ar: "هذه الصفحة غير متاحة حاليًا. يرجى المحاولة لاحقًا.",
  hi: "यह पेज अभी उपलब्ध नहीं है। कृपया बाद में फिर कोशिश करें।",
  zh: "此页面暂时不可用，请稍后再试。",
  ja: "このページは現在利用できません。しばらくしてからもう一度お試しください。",
  ko: "지금은 이 페이지를 사용할 수 없습니다. 나중에 다시 시도해 주세요.",
}

const style =
  "body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1rem;box-sizing:border-box;text-align:center;font:1rem/1.5 system-ui,sans-serif}h1{font:inherit;margin:0}"

const headers = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
  "cross-origin-embedder-policy": "credentialless",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  vary: "accept-language",
}

/** The first language of `Accept-Language`, in the order in which browsers send them, that there is a sentence in. */
const languageFor = (header: string | undefined, sentences: Readonly<Record<string, string>>): string =>
  (header ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((part) => part.trim().slice(0, 2).toLowerCase())
    .find((language) => Object.hasOwn(sentences, language)) ?? "en"

const say = (
  sentences: Readonly<Record<string, string>>,
  acceptLanguage: string | undefined,
  status: number,
  more: Readonly<Record<string, string>>,
) => {
  const language = languageFor(acceptLanguage, sentences)
  const html = `${head("Parley", [noindex, `<style>${style}</style>`], language)}
<body><main><h1 dir="auto">${escape(sentences[language] ?? "")}</h1></main></body>
</html>
`
  return HttpServerResponse.text(html, { status, contentType: "text/html; charset=utf-8" }).pipe(
    HttpServerResponse.setHeaders({ ...headers, ...more }),
  )
}

/** Says that there is no chat, in a language of the reader. */
export const sayNoChat = (acceptLanguage: string | undefined): HttpServerResponse.HttpServerResponse =>
  say(noChat, acceptLanguage, 404, {})

/** Says that a page cannot be shown at the moment, in a language of the reader. */
export const sayNotNow = (
  acceptLanguage: string | undefined,
  status: 429 | 503,
  retryAfterSeconds: number,
): HttpServerResponse.HttpServerResponse =>
  say(notNow, acceptLanguage, status, { "retry-after": String(retryAfterSeconds) })
