import type { Kind } from "./questions/QuestionWords.ts"

/*
 * What the answers to questions of a kind look like: they hold a number, a date, a name, a reason or a definition.
 */

const wholeWord = (words: Iterable<string>): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}])(?:${[...words].join("|")})(?![\\p{L}\\p{M}])`, "iu")

/** Made when it is first used, because the formatters that know the names take a while to load. */
const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "sv", "da", "nb"]

/** The names of months, as they stand alone and in dates. */
const month = lazy(() => {
  const names = LANGUAGES.flatMap((language) =>
    [{ month: "long" } as const, { month: "long", day: "numeric" } as const].flatMap((options) => {
      const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options })
      return Array.from({ length: 12 }, (_, index) =>
        format
          .formatToParts(new Date(Date.UTC(2000, index, 15)))
          .flatMap(({ type, value }) => (type === "month" ? [value] : [])),
      ).flat()
    }),
  )
  // “May” is a verb, too; with a capital letter and a number beside it, it is a month.
  return wholeWord(new Set(names.filter((name) => name.length > 3 && !/\d/.test(name))))
})

const YEAR =
  /(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d%€$£]|[.,]\d)|[\d〇一二三四五六七八九]+\s?(?:年|月|世纪|世紀)|\d{1,2}:\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}/u
const TIME = wholeWord(
  "century|centuries|decade|\\d{2,4}s|bc|ad|am|pm|o'clock|today|yesterday|noon|midnight|january|may|monday|tuesday|wednesday|thursday|friday|saturday|sunday|jahrhunderts?|jahrzehnts?|uhr|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|siècle|siglo|século|secolo|eeuw|wieku?|век[аеу]?|году?|году|yüzyıl\\p{L}*|yılı\\p{L}*|عام|القرن|سنة|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|heures?|lunes|martes|miércoles|jueves|viernes|sábado|domingo|days?|weeks?|months?|tage?n?|wochen?|monate?n?".split(
    "|",
  ),
)
const NUMBER_WORD = wholeWord(
  "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|once|twice|half|third|quarter|none|free|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|einmal|zweimal|hälfte|drittel|viertel|kostenlos|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|cent|mille|gratuite?s?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien|mil|gratis|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|cento|dois|duas|três|quatro|oito|dez|twee|drie|vijf|zes|zeven|tien|dwa|dwie|trzy|cztery|pięć|sześć|dziesięć|два|две|двух|три|трёх|трех|четыре|четырех|пять|шесть|семь|восемь|девять|десять|сто|тысяч\\p{L}*|миллион\\p{L}*|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|yüz|bin|milyon|اثنين|اثنان|ثلاثة|ثلاث|أربعة|أربع|خمسة|خمس|ستة|سبعة|ثمانية|تسعة|عشرة|مائة|ألف|مليون|två|tre|fyra|fem|sex|sju|åtta|nio|tio".split(
    "|",
  ),
)
const CJK_NUMBER = /[〇一二两三四五六七八九十百千万亿半]\s?[个人年次天元名座所种位%％度米分岁条张本]|免费|無料/u

const REASON = wholeWord(
  "because|since|due to|so that|therefore|reasons?|caused?|result(?:ed|s)? (?:of|in|from)|in order to|thanks to|as a result|weil|denn|da|damit|deshalb|wegen|aufgrund|grund|durch|daher|parce que|car|puisque|afin|pour que|grâce|raison|cause|porque|debido|para que|razón|ya que|pois|devido|razão|perché|poiché|motivo|grazie|omdat|want|zodat|vanwege|reden|ponieważ|bo|żeby|dlatego|z powodu|потому|так как|поскольку|чтобы|из-за|причин\\p{L}*|поэтому|тому|оскільки|щоб|через|çünkü|için|nedeni\\p{L}*|dolayı|sebe\\p{L}*|لأن|لأنه\\p{L}*|بسبب|لذلك|كي|eftersom|därför|grund|fordi|derfor|grund".split(
    "|",
  ),
)
const CJK_REASON = /因为|因為|由于|由於|所以|以便|原因|ため|から|ので|때문|위해/u

const FULL_NAME = /\p{Lu}[\p{L}.’'-]*\s+(?:(?:of|de|von|van|der|la|the)\s+)*\p{Lu}\p{L}/u
const NAME = /(?<=[\p{L}\p{N},;:)’'-]\s(?:the\s)?)\p{Lu}\p{L}+/u
const CASED = /\p{Ll}/u

/** Things that are named one after the other in a sentence. */
const ENUMERATION =
  /[,;、،]\s?[^,;.、،]{1,60}(?:[,;、،]|\s(?:and|or|und|oder|sowie|et|ou|y|e|o|u|ed|en|of|och|og|eller|oraz|i|lub|и|или|та|або|ve|veya|या|और)\s|\s(?:&|و|和|或))|、[^、。]{1,20}(?:、|和|与|と)|[^,;、،。\s][和与]/u

/** Whether a sentence names several things one after the other. */
export const enumerates = (text: string): boolean => ENUMERATION.test(text)

/** Words that decide whether something is so, may be done, or is there. */
const DECISION = wholeWord(
  "yes|no|not|never|none|only|always|must|may|can|cannot|\\p{L}+n['’]t|allowed|permitted|forbidden|prohibited|banned|welcome|free|available|possible|impossible|included?s?|excluded|accept(?:ed)?|refused|supported|required|optional|except|need(?:s|ed)?|fine|blocked|without|ja|nein|nicht|kein\\p{L}*|nie|nur|immer|muss|müssen|darf|dürfen|kann|können|erlaubt|gestattet|verboten|untersagt|willkommen|kostenlos|möglich|enthalten|inbegriffen|inklusive|verfügbar|erforderlich|nötig|außer|ohne|oui|non|pas|jamais|aucune?|seule?ment|seule?s?|toujours|doit|doivent|peut|peuvent|permise?s?|autorisée?s?|interdite?s?|admise?s?|bienvenue?s?|gratuite?s?|disponibles?|possibles?|comprise?s?|inclu\\p{L}*|accept\\p{L}*|refus\\p{L}*|obligatoires?|sauf|sans|sí|nunca|solo|sólo|solamente|siempre|debe|deben|puede|pueden|permit\\p{L}*|prohib\\p{L}*|bienvenid\\p{L}*|posible|incluid\\p{L}*|incluye|obligatori\\p{L}*|excepto|sin|sim|não|apenas|sempre|deve|devem|pode|podem|permitid\\p{L}*|proibid\\p{L}*|bem-vind\\p{L}*|possível|incluíd\\p{L}*|exceto|sem|sì|mai|nessun\\p{L}*|soltanto|può|possono|permess\\p{L}*|vietat\\p{L}*|benvenut\\p{L}*|compres\\p{L}*|inclus\\p{L}*|tranne|senza|nee|niet|geen|nooit|alleen|altijd|moet|moeten|mag|mogen|toegestaan|verboden|welkom|beschikbaar|inbegrepen|behalve|zonder|tak|nie|tylko|można|wolno|zabronion\\p{L}*|да|нет|не|только|можно|нельзя|запрещен\\p{L}*|разрешен\\p{L}*|бесплатн\\p{L}*|так|ні|лише|тільки|заборонен\\p{L}*|evet|hayır|değil\\p{L}*|yok\\p{L}*|sadece|yasak\\p{L}*|ücretsiz|نعم|لا|ليس|فقط|ممنوع|مسموح|हाँ|नहीं|केवल|inte|ingen|bara|får|måste|ikke|kun|må|skal".split(
    "|",
  ),
)
const DECISION_HAN =
  /不|没有|沒有|可以|必须|禁止|免费|无料|無料|できます|できません|ません|있습니다|없습니다|안 됩니다/u

/** Words that join one step to the next. */
const SEQUENCE = wholeWord(
  "first|firstly|then|next|afterwards|after that|finally|lastly|before you|zuerst|zunächst|dann|danach|anschließend|schließlich|zum schluss|zuletzt|d['’]abord|puis|ensuite|enfin|primero|luego|después|por último|finalmente|primeiro|depois|em seguida|por fim|prima|poi|dopo|infine|eerst|daarna|vervolgens|tenslotte|först|sedan|därefter|derefter|deretter|til slutt|najpierw|następnie|potem|сначала|затем|потом|после этого|наконец|önce|sonra|son olarak|أولا|ثم|أخيرا".split(
    "|",
  ),
)
/** How a sentence begins that tells what to do. */
const IMPERATIVE =
  /^(?:(?:please|bitte|simply|just|you (?:can|may|need to|have to|must|should)|to \p{L}+ [^,]{2,60}, |wenn sie )\s?)?(?:add|apply|ask|book|bring|call|change|check|choose|click|close|collect|complete|confirm|connect|contact|copy|create|delete|download|drag|edit|email|enter|export|fill|find|follow|give|go|hand|hold|import|insert|install|leave|let|log|make|move|open|pay|pick|place|plug|pour|press|print|pull|push|put|remove|replace|restart|return|run|save|scan|scroll|select|send|set|show|sign|start|stop|strip|switch|take|tap|tell|try|turn|type|unplug|upload|use|visit|wait|wash|write|\p{L}+en sie|\p{L}{3,}ez|abre|elige|escribe|espera|haz|llama|paga|pulsa|rellena|selecciona|envía|abra|elija|llame|complete|aprite|apri|scegli|clicca|premi|invia|откройте|нажмите|выберите|\p{L}{3,}[ий]те)(?![\p{L}\p{M}])/iu

/** How a sentence begins that tells what comes of a step. */
const OUTCOME =
  /^(?:you(?: will|['’]ll)? (?:get|receive)|we(?: will|['’]ll)? (?:send|call|email)|sie (?:erhalten|bekommen)|vous recev|recibir|recebe|riceve|u ontvangt|вы получ)/iu

/** Whether a sentence tells what to do, in which order, or what comes of it. */
export const instructs = (text: string): boolean =>
  SEQUENCE.test(text.slice(0, 60)) || IMPERATIVE.test(text) || OUTCOME.test(text)

/** Whether the answers to questions of a kind have a form. */
export const asksForm = (kind: Kind): boolean => FORMS[kind] !== undefined

/**
 * Whether a text holds what a question of a kind asks for: 1 if it does, -1 if it does not, and 0 where nothing can be
 * said about it.
 *
 * @param text a text from which the words of the question have been taken out, so that a year that the question names
 *   is not its answer
 */
export const holdsKind = (kind: Kind, text: string): number => {
  const holds = FORMS[kind]?.(text)
  return holds === undefined ? 0 : holds ? 1 : -1
}

const FORMS: Partial<Readonly<Record<Kind, (text: string) => boolean | undefined>>> = {
  number: (text) => /\p{N}/u.test(text) || NUMBER_WORD.test(text) || CJK_NUMBER.test(text),
  date: (text) => YEAR.test(text) || TIME.test(text) || month().test(text),
  person: (text) => (CASED.test(text) ? FULL_NAME.test(text) || NAME.test(text) : undefined),
  place: (text) => (CASED.test(text) ? NAME.test(text) : undefined),
  why: (text) => REASON.test(text) || CJK_REASON.test(text),
  // The lack of these forms says nothing: things may be told in a list, and a fact may decide.
  list: (text) => enumerates(text) || undefined,
  "yes-no": (text) => DECISION.test(text) || DECISION_HAN.test(text) || undefined,
  "how-to": (text) => instructs(text) || undefined,
}

const COPULA = wholeWord(
  "is|are|was|were|means|refers to|stands for|describes|denotes|ist|sind|war|waren|bezeichnet|bedeutet|nennt man|steht für|est|sont|était|désigne|signifie|es|son|era|fue|significa|é|são|foi|è|sono|erano|significa|indica|zijn|betekent|to|jest|są|oznacza|это|является|являются|называется|означает|це|є|означає|هو|هي|يعني|تعني|हैं?|är|er|var|betyr|betyder".split(
    "|",
  ),
)
const COPULA_HAN = /是|指|とは|は|란|이란/u
const DASH = /\s[–—-]\s|:\s/u

/**
 * What a sentence defines: the words before its first “is”, dash or colon, without what stands in parentheses. Undefined
 * when it does not look like a definition.
 */
export const definedIn = (text: string): string | undefined => {
  const start = text.slice(0, DEFINED_MAX_LENGTH).replaceAll(/\s?[(（][^()（）]*[)）]/g, "")
  const end = Math.min(...[COPULA, DASH, COPULA_HAN].map((pattern) => indexOf(start, pattern)))
  return end === Infinity || end === 0 ? undefined : start.slice(0, end)
}

/** The beginning of a sentence in which the defined words stand, in UTF-16 code units. */
const DEFINED_MAX_LENGTH = 200

const indexOf = (text: string, pattern: RegExp): number => {
  const at = text.search(pattern)
  return at < 0 ? Infinity : at
}
