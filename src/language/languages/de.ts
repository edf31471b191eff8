import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "german",
  spelling:
    /ß|[aeo]sch|^(?:ge|be|ver|zer|ent).{2,}(?:t|en)$|(?:ung|ungen|keit|heit|lich|liche|lichen|isch|ische|ischen|schaft)$|[äöü](?!n$).*(?:er|en|e|t)$|^(?:zw|pf)|tz/,
  functionWords: {
    joins:
      "und, oder, aber, auch, was ist mit, wie ist es mit, wie steht es mit, wie sieht es mit, und was ist mit, und wie ist es mit",
    questions:
      "was, wer, wen, wem, wessen, wann, wo, warum, wieso, weshalb, wie, wohin, woher, welche, welcher, welches, welchen, welchem, wie viel, wieviel, wie viele, wie lange, wie oft, womit, wofür, wozu, worauf",
    attributes:
      "preis, preise, kosten, gebühr, gebühren, adresse, anschrift, telefon, telefonnummer, nummer, e mail, e mail adresse, email, webseite, website, öffnungszeiten, ort, datum, uhrzeit, zeit, dauer, frist, grenze, standardwert, größe, gewicht, höhe, alter, name, grund, farbe",
    pronouns:
      "er, es, ihn, ihm, ihr, ihre, ihren, sein, seine, seinen, das, dies, diese, dieser, dieses, diesen, davon, dafür, dazu, damit, darin, daran, darauf, dagegen, dort, da, dann, denen, deren, dessen, sie",
    verbs:
      "ist, sind, war, waren, bin, sein, wird, werden, wurde, wurden, hat, haben, hatte, kann, können, könnte, muss, müssen, soll, sollte, darf, dürfen, gibt, gibt es, macht, brauche, will, möchte, geht, erkläre, sag",
    others:
      "nochmal, nochmals, von, zu, in, im, für, auf, mit, bei, beim, nach, aus, an, am, vom, zum, zur, ins, über, unter, ohne, gegen, seit, bis, vor, während, zwischen, um, durch, pro, per, als, der, die, den, dem, des, ein, eine, einen, einem, einer, ich, du, wir, man, mir, mich, uns, mein, meine, meinen, nicht, kein, keine, bitte, denn, noch, nur, so, wenn, ob, dass, mehr, viel, viele, sich, alle",
  },
  smallTalk: {
    greeting:
      "hallo, hi, hey, moin, servus, grüß gott, guten tag, guten morgen, guten abend, wie geht's, ist jemand da, ich habe eine frage",
    thanks:
      "danke, dankeschön, danke schön, danke sehr, vielen dank, herzlichen dank, besten dank, ich danke dir, ich danke ihnen, thx, das hat geholfen, sehr hilfreich",
    goodbye:
      "tschüss, tschau, auf wiedersehen, bis bald, bis später, bis dann, mach's gut, gute nacht, schönen tag, schönen tag noch, bye, das war's",
    about:
      "wer bist du, wer sind sie, was bist du, was sind sie, bist du ein mensch, sind sie ein mensch, bist du ein bot, sind sie ein bot, bist du ein roboter, mit wem spreche ich, wie heißt du, wie heißen sie",
    documents:
      "was kannst du, was können sie, was kannst du tun, was weißt du, was wissen sie, wie kannst du mir helfen, kannst du mir helfen, können sie mir helfen, hilfe, was kann ich dich fragen, welche dokumente hast du, welche dokumente haben sie",
    courtesy:
      "zusammen, bitte, für die hilfe, für ihre hilfe, für deine hilfe, auskunft, antwort, ok, alles klar, gut, super, perfekt",
    refusal:
      "nein, nö, nee, lieber nicht, jetzt nicht, nicht jetzt, später, möchte ich nicht, das möchte ich nicht, ich möchte nicht, will ich nicht, überspringen",
  },
  human:
    "mit einem menschen sprechen, mit einem menschen reden, mit einem menschen verbinden, mit einem mitarbeiter sprechen, mit einem mitarbeiter reden, mit einer mitarbeiterin sprechen, mit jemandem sprechen, mit jemandem reden, mit einer person sprechen, einem echten menschen, einen menschen bitte, mensch, mitarbeiter",
  asking: {
    asks: "wieviele, wie lang, wie alt, wie weit, wie hoch, wie groß, wie warm, wie schwer, wie teuer, was kostet, was kosten, anzahl, ab wann, um wie viel uhr, in welchem jahr, welches jahr, an welchem tag, welcher tag, in welchem jahrhundert, in welcher stadt, in welchem land, wie mache ich, wie melde ich, wie bekomme ich, was muss ich tun, was soll ich tun, was muss ich machen, nenne, was gehört, was gibt's, liste, weniger als, billiger als, mindestens, höchstens, am meisten, meisten, wenigsten, billigste, günstigste, günstigsten, teuerste, teuersten, höchste, niedrigste, größte, größten, kleinste, längste, kürzeste, älteste, neueste, beste, wärmsten",
    not: "nicht, kein, keine, keinen, nie, ohne, außer, geschlossen, ausgenommen, nein, nichts",
    silent:
      "der, die, das, den, dem, des, ein, eine, einen, einem, einer, eines, ich, wir, man, ihr, ihre, ihren, ihrem, ihrer, euer, eure, euren, eurer, ist, sind, bitte, denn, eigentlich, zu, was ist, was sind, wie ist, wie sind, wie lautet, wie lauten",
    how: "wie, wie kann ich, wie kann man, wie können wir, wie soll ich, wie muss ich",
  },
  claims: {
    numerals:
      "null, eins/ein/eine/einen/einem/einer/einmal, zwei/zweimal, drei/dreimal, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, dreizehn, vierzehn, fünfzehn, sechzehn, siebzehn, achtzehn, neunzehn, zwanzig, dreißig, vierzig, fünfzig, sechzig, siebzig, achtzig, neunzig, hundert, tausend",
    denials:
      "keiner, keinem, keines, weder, niemals, verboten, untersagt, unmöglich, ausgeschlossen, niemand, fehlt, fehlen",
    limits: "nur, lediglich, außer, sofern, ausnahme, ausgenommen, stattdessen, bleiben, bleibt, erst, bis, weniger",
  },
  replies: {
    hello: "Hallo!",
    ask: "Stellen Sie mir eine Frage, und ich suche die Antwort in den Dokumenten.",
    welcome: "Gern geschehen!",
    goodbye: "Auf Wiedersehen!",
    about:
      "Ich bin {}, ein Chatbot. Ich bin ein Programm, kein Mensch, und beantworte Fragen mit Sätzen aus den Dokumenten, die ich kenne.",
    documents: "Ich kenne diese Dokumente:",
    more: "… und {} weitere",
    noDocuments: "Ich habe noch keine lesbaren Dokumente und kann deshalb keine Fragen beantworten.",
    nothingFound: "Dazu habe ich in den Dokumenten nichts gefunden.",
    closest: "Diese Stellen kommen Ihrer Frage am nächsten:",
    searchFailed: "Ich konnte die Dokumente gerade nicht durchsuchen. Bitte versuchen Sie es gleich noch einmal.",
    filesUnseen: "Bilder und Dateien kann ich nicht lesen. Bitte schreiben Sie Ihre Frage.",
    didYouMean: "Meinten Sie {}?",
    human: "Jemand aus unserem Team antwortet Ihnen hier.",
  },
  emailRequest: "Wie lautet Ihre E-Mail-Adresse? Danach beantworte ich Ihre Frage.",
  noChat: "Dieser Chat ist nicht verfügbar.",
  notNow: "Diese Seite ist im Moment nicht verfügbar. Bitte versuchen Sie es später noch einmal.",
}

export const widget: WidgetTexts = {
  greeting: "Hallo! Wie kann ich Ihnen helfen?",
  placeholder: "Nachricht schreiben …",
  disclosure: "Sie sprechen mit einem automatischen Assistenten.",
  send: "Senden",
  attach: "Datei anhängen",
  fileRefused: "Möglich sind Bilder und PDFs bis 10 MB, ohne Skripte.",
  stop: "Stoppen",
  charactersOver: "{n} Zeichen zu viel",
  newConversation: "Neues Gespräch",
  conversations: "Gespräche",
  close: "Schließen",
  conversation: "Gespräch",
  you: "Sie",
  thinking: "Denkt nach …",
  stillThinking: "Es dauert noch einen Moment …",
  searchingFor: "Sucht nach „{query}“ …",
  reading: "Liest die Dokumente …",
  stopped: "Gestoppt",
  interrupted: "Die Antwort wurde unterbrochen.",
  reconnecting: "Verbindung unterbrochen. Neuer Versuch …",
  newMessages: "Neue Nachrichten",
  earlier: "Mehr anzeigen",
  loading: "Wird geladen …",
  copy: "Kopieren",
  copied: "Kopiert",
  table: "Tabelle",
  askAgain: "Erneut fragen",
  helpful: "Hilfreich",
  notHelpful: "Nicht hilfreich",
  comment: "Was können wir besser machen? (optional)",
  submit: "Absenden",
  thanks: "Danke für Ihre Rückmeldung.",
  sources: "Quellen",
  page: "Seite {n}",
  unsupported: "Nicht in den Dokumenten gefunden: {n}",
  emailQuestion: "Unter welcher E-Mail-Adresse können wir Sie erreichen?",
  email: "E-Mail-Adresse",
  emailInvalid: "Bitte geben Sie eine E-Mail-Adresse wie name@example.com ein.",
  goOn: "Weiter",
  skip: "Nein, danke",
  person: "Mit einem Menschen sprechen",
  askPerson: "Schreiben Sie, worum es geht. Ein Mensch wird antworten.",
  waiting: "Ein Mensch wird hier bald antworten.",
  joined: "{name} antwortet Ihnen jetzt.",
  writing: "{name} schreibt …",
  delivered: "Zugestellt",
  read: "Gelesen",
  returned: "Jetzt antwortet wieder der Assistent.",
  away: "Zurzeit ist niemand da. Hinterlassen Sie eine Nachricht, und wir antworten per E-Mail.",
  leftMessage: "Danke. Wir antworten per E-Mail und hier.",
  messages: "Nachrichten: {n}",
  noConversations: "Noch keine Gespräche.",
  download: "Herunterladen",
  remove: "Löschen",
  removeQuestion: "Dieses Gespräch endgültig löschen?",
  removeAll: "Alle löschen",
  removeAllQuestion: "Alle Ihre Gespräche endgültig löschen?",
  cancel: "Abbrechen",
  tryAgain: "Erneut versuchen",
  offline: "Keine Verbindung. Bitte prüfen Sie Ihre Internetverbindung.",
  busy: "Zu viele Nachrichten auf einmal. Bitte warten Sie einen Moment.",
  spent: "Der Chat ist zurzeit nicht verfügbar.",
  gone: "Der Chat ist hier nicht mehr verfügbar.",
  missing: "Das gibt es nicht mehr.",
  refused: "Die Nachricht konnte nicht gesendet werden.",
  failed: "Etwas ist schiefgelaufen.",
  call: "Anruf starten",
  voice:
    "Anruf beenden | Mikrofon aus | Hört zu … | Spricht … | Ihr Browser erkennt, was Sie sagen. | Der Hersteller des Browsers kann es erhalten. | Das Mikrofon ist nicht verfügbar. Erlauben Sie es dieser Seite im Browser, oder schreiben Sie.",
}
