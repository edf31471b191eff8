import type { Kind } from "./Case.ts"

type Words = Readonly<Partial<Record<Kind, string>>>

/** The words, separated by bars, of which a reply to small talk holds at least one in the language of the user. */
const WORDS: Readonly<Record<string, Words>> = {
  ar: {
    greeting: "مرحبا|أهلا|السلام عليكم|وعليكم السلام",
    thanks: "عفوا|على الرحب والسعة|بكل سرور|يسعدني|لا شكر على واجب|يسرني",
    goodbye: "وداعا|مع السلامة|إلى اللقاء",
  },
  cs: {
    greeting: "ahoj|dobrý den|zdravím|dobré ráno|dobrý večer",
    thanks: "není zač|rádo se stalo|prosím|rád|ráda|nemáte zač",
    goodbye: "na shledanou|nashledanou|sbohem|ahoj",
  },
  da: {
    greeting: "hej|goddag|god dag|godmorgen",
    thanks: "selv tak|velbekomme|det var så lidt",
    goodbye: "farvel|hej hej|på gensyn",
  },
  de: {
    greeting: "hallo|guten tag|guten morgen|guten abend|willkommen|servus|moin",
    thanks: "gern|gerne|bitte|freut mich|keine ursache|nichts zu danken",
    goodbye: "auf wiedersehen|tschüss|bis bald|bis dann|auf wiederhören|schönen tag",
  },
  el: {
    greeting: "γεια|καλημέρα|καλησπέρα|χαίρετε",
    thanks: "παρακαλώ|ευχαρίστησή|τίποτα",
    goodbye: "αντίο|γεια|τα λέμε",
  },
  en: {
    greeting: "hello|hi|hey|welcome|good morning|good afternoon|good evening|good day",
    thanks: "welcome|glad|pleasure|happy to|any time|anytime|no problem",
    goodbye: "goodbye|good-bye|bye|see you|farewell|take care|have a nice day|have a good day",
  },
  es: {
    greeting: "hola|buenos días|buenas tardes|buenas noches|bienvenido|bienvenida",
    thanks: "de nada|con gusto|no hay de qué|un placer|me alegro|me alegra|encantado|a ti|a usted",
    goodbye: "adiós|hasta luego|hasta pronto|chao|nos vemos",
  },
  fi: {
    greeting: "hei|terve|hyvää päivää|huomenta",
    thanks: "ole hyvä|olkaa hyvä|eipä kestä|ilo",
    goodbye: "näkemiin|hei hei|moikka|heippa",
  },
  fr: {
    greeting: "bonjour|bonsoir|salut|bienvenue|coucou",
    thanks: "de rien|avec plaisir|je vous en prie|je t'en prie|il n'y a pas de quoi|ravi|ravie",
    goodbye: "au revoir|à bientôt|à la prochaine|adieu|salut|bonne journée|bonne soirée",
  },
  he: { greeting: "שלום|היי|בוקר טוב", thanks: "בבקשה|על לא דבר|בשמחה", goodbye: "להתראות|ביי|שלום" },
  hi: { greeting: "नमस्ते|नमस्कार|हैलो|हेलो", thanks: "स्वागत|कोई बात नहीं|खुशी", goodbye: "अलविदा|फिर मिलेंगे|नमस्ते" },
  hu: {
    greeting: "szia|helló|üdvözlöm|jó napot|szervusz|jó reggelt",
    thanks: "szívesen|nincs mit|örömmel",
    goodbye: "viszlát|viszontlátásra|szia",
  },
  id: {
    greeting: "halo|hai|selamat",
    thanks: "sama-sama|senang|kembali",
    goodbye: "sampai jumpa|selamat tinggal|dadah",
  },
  it: {
    greeting: "ciao|buongiorno|buonasera|salve|benvenuto|benvenuta",
    thanks: "prego|di niente|di nulla|con piacere|figurati|si figuri|piacere mio",
    goodbye: "arrivederci|ciao|a presto|addio|buona giornata",
  },
  ja: {
    greeting: "こんにちは|おはよう|こんばんは|ようこそ|はじめまして",
    thanks: "どういたしまして|お役に立|こちらこそ|嬉しい|うれしい",
    goodbye: "さようなら|またね|失礼|また",
  },
  ko: {
    greeting: "안녕하세요|안녕|환영",
    thanks: "천만에요|천만에|별말씀을요|별말씀|도움이|기쁩|언제든",
    goodbye: "안녕히|안녕|또 만나|다음에",
  },
  nl: {
    greeting: "hallo|goedendag|goedemorgen|goedemiddag|goedenavond|dag|hoi|welkom",
    thanks: "graag gedaan|geen dank|graag|tot uw dienst",
    goodbye: "tot ziens|dag|doei|tot snel|tot de volgende keer",
  },
  no: {
    greeting: "hei|god dag|hallo|god morgen",
    thanks: "bare hyggelig|vær så god|ingen årsak",
    goodbye: "ha det|farvel|på gjensyn",
  },
  pl: {
    greeting: "cześć|dzień dobry|witam|witaj|dobry wieczór",
    thanks: "proszę|nie ma za co|cieszę się|z przyjemnością|do usług",
    goodbye: "do widzenia|żegnaj|pa|na razie|do zobaczenia|miłego dnia",
  },
  pt: {
    greeting: "olá|oi|bom dia|boa tarde|boa noite|bem-vindo",
    thanks: "de nada|por nada|com prazer|disponha|não há de quê|às ordens|fico feliz",
    goodbye: "adeus|tchau|até logo|até breve|até mais",
  },
  ro: {
    greeting: "bună|salut|bună ziua|buna",
    thanks: "cu plăcere|pentru puțin|n-ai pentru ce",
    goodbye: "la revedere|pa|pe curând",
  },
  ru: {
    greeting: "здравствуйте|привет|добрый день|доброе утро|добрый вечер|добро пожаловать",
    thanks: "пожалуйста|не за что|рад|рада|обращайтесь|всегда пожалуйста",
    goodbye: "до свидания|пока|до встречи|всего доброго|всего хорошего|прощайте",
  },
  sv: {
    greeting: "hej|god dag|hallå|god morgon",
    thanks: "varsågod|ingen orsak|det var så lite|gärna",
    goodbye: "hejdå|hej då|adjö|vi ses",
  },
  tr: {
    greeting: "merhaba|selam|günaydın|iyi günler|iyi akşamlar|hoş geldiniz|hoş geldin",
    thanks: "rica ederim|bir şey değil|memnun|memnuniyetle|ne demek",
    goodbye: "hoşça kal|hoşça kalın|güle güle|görüşürüz|görüşmek üzere|hoşçakal|hoşçakalın",
  },
  uk: {
    greeting: "вітаю|привіт|добрий день|здрастуйте|доброго дня|доброго ранку|добрий вечір",
    thanks: "будь ласка|прошу|немає за що|радий|рада|нема за що",
    goodbye: "до побачення|бувай|бувайте|до зустрічі|усього найкращого",
  },
  vi: { greeting: "xin chào|chào", thanks: "không có gì|không có chi|rất vui", goodbye: "tạm biệt|hẹn gặp lại" },
  zh: {
    greeting: "你好|您好|早上好|欢迎|晚上好|下午好",
    thanks: "不客气|不用谢|不谢|很高兴|乐意",
    goodbye: "再见|拜拜|回头见|下次见",
  },
}

/** The words of which a reply to small talk of a kind holds at least one. Empty for a language that is not listed. */
export const smallTalkWords = (kind: Kind, language: string): ReadonlyArray<string> =>
  WORDS[language]?.[kind]?.split("|") ?? []
