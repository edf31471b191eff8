import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "norwegian",
  spelling: /[æø]|(?:het|heten|else|elser|ene|ende|skap|lige|løs|[aeiouyæøå][kt]e[nrt]?)$|([kmnst])\1$|^hv|øy/,
  functionWords: {
    joins: "og, eller, men, også, hva med, og hva med, hvordan er det med",
    questions:
      "hva, hvem, når, hvor, hvorfor, hvordan, hvilken, hvilket, hvilke, hvor mye, hvor mange, hvor lenge, hvor lang tid, hvor ofte",
    attributes:
      "pris, prisen, priser, kostnad, gebyr, adresse, adressen, telefon, telefonnummer, telefonnummeret, nummer, e post, e postadresse, nettside, åpningstider, åpningstidene, sted, dato, tid, tidspunkt, varighet, frist, grense, størrelse, vekt, høyde, alder, navn, navnet, grunn, farge",
    pronouns: "han, hun, den, det, de, dem, hans, hennes, dens, dets, deres, dette, denne, disse, der, ham, henne, da",
    verbs: "er, var, være, har, hadde, kan, kunne, skal, skulle, må, blir, ble, finnes, koster, gjør, forklar, fortell",
    others:
      "i, på, av, for, med, til, fra, om, ved, under, etter, før, uten, mellom, gjennom, hos, per, over, en, ei, et, jeg, du, vi, dere, man, meg, min, mitt, mine, ikke, ingen, å, at, som, så, mer, mye, alle, seg",
  },
  smallTalk: {
    greeting:
      "hei, heisann, hallo, halla, hei hei, hei på deg, god morgen, godmorgen, god dag, god kveld, god ettermiddag, morn",
    thanks:
      "takk, tusen takk, mange takk, takk skal du ha, takk for det, takk for hjelpen, hjertelig takk, takker, tusen hjertelig takk, det hjalp, veldig nyttig",
    goodbye:
      "ha det, ha det bra, hadet, farvel, vi sees, sees, vi ses, vi snakkes, snakkes, på gjensyn, god natt, ha en fin dag",
    about:
      "hvem er du, hva er du, er du et menneske, er du menneske, er du en robot, er du robot, er du en bot, er du en ekte person, hvem snakker jeg med, hva heter du, hva er navnet ditt, hvem er dere",
    documents:
      "hva kan du, hva kan du gjøre, hva vet du, hva kan dere, hjelp, hjelp meg, kan du hjelpe meg, kan du hjelpe, hva kan jeg spørre om, hvilke dokumenter har du, hvilke dokumenter kjenner du, hvilke emner kjenner du",
    courtesy:
      "vennligst, alle, alle sammen, så mye, for hjelpen, for svaret, for informasjonen, ok, okei, fint, flott, perfekt",
    refusal: "nei, helst ikke, ikke nå, senere, vil ikke, jeg vil ikke, jeg vil ikke si, hopp over, har ikke",
  },
  human:
    "snakke med et menneske, prate med et menneske, snakke med en person, snakke med noen, prate med noen, snakke med en medarbeider, snakke med en kundebehandler, menneske, kundebehandler",
  asking: {
    asks: "hvor gammel, hvor langt, hvor høy, koster, antall, hvilket år, hvilken dag, hvorfra, hvorhen, hva skal jeg gjøre, mer enn, mindre enn, minst, høyst",
    not: "ikke, ingen, aldri, uten, unntatt, stengt, nei",
    silent: "en, et, ei, jeg, vi, man, deres, er, hva er",
    how: "hvordan, hvordan kan jeg, hvordan kan man, hvordan skal jeg",
  },
  replies: {
    hello: "Hei!",
    ask: "Still meg et spørsmål, så leter jeg etter svaret i dokumentene.",
    welcome: "Bare hyggelig!",
    goodbye: "Ha det bra!",
    about:
      "Jeg er {}, en chatbot. Jeg er et program, ikke et menneske, og svarer på spørsmål med setninger fra dokumentene jeg kjenner.",
    documents: "Jeg kjenner disse dokumentene:",
    more: "… og {} til",
    noDocuments: "Jeg har ingen lesbare dokumenter ennå, så jeg kan ikke svare på spørsmål.",
    nothingFound: "Jeg fant ingenting om det i dokumentene.",
    closest: "Disse avsnittene kommer nærmest:",
    searchFailed: "Jeg kunne ikke søke i dokumentene akkurat nå. Prøv igjen om et øyeblikk.",
    filesUnseen: "Jeg kan ikke lese bilder eller filer. Skriv spørsmålet ditt.",
    didYouMean: "Mente du {}?",
    human: "En fra teamet vårt svarer deg her.",
  },
  emailRequest: "Før jeg svarer: Hva er e-postadressen din?",
  noChat: "Denne chatten er ikke tilgjengelig.",
  notNow: "Denne siden er ikke tilgjengelig akkurat nå. Prøv igjen senere.",
}
