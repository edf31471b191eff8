import type { QuestionWords } from "./QuestionWords.ts"

export const germanic: Readonly<Record<string, QuestionWords>> = {
  en: {
    name: "english",
    and: "and, or, than, from, versus, vs",
    definition:
      "what is, what's, what are, what was, what were, who is, who was, what does, what do, define, definition of, meaning of, explain, describe, tell me about",
    list: "list, list all, name all, name the, enumerate, which *s, what kinds of, what types of, what sorts of, which of, what are all, what are the, what were the, what can i, what can we, what can't i, what can't we, what may i, what do i, what do we, what should i, what should we, what must i, what must we, what won't, what can be, what cannot be, what can't be, what's in, what is in, what's included, what is included, what comes with, what else",
    "how-to":
      "how do i, how do you, how do we, how does one, how can i, how can you, how can we, how can one, how should i, how should one, how would i, how to, what do i do, what do i have to do, what do i need to do, what now, what should i do, what must i do, what steps, steps to, instructions for",
    "yes-no":
      "is, are, was, were, am, does, do, did, can, could, will, would, has, have, had, may, might, must, should, shall, isn't, aren't, doesn't, don't, can't, won't, is there, are there, is it, can i, can you, may i, do i, must i, do you, does it, is it possible, is it allowed",
    number:
      "how many, how much, how long, how old, how far, how +high, how +tall, how large, how big, how +wide, how +deep, how +heavy, how often, how +fast, how +hot, how +cold, how strong, how +expensive, how few, how likely, what percentage, what percent, number of",
    date: "when, since when, until when, till when, by when, what time, at what time, which year, what year, what date, which date, which day, what day, what month, which century, what century",
    person: "who, whom, whose, by whom, to whom, with whom, which person",
    place: "where, from where, where to, in which country, in what country, in which city, in what city",
    why: "why, why not, how come, for what reason, what reason, what is the reason, what was the reason, what causes, what caused, what led to",
    comparison:
      "difference between, differences between, differ, difference of, distinguishes, distinguish between, different from, compare, compared with, compared to, versus, vs, in contrast to, or rather",
    other:
      "how, what, which, how does, how did, how is, how are, how was, how were, what happens, what happened, in what, of what, what kind of, what type of, what sort of",
    nouns: {
      number:
        "number, amount, percentage, percent, price, cost, costs, fee, population, size, height, length, width, weight, depth, distance, speed, temperature, age, area, limit, maximum, minimum, default, rate, ratio, score, salary, duration, elevation, altitude, capacity, frequency",
      date: "year, years, date, day, month, century, decade, time, era, period, deadline",
      person:
        "person, man, woman, president, king, queen, author, inventor, founder, director, actor, leader, artist, scientist",
      place:
        "place, city, country, state, town, location, continent, region, river, street, address, capital, island, county",
      list: "formats, types, kinds, steps, options, names, parts, features, languages, settings, things, ways, examples, members, reasons, components, advantages, requirements, contain, include, services, roles, courses, classes, workshops, methods, rules, tools, products, items, documents, sizes, colours, colors, activities, facilities, limitations, limits, benefits, countries, animals, dishes",
    },
    filler:
      "a, an, to, please, kindly, thanks, thank you, tell me, tell us, let me know, show me, give me, could you, can you, could you tell me, can you tell me, would you, i would like to know, i'd like to know, i want to know, i need to know, do you know, i wonder, roughly, approximately, approx, about how, around, exactly, precisely, actually, really, just, about, currently, also, there, me, us, i, you, we, my, your, our, one, so, then, hi, hello, hey, any, some, please explain, get, got",
  },
  de: {
    name: "german",
    and: "und, oder, als, von, zu, versus, vs",
    definition:
      "was ist, was sind, was war, was waren, wer ist, wer war, was bedeutet, was bedeuten, was heißt, was versteht man unter, definiere, definition von, bedeutung von, erkläre, erklär, beschreibe, was meint",
    list: "liste, nenne, nenne alle, zähle auf, welche, aufzählen, was für, auflisten, was muss ich, was muss man, was müssen wir, was soll ich, was brauche ich, was braucht man, was kann ich, was kann man, was darf ich, was darf man, was ist im, was ist in, was gehört, was gibt es",
    "how-to":
      "wie kann ich, wie kann man, wie können wir, wie mache ich, wie macht man, wie muss ich, wie soll ich, wie bekomme ich, wie erstelle ich, wie ändere ich, wie lösche ich, wie installiere ich, wie funktioniert es, was muss ich tun, was muss man tun, was soll ich tun, was kann ich tun, was muss ich machen, was soll ich machen, wie geht, anleitung, schritte",
    "yes-no":
      "ist, sind, war, waren, hat, haben, hatte, kann, können, könnte, wird, werden, wurde, wurden, darf, dürfen, muss, müssen, soll, sollte, gibt es, kann ich, kann man, darf ich, muss ich, habe ich, bin ich, wäre, hätte, brauche ich, braucht man, bekomme ich, stimmt es, habt ihr, gibt's, haben sie, dürfen wir, ist es erlaubt, ist es möglich, geht es",
    number:
      "wie viel, wie viele, wieviel, wieviele, wie lange, wie lang, wie alt, wie weit, wie +hoch, wie groß, wie +breit, wie +tief, wie +schwer, wie oft, wie +schnell, wie +teuer, wie +warm, wie stark, wie häufig, anzahl, zahl der, zu wie viel prozent",
    date: "wann, seit wann, bis wann, ab wann, um wie viel uhr, in welchem jahr, welches jahr, welches datum, an welchem tag, welcher tag, in welchem jahrhundert, in welchem monat",
    person: "wer, wen, wem, wessen, von wem, mit wem, für wen, welche person",
    place: "wo, woher, wohin, an welchem ort, in welcher stadt, in welchem land, in welchen ländern",
    why: "warum, wieso, weshalb, weswegen, aus welchem grund, was ist der grund, was verursacht, wodurch, wozu",
    comparison:
      "unterschied zwischen, unterschiede zwischen, unterscheiden sich, unterscheidet sich, unterscheidet, vergleiche, vergleich, im vergleich zu, gegenüber, versus, vs",
    other:
      "wie, was, womit, woran, worauf, worin, woraus, wofür, worüber, welcher, welches, welchem, welchen, was passiert, wie funktioniert, wie heißt, wie heißen, wie wird, wie werden",
    nouns: {
      number:
        "preis, kosten, anzahl, höhe, länge, größe, gewicht, alter, fläche, einwohnerzahl, bevölkerung, prozentsatz, temperatur, geschwindigkeit, grenze, gebühr, dauer, frist, entfernung",
      date: "jahr, datum, tag, monat, jahrhundert, jahrzehnt, zeit, termin",
      "how-to": "ich, man, wir",
      person: "person, mann, frau, präsident, könig, königin, autor, gründer, erfinder",
      place: "ort, stadt, land, staat, region, fluss, straße, adresse, hauptstadt, insel",
    },
    filler:
      "bitte, danke, vielen dank, sag mir, sagen sie mir, zeig mir, gib mir, kannst du, können sie, könnten sie, kannst du mir sagen, können sie mir sagen, könnten sie mir sagen, ich möchte wissen, ich würde gern wissen, ich wüsste gern, weißt du, wissen sie, ungefähr, etwa, circa, ca, rund, genau, eigentlich, denn, mal, wohl, mir, uns, ich, du, sie, wir, man, es, mein, meine, meinen, meiner, dein, deine, hallo, gibt, auch",
  },
  nl: {
    name: "dutch",
    and: "en, of, dan, van, versus, vs",
    definition:
      "wat is, wat zijn, wat was, wat waren, wie is, wie was, wat betekent, wat houdt in, definieer, definitie van, leg uit, betekenis van",
    list: "welke, noem, noem alle, lijst, som op, wat voor, wat zijn de, wat moet ik, wat heb ik, wat kan ik, wat mag ik, wat zit er",
    "how-to":
      "hoe kan ik, hoe kan je, hoe kunnen we, hoe moet ik, hoe maak ik, hoe doe ik, wat moet ik doen, stappen om",
    "yes-no":
      "is, zijn, was, waren, heeft, hebben, kan, kunnen, mag, mogen, moet, moeten, zal, zou, wordt, worden, werd, is er, zijn er, kan ik, mag ik, moet ik, bestaat er",
    number:
      "hoeveel, hoe lang, hoe oud, hoe ver, hoe hoog, hoe groot, hoe breed, hoe diep, hoe zwaar, hoe vaak, hoe snel, hoe duur, welk percentage, aantal",
    date: "wanneer, sinds wanneer, tot wanneer, hoe laat, in welk jaar, welk jaar, welke datum, op welke dag, in welke eeuw",
    person: "wie, wiens, door wie, van wie, met wie, voor wie",
    place: "waar, waarvandaan, waarheen, in welke stad, in welk land, waar vandaan",
    why: "waarom, om welke reden, waardoor, waarvoor",
    comparison: "verschil tussen, verschillen tussen, vergelijk, vergeleken met, versus, vs",
    other: "hoe, wat, welk, waarmee, waarop, waarin, hoe heet, hoe werkt",
    nouns: {
      number:
        "prijs, kosten, aantal, hoogte, lengte, grootte, gewicht, leeftijd, oppervlakte, bevolking, percentage, temperatuur, snelheid, limiet, duur, afstand",
      date: "jaar, datum, dag, maand, eeuw, decennium, tijd",
      place: "plaats, stad, land, staat, regio, adres, hoofdstad",
    },
    filler:
      "alstublieft, alsjeblieft, graag, bedankt, dank je, vertel me, zeg me, kunt u mij vertellen, kun je me vertellen, ik wil graag weten, ik zou graag willen weten, ongeveer, circa, precies, eigenlijk, ik, jij, je, u, wij, we, mij, mijn, uw, hallo, er",
  },
  sv: {
    name: "swedish",
    and: "och, eller, än, från, mot, vs",
    definition: "vad är, vad var, vem är, vem var, vad betyder, vad innebär, definiera, definition av, förklara",
    list: "vilka, vilka är, lista, räkna upp, nämn",
    "how-to":
      "hur kan jag, hur kan man, hur gör jag, hur gör man, hur ska jag, vad ska jag göra, vad måste jag göra, steg för",
    "yes-no": "är, var, kan, har, får, måste, ska, skulle, finns, finns det, kan jag, får jag, kan man, blir, behöver",
    number:
      "hur många, hur mycket, hur länge, hur gammal, hur långt, hur lång, hur hög, hur högt, hur stor, hur stort, hur ofta, hur snabbt, hur dyr, vilken procent, hur stor andel, antal",
    date: "när, sedan när, vilket år, vilket datum, vilken dag, hur dags, vilket århundrade",
    person: "vem, vems, av vem, med vem",
    place: "var ligger, vart, varifrån, i vilken stad, i vilket land, var finns",
    why: "varför, av vilken anledning",
    comparison: "skillnaden mellan, skillnad mellan, skillnader mellan, jämför, jämfört med, versus, vs",
    other: "hur, vad, vilken, vilket, vad händer",
    nouns: {
      number: "pris, kostnad, antal, höjd, längd, storlek, vikt, ålder, befolkning, gräns",
      date: "år, datum, dag, månad, sekel",
      place: "stad, land, plats, region, adress, huvudstad",
    },
    filler:
      "i, å, snälla, tack, säg mig, berätta, kan du berätta, jag undrar, jag skulle vilja veta, ungefär, cirka, exakt, jag, du, vi, ni, mig, min, mitt, hej, det, man",
  },
  da: {
    name: "danish",
    and: "og, eller, end, fra, mod, vs",
    definition: "hvad er, hvad var, hvem er, hvem var, hvad betyder, definer, definition af, forklar",
    list: "hvilke, list, nævn, hvilke er",
    "how-to":
      "hvordan kan jeg, hvordan kan man, hvordan gør jeg, hvordan gør man, hvordan skal jeg, hvad skal jeg gøre, trin",
    "yes-no": "er, var, kan, har, må, skal, ville, findes, er der, kan jeg, må jeg, kan man, bliver",
    number:
      "hvor mange, hvor meget, hvor længe, hvor gammel, hvor langt, hvor lang, hvor høj, hvor stor, hvor ofte, hvor hurtigt, hvor dyr, antal",
    date: "hvornår, siden hvornår, hvilket år, hvilken dato, hvilken dag, hvilket århundrede",
    person: "hvem, hvis, af hvem, med hvem",
    place: "hvor, hvorfra, hvorhen, i hvilken by, i hvilket land",
    why: "hvorfor, af hvilken grund",
    comparison: "forskellen mellem, forskellen på, forskel mellem, sammenlign, sammenlignet med, versus, vs",
    other: "hvordan, hvad, hvilken, hvilket, hvad sker",
    filler:
      "i, venligst, tak, sig mig, fortæl mig, kan du fortælle mig, jeg vil gerne vide, cirka, omkring, præcis, jeg, du, vi, mig, min, mit, hej, det, man",
  },
  no: {
    name: "norwegian",
    and: "og, eller, enn, fra, mot, vs",
    definition: "hva er, hva var, hvem er, hvem var, hva betyr, definer, definisjon av, forklar",
    list: "hvilke, list opp, nevn, hvilke er",
    "how-to":
      "hvordan kan jeg, hvordan kan man, hvordan gjør jeg, hvordan gjør man, hvordan skal jeg, hva skal jeg gjøre, trinn",
    "yes-no": "er, var, kan, har, må, skal, ville, finnes, er det, kan jeg, må jeg, kan man, blir",
    number:
      "hvor mange, hvor mye, hvor lenge, hvor gammel, hvor langt, hvor lang, hvor høy, hvor stor, hvor ofte, hvor raskt, hvor dyr, antall",
    date: "når, siden når, hvilket år, hvilken dato, hvilken dag, hvilket århundre",
    person: "hvem, hvis, av hvem, med hvem",
    place: "hvor, hvorfra, hvorhen, i hvilken by, i hvilket land",
    why: "hvorfor, av hvilken grunn",
    comparison: "forskjellen mellom, forskjellen på, forskjell mellom, sammenlign, sammenlignet med, versus, vs",
    other: "hvordan, hva, hvilken, hvilket, hva skjer",
    filler:
      "i, vennligst, takk, si meg, fortell meg, kan du fortelle meg, jeg vil gjerne vite, cirka, omtrent, nøyaktig, jeg, du, vi, meg, min, mitt, hei, det, man",
  },
}
