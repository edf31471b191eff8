import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "danish",
  spelling: /[æø]|(?:hed|heden|else|elser|erne|ende|ede|skab|lige)$|[aeiouyæøå][dg]e$|^hv/,
  functionWords: {
    joins: "og, eller, men, også, hvad med, og hvad med, hvordan med",
    questions:
      "hvad, hvem, hvis, hvornår, hvor, hvorfor, hvordan, hvilken, hvilket, hvilke, hvor meget, hvor mange, hvor længe, hvor lang tid, hvor ofte",
    attributes:
      "pris, prisen, priser, omkostninger, gebyr, adresse, adressen, telefon, telefonnummer, telefonnummeret, nummer, e mail, mailadresse, hjemmeside, åbningstider, åbningstiderne, sted, dato, tid, tidspunkt, varighed, frist, grænse, størrelse, vægt, højde, alder, navn, navnet, grund, farve",
    pronouns: "han, hun, den, det, de, dem, hans, hendes, dens, dets, deres, dette, denne, disse, der, ham, hende",
    verbs:
      "er, var, være, har, havde, kan, kunne, skal, skulle, må, bliver, blev, findes, koster, gør, forklar, fortæl",
    others:
      "i, på, af, for, med, til, fra, om, ved, under, efter, før, uden, mellem, gennem, hos, per, ad, over, en, et, jeg, du, vi, man, mig, min, mit, mine, jer, ikke, ingen, at, som, så, mere, meget, venligst, alle, sig",
  },
  smallTalk: {
    greeting: "hej, hejsa, hej med dig, hallo, halløj, dav, davs, goddag, god dag, godmorgen, god morgen, godaften",
    thanks:
      "tak, mange tak, tusind tak, tak skal du have, tak for det, tak for hjælpen, mange gange tak, takker, det hjalp, meget nyttigt",
    goodbye:
      "farvel, hej hej, vi ses, ses, på gensyn, vi snakkes, snakkes ved, godnat, god nat, hav en god dag, god dag videre, ha det godt",
    about:
      "hvem er du, hvem er I, hvad er du, er du et menneske, er du menneske, er du en robot, er du robot, er du en bot, er du en rigtig person, hvem taler jeg med, hvad hedder du, hvad er dit navn",
    documents:
      "hvad kan du, hvad kan du gøre, hvad ved du, hvad kan I, hjælp, hjælp mig, kan du hjælpe mig, kan du hjælpe, hvad kan jeg spørge om, hvilke dokumenter har du, hvilke dokumenter kender du, hvilke emner kender du",
    courtesy:
      "venligst, alle, allesammen, mange, meget, for hjælpen, for svaret, for informationen, ok, okay, fint, perfekt",
    refusal: "nej, helst ikke, ikke nu, senere, vil ikke, jeg vil ikke, det vil jeg ikke, spring over, har ikke nogen",
  },
  human:
    "tale med et menneske, snakke med et menneske, tale med en person, snakke med en person, tale med nogen, snakke med nogen, tale med en medarbejder, snakke med en medarbejder, menneske, medarbejder",
  asking: {
    asks: "hvor gammel, hvor langt, hvor høj, koster, antal, hvilket år, hvilken dag, hvorfra, hvorhen, hvad skal jeg gøre, mere end, mindre end, mindst, højst",
    not: "ikke, ingen, aldrig, uden, undtagen, lukket, nej",
    silent: "en, et, jeg, vi, man, jeres, er, hvad er",
    how: "hvordan, hvordan kan jeg, hvordan kan man, hvordan skal jeg",
  },
  replies: {
    hello: "Hej!",
    ask: "Stil mig et spørgsmål, så leder jeg efter svaret i dokumenterne.",
    welcome: "Selv tak!",
    goodbye: "Farvel!",
    about:
      "Jeg er {}, en chatbot. Jeg er et program, ikke et menneske, og svarer på spørgsmål med sætninger fra de dokumenter, jeg kender.",
    documents: "Jeg kender disse dokumenter:",
    more: "… og {} mere",
    noDocuments: "Jeg har ingen læsbare dokumenter endnu, så jeg kan ikke svare på spørgsmål.",
    nothingFound: "Jeg fandt ikke noget om det i dokumenterne.",
    closest: "Disse afsnit kommer nærmest:",
    searchFailed: "Jeg kunne ikke søge i dokumenterne lige nu. Prøv igen om et øjeblik.",
    filesUnseen: "Jeg kan ikke læse billeder eller filer. Skriv venligst dit spørgsmål.",
    didYouMean: "Mente du {}?",
    human: "En fra vores team svarer dig her.",
  },
  emailRequest: "Inden jeg svarer: Hvad er din e-mailadresse?",
  noChat: "Denne chat er ikke tilgængelig.",
  notNow: "Denne side er ikke tilgængelig lige nu. Prøv igen senere.",
}
