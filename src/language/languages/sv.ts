import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "swedish",
  spelling: /[äö].*å|å.*[äö]|ä|(?:het|heten|ning|ningen|ande|ande|erna|arna|orna|igt|skap)$|ck|^sj/,
  functionWords: {
    joins: "och, eller, men, också, även, hur är det med, och hur är det med, vad gäller för",
    questions:
      "vad, vem, vems, när, var, varför, hur, vilken, vilket, vilka, hur mycket, hur många, hur länge, hur ofta, sedan när",
    attributes:
      "pris, priset, priser, kostnad, kostnaden, avgift, adress, adressen, telefon, telefonnummer, telefonnumret, nummer, e post, e postadress, webbplats, öppettider, öppettiderna, plats, datum, tid, tiden, längd, frist, gräns, storlek, vikt, höjd, ålder, namn, namnet, orsak, färg",
    pronouns: "han, hon, den, det, de, dem, hans, hennes, dess, deras, detta, denna, dessa, där, då, honom, henne",
    verbs:
      "är, var, vara, har, hade, kan, kunde, ska, skall, måste, får, blir, blev, finns, finns det, kostar, gör, förklara, berätta",
    others:
      "i, på, av, för, med, till, från, om, vid, under, efter, före, utan, mellan, genom, hos, per, åt, över, en, ett, jag, du, vi, ni, man, mig, min, mitt, mina, er, inte, ingen, att, som, så, mer, mycket, snälla, tack, alla, sig",
  },
  smallTalk: {
    greeting: "hej, hejsan, hallå, tjena, tja, tjenare, hej hej, god morgon, godmorgon, god dag, goddag, god kväll",
    thanks:
      "tack, tack så mycket, tackar, tusen tack, stort tack, många tack, tack tack, tack ska du ha, tackar så mycket, jättetack, det hjälpte, mycket hjälpsamt",
    goodbye:
      "hejdå, hej då, adjö, vi ses, vi hörs, ses, vi ses senare, på återseende, god natt, godnatt, ha det bra, ha en bra dag",
    about:
      "vem är du, vem är ni, vad är du, är du människa, är du en människa, är du en robot, är du robot, är du en bot, är du en riktig person, vem pratar jag med, vad heter du, vad heter ni",
    documents:
      "vad kan du, vad kan du göra, vad kan ni göra, vad vet du, vad vet ni, hjälp, hjälp mig, kan du hjälpa mig, kan ni hjälpa mig, vad kan jag fråga, vilka dokument har du, vilka dokument har ni",
    courtesy:
      "snälla, allihop, alla, så mycket, för hjälpen, för svaret, för informationen, ok, okej, bra, toppen, perfekt",
    refusal: "nej, helst inte, inte nu, senare, vill inte, jag vill inte, det vill jag inte, hoppa över, har ingen",
  },
  human:
    "prata med en människa, tala med en människa, prata med en person, tala med en person, prata med någon, tala med någon, prata med en medarbetare, prata med en handläggare, människa, medarbetare",
  asking: {
    asks: "hur gammal, hur långt, hur hög, hur stor, kostar, antal, vilken dag, hur dags, vart, varifrån, i vilken stad, vad ska jag göra, vad behöver jag, mer än, mindre än, minst, högst",
    not: "inte, ingen, inga, aldrig, utan, utom, stängt, nej",
    silent: "en, ett, jag, vi, man, er, ert, era, är, snälla, vad är",
    how: "hur, hur kan jag, hur kan man, hur ska jag",
  },
  replies: {
    hello: "Hej!",
    ask: "Ställ en fråga, så letar jag efter svaret i dokumenten.",
    welcome: "Varsågod!",
    goodbye: "Hej då!",
    about:
      "Jag är {}, en chattbot. Jag är ett program, inte en människa, och svarar på frågor med meningar ur de dokument som jag känner till.",
    documents: "Jag känner till de här dokumenten:",
    more: "… och {} till",
    noDocuments: "Jag har inga läsbara dokument än, så jag kan inte svara på frågor.",
    nothingFound: "Jag hittade inget om det i dokumenten.",
    closest: "De här avsnitten ligger närmast:",
    searchFailed: "Jag kunde inte söka i dokumenten just nu. Försök igen om en stund.",
    filesUnseen: "Jag kan inte läsa bilder eller filer. Skriv din fråga.",
    didYouMean: "Menade du {}?",
    human: "Någon i vårt team svarar dig här.",
  },
  emailRequest: "Innan jag svarar: vilken e-postadress har du?",
  noChat: "Den här chatten är inte tillgänglig.",
  notNow: "Den här sidan är inte tillgänglig just nu. Försök igen senare.",
}
