import type { BoundedText } from "../../text/BoundedText.ts"
import { smallTalkPhrases } from "./SmallTalkPhrases.ts"

/*
 * Recognizes messages in which a user declines to give the e-mail address, in the languages in which the question is
 * asked.
 */

/** A longer text says more than a refusal, in UTF-16 code units. */
const REFUSAL_MAX_LENGTH = 120

/** Phrases that are a refusal by themselves, separated by commas. */
const REFUSALS = [
  // English
  "no, nope, nah, never, no way, not now, not today, not yet, later, maybe later, skip, skip it, skip this, skip that, pass",
  "i'd rather not, i would rather not, rather not, id rather not, i'd rather not say, i would rather not say",
  "prefer not to, i prefer not to, i'd prefer not to, prefer not to say, i'd prefer not to say, i don't want to, i do not want to",
  "i don't want to say, i don't want to give it, i don't want to share it, i don't want to share my email, i won't, i refuse, i decline, decline",
  "no email, no e-mail, i don't have one, i have none, i don't have an email, none, none of your business, not telling, no comment",
  "no need, not necessary",
  // German
  "nein, nö, ne, nee, lieber nicht, bitte nicht, jetzt nicht, nicht jetzt, später, vielleicht später, keine, habe keine",
  "ich habe keine, möchte ich nicht, möchte ich nicht sagen, das möchte ich nicht, ich möchte nicht, will ich nicht, ich will nicht",
  "das sage ich nicht, sag ich nicht, überspringen, weiter, keine angabe, geht dich nichts an, geht sie nichts an, ohne",
  // French
  "non, nan, pas maintenant, plus tard, je préfère pas, je ne préfère pas, je préfère ne pas, je préfère ne pas le dire",
  "je ne veux pas, je veux pas, je ne souhaite pas, je refuse, passer, passe, ignorer, sans, aucune, je n'en ai pas",
  // Spanish
  "ahora no, más tarde, luego, prefiero no, prefiero no decirlo, prefiero no darlo, no quiero, no quiero darlo, omitir, saltar, paso, no tengo, ninguno",
  // Portuguese
  "não, nao, agora não, mais tarde, depois, prefiro não, prefiro não dizer, prefiro não informar, não quero, não tenho, pular, ignorar",
  // Italian
  "non ora, più tardi, dopo, preferisco di no, preferisco non dirlo, preferirei di no, non voglio, non ce l'ho, salta, nessuna",
  // Dutch
  "nee, neen, liever niet, nu niet, niet nu, later misschien, dat wil ik niet, wil ik niet, ik wil niet, heb ik niet, overslaan, sla over, geen",
  // Swedish, Danish, Norwegian
  "nej, helst inte, inte nu, senare, vill inte, jag vill inte, det vill jag inte, hoppa över, har ingen, ingen",
  "helst ikke, ikke nu, senere, vil ikke, jeg vil ikke, det vil jeg ikke, spring over, har ikke nogen",
  "nei, ikke nå, jeg vil ikke si, hopp over, har ikke",
  // Finnish
  "ei, en, en halua, en halua kertoa, mieluummin en, en mieluummin, ei nyt, myöhemmin, ohita, ohitan, ei ole",
  // Hungarian
  "nem, inkább nem, most nem, később, nem akarom, nem szeretném, nem adom meg, kihagyom, nincs",
  // Romanian
  "nu, nu acum, mai târziu, prefer să nu, prefer să nu spun, nu vreau, sari peste, omite, nu am",
  // Turkish
  "hayır, hayir, yok, istemiyorum, vermek istemiyorum, söylemek istemiyorum, şimdi değil, daha sonra, sonra, geç, atla, olmaz",
  // Indonesian
  "tidak, nggak, gak, enggak, tidak mau, tidak usah, jangan, nanti, nanti saja, lewati, lewat, tidak punya",
  // Greek
  "όχι, οχι, όχι τώρα, αργότερα, προτιμώ όχι, προτιμώ να μην, προτιμώ να μην πω, δεν θέλω, παράλειψη, δεν έχω",
  // Russian
  "нет, неа, не, не сейчас, позже, потом, не хочу, не хочу говорить, не скажу, не буду, предпочту не говорить, предпочитаю не говорить, пропустить, пропусти, дальше, у меня нет",
  // Arabic
  "لا, كلا, ليس الآن, لاحقا, لاحقاً, لا أريد, لا اريد, أفضل عدم ذلك, أفضل ألا أقول, تخطي, تخطى, ليس لدي",
  // Hindi
  "नहीं, नही, जी नहीं, अभी नहीं, बाद में, नहीं बताना, नहीं बताना चाहता, नहीं बताना चाहती, नहीं देना चाहता, नहीं देना चाहती, मैं नहीं बताना चाहता, छोड़ें, छोड़ो, रहने दो",
  // Chinese
  "不, 不了, 不用, 不用了, 不要, 不想, 不想说, 不想給, 不想给, 不想告诉你, 不方便, 不提供, 不愿意, 不願意, 算了, 没有, 沒有, 跳过, 跳過, 以后再说, 之後再說",
  // Japanese
  "いいえ, いや, いやです, 嫌です, 結構です, けっこうです, 遠慮します, 遠慮しておきます, やめておきます, 教えたくない, 教えたくないです, 教えたくありません, ありません, 持っていません, 後で, あとで, スキップ, 不要です",
  // Korean
  "아니, 아니요, 아니오, 아뇨, 싫어, 싫어요, 싫습니다, 괜찮아요, 괜찮습니다, 안 할래요, 말하고 싶지 않아요, 알려주고 싶지 않아요, 알려 드리고 싶지 않습니다, 나중에, 나중에요, 다음에, 건너뛰기, 건너뛸게요, 없어요, 없습니다",
  // Thai
  "ไม่, ไม่ครับ, ไม่ค่ะ, ไม่คะ, ไม่เอา, ไม่ให้, ไม่บอก, ไม่อยากบอก, ไม่สะดวก, ไม่มี, ไม่ต้อง, ข้าม, ข้ามไป, ไว้ทีหลัง, ไม่ล่ะ",
]

/** Phrases that accompany a refusal without saying anything else, separated by commas. */
const COURTESIES = [
  ...Object.values(smallTalkPhrases).map(({ thanks }) => thanks),
  "sorry, please, bitte, désolé, désolée, lo siento, scusa, maaf, извините, آسف, माफ़ कीजिए, 抱歉, すみません, ごめんなさい, 죄송합니다, ขอโทษ",
]

/** The words of a text in lower case. In scripts without spaces, the texts between punctuation marks. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .replaceAll("’", "'")
    .match(/[\p{L}\p{M}\p{N}']+/gu) ?? []

const phrasesOf = (lists: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split(", ").map((phrase) => wordsOf(phrase).join(" "))))

const refusals = phrasesOf(REFUSALS)
const courtesies = phrasesOf(COURTESIES)
const longestPhrase = Math.max(...Array.from(refusals, (phrase) => phrase.split(" ").length))

/**
 * Whether the words are known phrases and nothing else, with a refusal among them. At each place the longest phrase
 * that fits is taken, so no phrase may be made of others.
 */
const isRefusal = (words: ReadonlyArray<string>): boolean => {
  let refuses = false
  for (let at = 0; at < words.length;) {
    let length = Math.min(longestPhrase, words.length - at)
    const phrase = () => words.slice(at, at + length).join(" ")
    while (length > 0 && !refusals.has(phrase()) && !courtesies.has(phrase())) length--
    if (length === 0) return false
    refuses ||= refusals.has(phrase())
    at += length
  }
  return refuses
}

/**
 * How a text declines: `only`, when it says nothing else; `first`, when something else follows; undefined, not at all.
 */
export const refusalIn = (text: BoundedText): "only" | "first" | undefined => {
  const start = text.slice(0, REFUSAL_MAX_LENGTH)
  if (start.length === text.length && isRefusal(wordsOf(text))) return "only"
  return isRefusal(wordsOf(start.split(/[\n,.;:!?،。，！？；…–—]/u).find((clause) => clause.trim() !== "") ?? ""))
    ? "first"
    : undefined
}
