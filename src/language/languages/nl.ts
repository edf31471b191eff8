import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "dutch",
  spelling:
    /ij|(?:heid|lijk|lijke|ingen|tie|sch|ooi)$|(?:aa|ee|oo|uu|oe|ie|eu|ui)[rntlk](?:en|t)?$|aa|uu|oe[krnt]|ui[tsdn]|vr|^(?:ge).+d$/,
  functionWords: {
    joins: "en, of, maar, ook, hoe zit het met, en hoe zit het met, wat met, en wat met",
    questions:
      "wat, wie, wanneer, waar, waarom, hoe, welke, welk, hoeveel, hoe lang, hoelang, hoe vaak, waarvoor, waarmee, sinds wanneer",
    attributes:
      "prijs, prijzen, kosten, tarief, tarieven, adres, telefoon, telefoonnummer, nummer, e mail, e mailadres, email, website, openingstijden, openingsuren, plaats, locatie, datum, tijd, duur, termijn, limiet, grootte, gewicht, hoogte, leeftijd, naam, reden, kleur",
    pronouns:
      "hij, zij, ze, hem, haar, hun, hen, het, zijn, dat, dit, deze, die, daar, ervan, ervoor, ermee, daarvan, daarvoor, daarmee, er, dan",
    verbs:
      "is, was, waren, ben, wordt, worden, werd, heeft, hebben, had, kan, kunnen, kun, moet, moeten, mag, mogen, zal, doet, doen, kost, gaat, leg uit, vertel",
    others:
      "van, in, op, met, voor, aan, om, bij, door, naar, uit, over, tot, te, zonder, tegen, sinds, tijdens, na, tussen, per, onder, als, de, een, ik, je, jij, u, we, wij, me, mij, mijn, uw, niet, geen, nog, maar, zich, veel, meer, alsjeblieft, alstublieft, alle, ook",
  },
  smallTalk: {
    greeting:
      "hallo, hoi, hoihoi, hey, hé, hi, goedemorgen, goede morgen, goedemiddag, goede middag, goedenavond, goede avond",
    thanks:
      "bedankt, dank je, dank u, dank je wel, dank u wel, dankjewel, dankuwel, dank, hartelijk dank, hartelijk bedankt, heel erg bedankt, heel hartelijk dank",
    goodbye:
      "tot ziens, doei, doeg, dag dag, tot later, tot morgen, tot snel, tot straks, tot gauw, tot de volgende keer, welterusten, goedenacht",
    about:
      "wie ben je, wie ben jij, wie bent u, wat ben je, ben je een mens, ben jij een mens, bent u een mens, ben je een robot, ben jij een robot, bent u een robot, met wie praat ik, hoe heet je",
    documents:
      "wat kan je, wat kun je, wat kunt u, wat kun je doen, wat weet je, wat weet u, help, help me, kun je me helpen, kunt u mij helpen, wat kan ik vragen, welke documenten heb je",
    courtesy:
      "alsjeblieft, alstublieft, allemaal, iedereen, meneer, mevrouw, voor je hulp, voor uw hulp, voor de hulp, oké, prima, perfect",
    refusal:
      "nee, neen, liever niet, nu niet, niet nu, later, dat wil ik niet, wil ik niet, ik wil niet, overslaan, sla over",
  },
  human:
    "met een mens praten, met een mens spreken, met iemand praten, met iemand spreken, met een medewerker praten, met een medewerker spreken, een mens spreken, een medewerker spreken, een mens alstublieft, mens, medewerker",
  asking: {
    asks: "hoe oud, hoe ver, hoe hoog, hoe groot, kost, aantal, hoe laat, in welk jaar, welk jaar, op welke dag, waarheen, in welke stad, in welk land, hoe maak ik, hoe doe ik, minder dan, minstens, hoogstens, meeste, minste, goedkoopste, duurste, grootste, kleinste, hoogste, langste, oudste, beste",
    not: "niet, geen, nooit, zonder, behalve, gesloten, nee, niets",
    silent: "de, het, een, ik, wij, we, men, uw, jullie, is, zijn, alstublieft, alsjeblieft, wat is, wat zijn",
    how: "hoe, hoe kan ik, hoe kunnen we, hoe kun je, hoe kan je, hoe moet ik",
  },
  replies: {
    hello: "Hallo!",
    ask: "Stel me een vraag, dan zoek ik het antwoord in de documenten.",
    welcome: "Graag gedaan!",
    goodbye: "Tot ziens!",
    about:
      "Ik ben {}, een chatbot. Ik ben een programma, geen mens, en ik beantwoord vragen met zinnen uit de documenten die ik ken.",
    documents: "Ik ken deze documenten:",
    more: "… en nog {}",
    noDocuments: "Ik heb nog geen leesbare documenten en kan daarom geen vragen beantwoorden.",
    nothingFound: "Daarover heb ik niets gevonden in de documenten.",
    closest: "Deze passages komen het dichtst in de buurt:",
    searchFailed: "Ik kon de documenten zojuist niet doorzoeken. Probeer het zo meteen opnieuw.",
    filesUnseen: "Ik kan geen afbeeldingen of bestanden lezen. Schrijf alstublieft uw vraag.",
    didYouMean: "Bedoelde je {}?",
    human: "Iemand van ons team antwoordt u hier.",
  },
  emailRequest: "Wat is je e-mailadres? Daarna beantwoord ik je vraag.",
  noChat: "Deze chat is niet beschikbaar.",
  notNow: "Deze pagina is op dit moment niet beschikbaar. Probeer het later opnieuw.",
}

export const widget: WidgetTexts = {
  greeting: "Hallo! Waarmee kan ik je helpen?",
  placeholder: "Schrijf een bericht …",
  disclosure: "U praat met een geautomatiseerde assistent.",
  send: "Versturen",
  attach: "Bestand toevoegen",
  fileRefused: "Afbeeldingen en pdf's tot 10 MB, zonder scripts, kunnen worden verzonden.",
  stop: "Stoppen",
  charactersOver: "Tekens te veel: {n}",
  newConversation: "Nieuw gesprek",
  conversations: "Gesprekken",
  close: "Sluiten",
  conversation: "Gesprek",
  you: "Jij",
  thinking: "Denkt na …",
  stillThinking: "Dit duurt nog even …",
  searchingFor: "Zoekt naar ‘{query}’ …",
  reading: "Leest de documenten …",
  stopped: "Gestopt",
  interrupted: "Het antwoord is onderbroken.",
  reconnecting: "Verbinding verbroken. Nieuwe poging …",
  newMessages: "Nieuwe berichten",
  earlier: "Meer tonen",
  loading: "Laden …",
  copy: "Kopiëren",
  copied: "Gekopieerd",
  table: "Tabel",
  askAgain: "Opnieuw vragen",
  helpful: "Nuttig",
  notHelpful: "Niet nuttig",
  comment: "Wat kan er beter? (optioneel)",
  submit: "Versturen",
  thanks: "Bedankt voor je feedback.",
  sources: "Bronnen",
  page: "Pagina {n}",
  unsupported: "Niet gevonden in de documenten: {n}",
  emailQuestion: "Op welk e-mailadres kunnen we je bereiken?",
  email: "E-mailadres",
  emailInvalid: "Vul een e-mailadres in, zoals naam@example.com.",
  goOn: "Doorgaan",
  skip: "Nee, bedankt",
  person: "Met een mens praten",
  askPerson: "Schrijf waar het over gaat, dan antwoordt een mens.",
  waiting: "Een mens antwoordt hier binnenkort.",
  joined: "{name} beantwoordt uw vragen nu.",
  writing: "{name} is aan het typen …",
  delivered: "Bezorgd",
  read: "Gelezen",
  returned: "De assistent antwoordt weer.",
  away: "Er is nu niemand. Laat een bericht achter, dan antwoorden we per e-mail.",
  leftMessage: "Bedankt. We antwoorden per e-mail en hier.",
  messages: "Berichten: {n}",
  noConversations: "Nog geen gesprekken.",
  download: "Downloaden",
  remove: "Verwijderen",
  removeQuestion: "Dit gesprek definitief verwijderen?",
  removeAll: "Alles verwijderen",
  removeAllQuestion: "Al je gesprekken definitief verwijderen?",
  cancel: "Annuleren",
  tryAgain: "Opnieuw proberen",
  offline: "Geen verbinding. Controleer je internetverbinding.",
  busy: "Te veel berichten tegelijk. Wacht even.",
  spent: "De chat is op dit moment niet beschikbaar.",
  gone: "De chat is hier niet meer beschikbaar.",
  missing: "Dit bestaat niet meer.",
  refused: "Het bericht kon niet worden verstuurd.",
  failed: "Er is iets misgegaan.",
  call: "Gesprek starten",
  voice:
    "Ophangen | Microfoon uit | Luistert… | Spreekt… | Uw browser herkent wat u zegt. | De maker van de browser kan het ontvangen. | De microfoon is niet beschikbaar. Sta hem voor deze pagina toe in uw browser, of schrijf.",
}
