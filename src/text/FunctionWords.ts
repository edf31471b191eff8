/**
 * The function words of a language, by what they do in a short message: words and phrases that are separated by commas.
 */
export interface FunctionWords {
  /** What continues a conversation when a message begins with it, such as `and` and `what about`. */
  readonly joins: string
  readonly questions: string
  /** Nouns that ask for a property of what was said before, as in `and the price?`. */
  readonly attributes: string
  /** What stands for something that was said before. */
  readonly pronouns: string
  /** Auxiliary verbs and other verbs that say little. */
  readonly verbs: string
  readonly prepositions: string
  /** Articles, conjunctions, adverbs and forms of address. */
  readonly others: string
}

/** The languages that chatbots speak by themselves, as codes of ISO 639-1. */
export type SpokenLanguage = keyof typeof functionWords

/** The function words of the languages that chatbots speak by themselves. */
export const functionWords = {
  en: {
    joins: "and, or, but, also, what about, how about, and what about, and how about, and also",
    questions: "what, who, whom, whose, when, where, why, how, which, how much, how many, how long, how often, how far",
    attributes:
      "price, prices, cost, costs, fee, fees, address, phone, phone number, telephone number, number, e mail, e mail address, email, email address, website, opening hours, hours, opening times, location, date, time, duration, deadline, limit, default, size, weight, height, age, name, reason, color, colour",
    pronouns:
      "it, its, they, them, their, theirs, he, him, his, she, her, hers, that, this, these, those, there, one, ones, then",
    verbs:
      "is, are, was, were, am, be, been, do, does, did, can, could, will, would, shall, should, may, might, must, has, have, had, get, need, want, tell, explain, possible, done, happen, happens, happened, mean, means",
    prepositions:
      "of, to, in, for, on, with, by, from, at, as, into, without, during, after, before, until, since, about, over, under, between, per, via",
    others:
      "the, a, an, i, you, we, me, my, your, our, us, not, no, if, so, than, too, more, much, many, please, just, only, there is, there are, any, some, all, s, t, re, ll, ve, d, m, don, doesn, didn, isn",
  },
  de: {
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
    prepositions:
      "von, zu, in, im, für, auf, mit, bei, beim, nach, aus, an, am, vom, zum, zur, ins, über, unter, ohne, gegen, seit, bis, vor, während, zwischen, um, durch, pro, per, als",
    others:
      "der, die, den, dem, des, ein, eine, einen, einem, einer, ich, du, wir, man, mir, mich, uns, mein, meine, meinen, nicht, kein, keine, bitte, denn, noch, nur, so, wenn, ob, dass, mehr, viel, viele, sich, alle, man",
  },
  fr: {
    joins: "et, ou, mais, aussi, qu en est il de, qu en est il des, qu en est il du, et si, et concernant",
    questions:
      "que, quoi, qui, quand, où, pourquoi, comment, quel, quelle, quels, quelles, combien, combien de temps, lequel, laquelle, est ce que, qu est ce que, qu est ce qui, c est quoi, depuis quand",
    attributes:
      "prix, coût, coûts, tarif, tarifs, frais, adresse, téléphone, numéro, numéro de téléphone, e mail, email, courriel, site web, horaires, heures d ouverture, lieu, date, heure, durée, délai, limite, taille, poids, hauteur, âge, nom, raison, couleur",
    pronouns:
      "il, elle, ils, elles, lui, leur, leurs, son, sa, ses, ça, cela, ceci, ce, cet, cette, ces, celui, celle, ceux, celles, y, en, là, alors",
    verbs:
      "est, sont, était, étaient, a, ont, avait, suis, être, avoir, peut, peuvent, puis, peux, pouvez, doit, doivent, faut, fait, faire, il y a, y a t il, t il, t elle, expliquez, explique, dites",
    prepositions:
      "de, du, des, à, au, aux, dans, en, pour, sur, avec, par, sans, chez, entre, depuis, pendant, après, avant, vers, sous, jusqu",
    others:
      "le, la, les, l, un, une, d, c, j, n, s, t, m, qu, je, tu, vous, nous, on, moi, me, mon, ma, mes, votre, vos, notre, nos, ne, pas, plus, si, se, s il vous plaît, très, tout, tous, toute",
  },
  es: {
    joins: "y, e, o, pero, también, qué tal, y qué tal, qué pasa con, y qué pasa con, y si",
    questions:
      "qué, quién, quiénes, cuándo, dónde, adónde, por qué, cómo, cuál, cuáles, cuánto, cuánta, cuántos, cuántas, cuánto tiempo, desde cuándo",
    attributes:
      "precio, precios, coste, costo, tarifa, tarifas, dirección, teléfono, número, número de teléfono, correo, correo electrónico, email, página web, horario, horarios, lugar, fecha, hora, duración, plazo, límite, tamaño, peso, altura, edad, nombre, razón, motivo, color",
    pronouns:
      "él, ella, ellos, ellas, lo, le, les, su, sus, eso, esto, este, esta, estos, estas, ese, esa, esos, esas, aquel, allí, ahí, entonces, ello",
    verbs:
      "es, son, era, fue, está, están, hay, ha, han, tiene, tienen, puede, pueden, puedo, se puede, debe, hace, hacer, ser, estar, tengo, explica, dime",
    prepositions:
      "de, del, a, al, en, para, por, con, sin, sobre, desde, hasta, entre, durante, según, tras, antes de, después de",
    others:
      "el, la, los, las, un, una, unos, unas, yo, tú, usted, nosotros, me, mi, mis, se, que, no, más, muy, si, como, por favor, todo, todos, toda, todas",
  },
  pt: {
    joins: "e, ou, mas, também, e quanto a, e quanto ao, e quanto à, e quanto aos, e se",
    questions:
      "o que, que, quem, quando, onde, por que, por quê, porquê, como, qual, quais, quanto, quanta, quantos, quantas, quanto tempo, desde quando",
    attributes:
      "preço, preços, custo, custos, tarifa, taxa, endereço, morada, telefone, número, número de telefone, e mail, email, site, horário, horários, lugar, local, data, hora, duração, prazo, limite, tamanho, peso, altura, idade, nome, razão, motivo, cor",
    pronouns:
      "ele, ela, eles, elas, lhe, lhes, seu, sua, seus, suas, isso, isto, este, esta, estes, estas, esse, essa, esses, essas, aquele, aquilo, dele, dela, deles, delas, lá, ali, aí, então, nele, nela",
    verbs:
      "é, são, era, foi, está, estão, há, tem, têm, pode, podem, posso, deve, faz, fazer, ser, estar, existe, existem, tenho, explique, diga",
    prepositions:
      "de, do, da, dos, das, em, no, na, nos, nas, ao, à, aos, às, para, por, pelo, pela, com, sem, sobre, desde, até, entre, durante, num, numa",
    others:
      "os, as, um, uma, uns, umas, eu, tu, você, vocês, nós, me, meu, minha, se, não, mais, muito, por favor, todo, todos, toda, todas",
  },
  it: {
    joins: "e, ed, o, ma, anche, che ne è di, che mi dici di, e se, e invece",
    questions:
      "che, che cosa, cosa, chi, quando, dove, perché, come, quale, quali, quanto, quanta, quanti, quante, quanto tempo, da quando, com, dov",
    attributes:
      "prezzo, prezzi, costo, costi, tariffa, tariffe, indirizzo, telefono, numero, numero di telefono, e mail, email, sito, sito web, orari, orario, orari di apertura, luogo, data, ora, durata, scadenza, limite, dimensione, peso, altezza, età, nome, motivo, colore",
    pronouns:
      "lui, lei, loro, esso, essa, essi, esse, suo, sua, suoi, sue, ciò, questo, questa, questi, queste, quello, quella, quelli, quelle, lì, là, ne, ci, allora",
    verbs:
      "è, sono, era, erano, fu, ha, hanno, c è, ci sono, può, possono, posso, deve, devono, fa, fare, essere, avere, si può, stato, spiega, dimmi",
    prepositions:
      "di, del, della, dei, delle, dello, degli, dell, a, al, alla, ai, alle, agli, all, da, dal, dalla, in, nel, nella, nei, con, su, sul, sulla, per, tra, fra, senza, durante, dopo, prima di, fino a",
    others:
      "il, lo, la, i, gli, le, l, un, uno, una, io, tu, noi, voi, mi, mio, mia, si, non, più, molto, se, per favore, tutto, tutti, tutte, d",
  },
  nl: {
    joins: "en, of, maar, ook, hoe zit het met, en hoe zit het met, wat met, en wat met",
    questions:
      "wat, wie, wanneer, waar, waarom, hoe, welke, welk, hoeveel, hoe lang, hoelang, hoe vaak, waarvoor, waarmee, sinds wanneer",
    attributes:
      "prijs, prijzen, kosten, tarief, tarieven, adres, telefoon, telefoonnummer, nummer, e mail, e mailadres, email, website, openingstijden, openingsuren, plaats, locatie, datum, tijd, duur, termijn, limiet, grootte, gewicht, hoogte, leeftijd, naam, reden, kleur",
    pronouns:
      "hij, zij, ze, hem, haar, hun, hen, het, zijn, dat, dit, deze, die, daar, ervan, ervoor, ermee, daarvan, daarvoor, daarmee, er, dan",
    verbs:
      "is, was, waren, ben, wordt, worden, werd, heeft, hebben, had, kan, kunnen, kun, moet, moeten, mag, mogen, zal, doet, doen, kost, gaat, leg uit, vertel",
    prepositions:
      "van, in, op, met, voor, aan, om, bij, door, naar, uit, over, tot, te, zonder, tegen, sinds, tijdens, na, tussen, per, onder, als",
    others:
      "de, een, ik, je, jij, u, we, wij, me, mij, mijn, uw, niet, geen, nog, maar, zich, veel, meer, alsjeblieft, alstublieft, alle, ook",
  },
  ru: {
    joins: "и, а, или, но, также, что насчёт, что насчет, а что насчёт, а как насчёт, как насчёт, а если",
    questions:
      "что, кто, кого, кому, чем, чего, когда, где, куда, откуда, почему, зачем, как, какой, какая, какое, какие, каких, сколько, чей, как долго, как часто, с каких пор",
    attributes:
      "цена, цены, стоимость, плата, тариф, адрес, телефон, номер, номер телефона, почта, электронная почта, сайт, часы работы, время работы, место, дата, время, срок, длительность, предел, лимит, размер, вес, высота, возраст, имя, название, причина, цвет",
    pronouns:
      "он, она, оно, они, его, её, их, ему, ей, им, ним, ней, них, него, неё, это, этот, эта, эти, этого, этом, этих, тот, та, те, того, там, тогда",
    verbs:
      "есть, был, была, было, были, быть, является, может, могут, могу, можно, нужно, надо, должен, стоит, имеет, объясни, расскажи",
    prepositions:
      "в, во, на, с, со, к, по, из, у, от, для, за, о, об, до, при, без, через, после, перед, между, под, над, про",
    others:
      "не, ли, я, ты, вы, мы, мне, меня, мой, моя, ваш, у вас, у меня, же, бы, уже, ещё, только, очень, пожалуйста, все, если, то",
  },
  uk: {
    joins: "і, й, та, а, або, але, також, що щодо, а що щодо, а як щодо, як щодо, а якщо",
    questions:
      "що, хто, кого, кому, чим, коли, де, куди, звідки, чому, навіщо, як, який, яка, яке, які, яких, скільки, чий, чи, як довго, як часто",
    attributes:
      "ціна, ціни, вартість, плата, тариф, адреса, телефон, номер, номер телефону, пошта, електронна пошта, сайт, години роботи, час роботи, місце, дата, час, термін, тривалість, межа, ліміт, розмір, вага, висота, вік, ім'я, назва, причина, колір",
    pronouns:
      "він, вона, воно, вони, його, її, їх, їхній, йому, їй, їм, ним, нею, них, це, цей, ця, ці, цього, цьому, цих, той, те, ті, того, там, тоді",
    verbs:
      "є, був, була, було, були, бути, може, можуть, можу, можна, потрібно, треба, повинен, коштує, має, поясни, розкажи",
    prepositions: "в, у, на, з, із, зі, до, від, для, за, про, по, при, без, через, після, перед, між, під, над",
    others:
      "не, я, ти, ви, ми, мені, мене, мій, моя, ваш, у вас, ж, би, вже, ще, тільки, дуже, будь ласка, всі, якщо, то",
  },
  cs: {
    joins: "a, i, nebo, ale, také, a co, co třeba, a jak je to s, a když",
    questions:
      "co, kdo, koho, komu, kdy, kde, kam, odkud, proč, jak, jaký, jaká, jaké, který, která, které, kolik, jak dlouho, jak často, zda, odkdy",
    attributes:
      "cena, ceny, náklady, poplatek, poplatky, adresa, telefon, číslo, telefonní číslo, e mail, email, web, otevírací doba, místo, datum, čas, doba trvání, lhůta, termín, limit, velikost, hmotnost, váha, výška, věk, jméno, název, důvod, barva",
    pronouns:
      "on, ona, ono, oni, ony, jeho, její, jejich, jemu, jim, ho, ji, to, ten, ta, ty, toho, tomu, tím, těch, tento, tato, toto, tyto, tam, pak",
    verbs: "je, jsou, byl, byla, bylo, byly, být, má, mají, může, mohou, mohu, můžu, lze, musí, stojí, vysvětli, řekni",
    prepositions:
      "v, ve, na, z, ze, do, od, pro, při, po, za, o, u, bez, pod, nad, před, mezi, během, podle, k, ke, s, se",
    others: "že, ne, já, ty, vy, my, mně, mi, můj, moje, váš, už, jen, velmi, prosím, více, všechny, pokud, by, si",
  },
  ro: {
    joins: "și, şi, sau, dar, de asemenea, ce zici de, dar despre, iar, dar",
    questions: "ce, cine, cui, când, unde, de ce, cum, care, cât, câtă, câți, câte, cât timp, cât de, de când",
    attributes:
      "preț, prețul, prețuri, cost, costul, taxa, taxă, tarif, tariful, adresa, adresă, telefon, telefonul, număr, numărul, e mail, email, site, program, programul, loc, locul, dată, data, ora, oră, durata, durată, termen, termenul, limita, mărime, greutate, înălțime, vârstă, nume, numele, motiv, motivul, culoare",
    pronouns:
      "el, ea, ei, ele, lui, lor, său, sa, săi, sale, acesta, aceasta, aceștia, acestea, acela, aceea, asta, ăsta, acolo, atunci, îl, îi, le",
    verbs: "este, e, sunt, era, erau, fost, fi, are, au, poate, pot, trebuie, există, costă, face, explică, spune",
    prepositions:
      "în, la, de, din, pe, cu, pentru, prin, fără, despre, între, după, înainte de, până la, până, sub, peste, către",
    others:
      "un, o, al, ai, ale, a, eu, tu, noi, voi, mă, îmi, meu, mea, nu, mai, că, să, se, dacă, foarte, vă rog, te rog, toate, toți",
  },
  sv: {
    joins: "och, eller, men, också, även, hur är det med, och hur är det med, vad gäller för",
    questions:
      "vad, vem, vems, när, var, varför, hur, vilken, vilket, vilka, hur mycket, hur många, hur länge, hur ofta, sedan när",
    attributes:
      "pris, priset, priser, kostnad, kostnaden, avgift, adress, adressen, telefon, telefonnummer, telefonnumret, nummer, e post, e postadress, webbplats, öppettider, öppettiderna, plats, datum, tid, tiden, längd, frist, gräns, storlek, vikt, höjd, ålder, namn, namnet, orsak, färg",
    pronouns: "han, hon, den, det, de, dem, hans, hennes, dess, deras, detta, denna, dessa, där, då, honom, henne",
    verbs:
      "är, var, vara, har, hade, kan, kunde, ska, skall, måste, får, blir, blev, finns, finns det, kostar, gör, förklara, berätta",
    prepositions:
      "i, på, av, för, med, till, från, om, vid, under, efter, före, utan, mellan, genom, hos, per, åt, över",
    others:
      "en, ett, jag, du, vi, ni, man, mig, min, mitt, mina, er, inte, ingen, att, som, så, mer, mycket, snälla, tack, alla, sig",
  },
  da: {
    joins: "og, eller, men, også, hvad med, og hvad med, hvordan med",
    questions:
      "hvad, hvem, hvis, hvornår, hvor, hvorfor, hvordan, hvilken, hvilket, hvilke, hvor meget, hvor mange, hvor længe, hvor lang tid, hvor ofte",
    attributes:
      "pris, prisen, priser, omkostninger, gebyr, adresse, adressen, telefon, telefonnummer, telefonnummeret, nummer, e mail, mailadresse, hjemmeside, åbningstider, åbningstiderne, sted, dato, tid, tidspunkt, varighed, frist, grænse, størrelse, vægt, højde, alder, navn, navnet, grund, farve",
    pronouns: "han, hun, den, det, de, dem, hans, hendes, dens, dets, deres, dette, denne, disse, der, ham, hende",
    verbs:
      "er, var, være, har, havde, kan, kunne, skal, skulle, må, bliver, blev, findes, koster, gør, forklar, fortæl",
    prepositions: "i, på, af, for, med, til, fra, om, ved, under, efter, før, uden, mellem, gennem, hos, per, ad, over",
    others:
      "en, et, jeg, du, vi, i, man, mig, min, mit, mine, jer, ikke, ingen, at, som, så, mere, meget, venligst, alle, sig",
  },
  no: {
    joins: "og, eller, men, også, hva med, og hva med, hvordan er det med",
    questions:
      "hva, hvem, når, hvor, hvorfor, hvordan, hvilken, hvilket, hvilke, hvor mye, hvor mange, hvor lenge, hvor lang tid, hvor ofte",
    attributes:
      "pris, prisen, priser, kostnad, gebyr, adresse, adressen, telefon, telefonnummer, telefonnummeret, nummer, e post, e postadresse, nettside, åpningstider, åpningstidene, sted, dato, tid, tidspunkt, varighet, frist, grense, størrelse, vekt, høyde, alder, navn, navnet, grunn, farge",
    pronouns: "han, hun, den, det, de, dem, hans, hennes, dens, dets, deres, dette, denne, disse, der, ham, henne, da",
    verbs: "er, var, være, har, hadde, kan, kunne, skal, skulle, må, blir, ble, finnes, koster, gjør, forklar, fortell",
    prepositions: "i, på, av, for, med, til, fra, om, ved, under, etter, før, uten, mellom, gjennom, hos, per, over",
    others:
      "en, ei, et, jeg, du, vi, dere, man, meg, min, mitt, mine, ikke, ingen, å, at, som, så, mer, mye, alle, seg",
  },
  fi: {
    joins: "ja, tai, mutta, myös, entä, entäpä, miten on, mites, entä jos",
    questions:
      "mikä, mitä, mitkä, kuka, kenen, ketä, ketkä, milloin, koska, missä, mistä, mihin, minne, miksi, miten, kuinka, kuinka paljon, kuinka monta, kuinka kauan, paljonko, montako, kumpi, millainen, millä, onko",
    attributes:
      "hinta, hinnat, kustannukset, maksu, osoite, puhelin, puhelinnumero, numero, sähköposti, sähköpostiosoite, verkkosivu, aukioloajat, paikka, sijainti, päivämäärä, aika, kesto, määräaika, raja, koko, paino, korkeus, ikä, nimi, syy, väri",
    pronouns:
      "se, sen, sitä, siitä, siihen, siinä, sillä, ne, niitä, niiden, niistä, hän, hänen, häntä, he, heidän, heitä, tämä, tämän, tätä, nämä, tuo, tuon, siellä, sieltä, silloin, niille",
    verbs:
      "on, ovat, oli, olivat, ole, olla, voi, voivat, voinko, voiko, täytyy, pitää, saa, saako, maksaa, tekee, selitä, kerro",
    prepositions: "ilman, kanssa, ennen, jälkeen, varten, alla, päällä, aikana, välillä, kautta, mukaan",
    others:
      "ei, en, et, eivät, minä, sinä, me, te, minun, sinun, että, kun, kuin, niin, jos, vain, vielä, jo, hyvin, enemmän, kiitos, kaikki, myös, sekä",
  },
  hu: {
    joins: "és, vagy, de, is, meg, mi a helyzet, és mi a helyzet, mi van, és mi van, és ha",
    questions:
      "mi, mit, mik, ki, kit, kik, kinek, mikor, hol, hová, honnan, miért, hogyan, hogy, milyen, melyik, melyek, mennyi, mennyibe, hány, meddig, mennyi ideig, mióta, milyen gyakran",
    attributes:
      "ár, ára, árak, költség, díj, cím, címe, telefon, telefonszám, telefonszáma, szám, e mail, e mail cím, weboldal, nyitvatartás, nyitva tartás, hely, dátum, időpont, időtartam, határidő, határ, méret, súly, magasság, kor, név, neve, ok, szín",
    pronouns:
      "ő, őt, ők, neki, nekik, az, azt, annak, abban, arról, azok, azokat, ez, ezt, ennek, ebben, erről, ezek, ott, oda, akkor",
    verbs: "van, vannak, volt, voltak, lesz, lehet, tud, tudok, kell, szabad, kerül, tart, működik, magyarázd, mondd",
    prepositions: "nélkül, után, előtt, alatt, között, számára, esetén, szerint, miatt, felett, mellett, óta",
    others:
      "a, az, egy, én, te, mi, ti, nem, ne, csak, még, már, nagyon, több, kérem, minden, ha, van e, e, vagy, mint",
  },
  pl: {
    joins: "i, a, oraz, lub, ale, też, a co z, co z, a jak z",
    questions:
      "co, kto, kogo, komu, kiedy, gdzie, dlaczego, czemu, jak, jaki, jaka, jakie, który, która, które, ile, jak długo, jak często, czy, od kiedy, skąd, dokąd",
    attributes:
      "cena, ceny, koszt, koszty, opłata, opłaty, adres, telefon, numer, numer telefonu, e mail, email, strona, godziny otwarcia, godziny, miejsce, data, godzina, czas trwania, termin, limit, rozmiar, waga, wysokość, wiek, nazwa, imię, powód, kolor",
    pronouns: "on, ona, ono, oni, one, jego, jej, ich, im, go, to, ten, ta, te, tego, tej, tym, tych, tam, wtedy",
    verbs:
      "jest, są, był, była, było, były, być, ma, mają, może, mogą, mogę, można, trzeba, musi, ile kosztuje, kosztuje, wyjaśnij, powiedz",
    prepositions:
      "w, we, na, z, ze, do, od, dla, przez, przy, po, za, o, u, bez, pod, nad, przed, między, podczas, według",
    others:
      "się, nie, że, ja, ty, my, wy, mnie, mi, mój, moja, twój, tak, już, tylko, bardzo, proszę, więcej, wszystkie, jeśli",
  },
  el: {
    joins: "και, κι, ή, αλλά, επίσης, τι γίνεται με, και τι γίνεται με, τι ισχύει για",
    questions:
      "τι, ποιος, ποια, ποιο, ποιοι, ποιες, ποιον, πότε, πού, γιατί, πώς, πόσο, πόσα, πόσοι, πόσες, πόση, πόση ώρα, πόσο καιρό, πόσο συχνά",
    attributes:
      "τιμή, τιμές, κόστος, χρέωση, διεύθυνση, τηλέφωνο, αριθμός, email, ιστοσελίδα, ωράριο, ώρες λειτουργίας, τοποθεσία, ημερομηνία, ώρα, διάρκεια, προθεσμία, όριο, μέγεθος, βάρος, ύψος, ηλικία, όνομα, λόγος, χρώμα",
    pronouns: "αυτός, αυτή, αυτό, αυτοί, αυτές, αυτά, αυτόν, αυτήν, εκείνος, εκείνη, εκείνο, εκεί, τότε, τους",
    verbs:
      "είναι, ήταν, έχει, έχουν, είχε, μπορώ, μπορεί, μπορούν, πρέπει, υπάρχει, υπάρχουν, κοστίζει, κάνει, εξήγησε, πες",
    prepositions:
      "σε, στο, στη, στην, στον, στα, στις, στους, από, για, με, χωρίς, μετά, πριν, κατά, μέχρι, ως, μεταξύ, προς",
    others:
      "ο, η, το, οι, τα, του, της, των, τον, την, ένας, μια, μία, ένα, εγώ, εσύ, εμείς, εσείς, μου, σου, μας, σας, δεν, δε, μη, να, θα, που, ότι, αν, πολύ, πιο, παρακαλώ, όλα, όλοι",
  },
  tr: {
    joins: "ve, veya, ya da, ama, ya, peki, peki ya, ayrıca",
    questions:
      "ne, nedir, kim, kimin, kimi, kime, kimdir, ne zaman, nerede, nereye, nereden, neden, niçin, niye, nasıl, hangi, hangisi, kaç, ne kadar, ne kadar sürer, ne kadar süre, ne sıklıkla, mi, mı, mu, mü, mıdır, midir",
    attributes:
      "fiyat, fiyatı, fiyatlar, ücret, ücreti, maliyet, adres, adresi, telefon, telefonu, telefon numarası, numara, numarası, e posta, e posta adresi, web sitesi, çalışma saatleri, yer, yeri, tarih, tarihi, saat, saati, süre, süresi, sınır, boyut, ağırlık, yükseklik, yaş, ad, adı, neden, renk",
    pronouns:
      "o, onun, onu, ona, onda, ondan, onlar, onların, onları, onlara, bu, bunun, bunu, buna, bunda, bundan, bunlar, bunların, şu, orada, oraya, orası, o zaman",
    verbs:
      "var, vardır, yok, olan, olarak, olur, oldu, edilir, yapılır, gerekir, gerekiyor, lazım, kaça, açıkla, söyle, miyim, mıyım, müyüm",
    prepositions:
      "için, ile, gibi, kadar, göre, sonra, önce, arasında, üzerinde, altında, içinde, hakkında, dolayı, karşı, olmadan",
    others:
      "bir, da, de, ben, sen, biz, siz, bana, benim, sizin, çok, daha, en, değil, her, tüm, lütfen, ise, ki, eğer, sadece",
  },
  ar: {
    joins: "و, أو, لكن, أيضا, ماذا عن, وماذا عن, ما بالنسبة ل, وبالنسبة ل, وهل",
    questions: "ما, ماذا, من هو, من هي, متى, أين, لماذا, كيف, أي, أية, كم, كم عدد, كم من الوقت, هل, لمن, منذ متى, بكم",
    attributes:
      "السعر, سعر, الأسعار, التكلفة, تكلفة, الرسوم, العنوان, عنوان, الهاتف, رقم الهاتف, الرقم, البريد الإلكتروني, البريد, الموقع, ساعات العمل, المكان, التاريخ, الوقت, المدة, الموعد النهائي, الحد, الحجم, الوزن, الارتفاع, العمر, الاسم, السبب, اللون",
    pronouns:
      "هو, هي, هم, هما, هن, هذا, هذه, هؤلاء, ذلك, تلك, هناك, له, لها, لهم, فيه, فيها, عنه, عنها, منه, منها, به, بها, إذن",
    verbs: "كان, كانت, يكون, تكون, يوجد, توجد, يمكن, يمكنني, يجب, لديه, لديها, لديكم, يتم, اشرح, أخبرني",
    prepositions: "في, من, على, إلى, عن, مع, بدون, بعد, قبل, بين, خلال, حتى, عند, تحت, فوق, حول, لـ",
    others: "أن, إن, التي, الذي, الذين, لا, لم, لن, ليس, قد, أنا, أنت, نحن, لي, كل, جدا, أكثر, من فضلك, إذا, فقط, ثم",
  },
  he: {
    joins: "ו, או, אבל, גם, ומה עם, מה עם, ומה לגבי, מה לגבי, ומה בנוגע ל",
    questions:
      "מה, מהו, מהי, מי, מתי, איפה, היכן, לאן, מאיפה, למה, מדוע, איך, כיצד, איזה, איזו, אילו, כמה, כמה זמן, האם, ממתי, מתי",
    attributes:
      "מחיר, המחיר, מחירים, עלות, העלות, כתובת, הכתובת, טלפון, הטלפון, מספר, מספר הטלפון, מייל, המייל, אימייל, אתר, האתר, שעות הפתיחה, שעות פתיחה, מקום, המקום, תאריך, התאריך, שעה, השעה, משך, מועד, גודל, הגודל, משקל, המשקל, גובה, הגובה, גיל, הגיל, שם, הסיבה, צבע, הצבע",
    pronouns:
      "הוא, היא, הם, הן, אותו, אותה, אותם, שלו, שלה, שלהם, זה, זאת, זו, אלה, אלו, ההוא, שם, אז, בו, בה, לו, להם",
    verbs: "יש, אין, היה, הייתה, היו, להיות, יכול, אפשר, ניתן, צריך, חייב, עולה, תסביר, ספר",
    prepositions: "של, על, עם, את, בלי, אחרי, לפני, בין, עד, מן, מ, ב, ל, אל, תחת, במשך, לגבי, אצל",
    others: "אני, אתה, אתם, אנחנו, לי, שלי, לא, כן, כי, אם, רק, עוד, מאוד, יותר, כל, בבקשה, כבר, ש, ה",
  },
  fa: {
    joins: "و, یا, اما, همچنین, درباره, چطور, و درباره, پس",
    questions:
      "چه, چی, چیست, کی, کیست, چه کسی, چه زمانی, کجا, کجاست, چرا, چگونه, چطور, کدام, چند, چقدر, چه مدت, آیا, از کی",
    attributes:
      "قیمت, هزینه, هزینه‌ها, نشانی, آدرس, تلفن, شماره, شماره تلفن, ایمیل, وب سایت, ساعت کاری, ساعات کاری, مکان, محل, تاریخ, ساعت, مدت, مهلت, حد, اندازه, وزن, ارتفاع, سن, نام, دلیل, رنگ",
    pronouns: "او, آن, آنها, ایشان, این, اینها, آنجا, اینجا, آنان, آنرا, همان, همین",
    verbs: "است, هست, هستند, بود, بودند, دارد, دارند, می شود, می‌شود, می توان, می‌توان, باید, شد, کنید, کنم, بگو",
    prepositions: "در, به, از, با, برای, بر, تا, بدون, بعد از, قبل از, بین, درباره, روی, زیر",
    others: "را, که, من, تو, شما, ما, هم, نه, نیست, خیلی, بیشتر, لطفا, همه, اگر, فقط, یک, های, ها, ی",
  },
  hi: {
    joins: "और, या, लेकिन, भी, और क्या, के बारे में क्या, तो, और अगर",
    questions:
      "क्या, कौन, किसका, किसकी, किसने, किसे, कब, कहाँ, कहां, क्यों, कैसे, कैसा, कौन सा, कौन सी, कौन से, कितना, कितनी, कितने, कितने समय",
    attributes:
      "कीमत, क़ीमत, दाम, मूल्य, लागत, शुल्क, पता, फ़ोन, फोन, फ़ोन नंबर, फोन नंबर, नंबर, ईमेल, ई मेल, वेबसाइट, समय, खुलने का समय, जगह, स्थान, तारीख, तिथि, अवधि, सीमा, आकार, वज़न, ऊँचाई, उम्र, नाम, कारण, रंग",
    pronouns:
      "यह, वह, ये, वे, इसका, इसकी, इसके, उसका, उसकी, उसके, उनका, उनकी, उनके, इसे, उसे, इन्हें, उन्हें, इसमें, उसमें, वहाँ, वहां, तब, उन",
    verbs: "है, हैं, था, थी, थे, हो, होता, होती, होते, सकता, सकती, सकते, चाहिए, करना, करता, करते, गया, बताओ, बताइए",
    prepositions: "का, की, के, को, में, से, पर, लिए, के लिए, तक, साथ, के साथ, बिना, बाद, पहले, द्वारा, बीच",
    others: "एक, मैं, आप, हम, तुम, मुझे, मेरा, मेरी, आपका, नहीं, ना, बहुत, ज़्यादा, कृपया, सभी, अगर, ही, ने, जो, कि",
  },
  id: {
    joins: "dan, atau, tapi, tetapi, juga, bagaimana dengan, lalu bagaimana dengan, dan bagaimana dengan, kalau, lalu",
    questions:
      "apa, siapa, kapan, di mana, dimana, ke mana, mengapa, kenapa, bagaimana, berapa, berapa lama, berapa banyak, yang mana, mana, apakah, sejak kapan, seberapa",
    attributes:
      "harga, harganya, biaya, biayanya, tarif, alamat, alamatnya, telepon, nomor telepon, nomor, nomornya, email, situs, situs web, jam buka, lokasi, tempat, tanggal, waktu, jam, durasi, tenggat, batas, ukuran, berat, tinggi, umur, nama, namanya, alasan, warna",
    pronouns: "itu, ini, dia, ia, mereka, nya, tersebut, sana, situ, beliau",
    verbs: "adalah, ialah, ada, bisa, dapat, boleh, harus, perlu, akan, punya, memiliki, jelaskan, katakan",
    prepositions:
      "di, ke, dari, untuk, dengan, pada, oleh, tanpa, sebelum, sesudah, setelah, selama, antara, tentang, bagi, sampai",
    others:
      "yang, saya, aku, anda, kamu, kami, kita, tidak, bukan, belum, sudah, sangat, lebih, tolong, semua, jika, hanya, saja, para",
  },
  vi: {
    joins: "và, hoặc, nhưng, còn, thế còn, vậy còn, còn về",
    questions:
      "gì, ai, khi nào, bao giờ, ở đâu, đâu, tại sao, vì sao, sao, như thế nào, thế nào, nào, bao nhiêu, mấy, bao lâu, có phải, không",
    attributes:
      "giá, giá cả, chi phí, phí, địa chỉ, điện thoại, số điện thoại, số, email, trang web, giờ mở cửa, địa điểm, ngày, giờ, thời gian, thời hạn, giới hạn, kích thước, cân nặng, chiều cao, tuổi, tên, lý do, màu",
    pronouns: "nó, họ, anh ấy, cô ấy, ông ấy, bà ấy, đó, này, kia, ấy, chúng, đấy, ở đó",
    verbs: "là, có, được, bị, phải, cần, có thể, thì, giải thích, cho biết",
    prepositions: "của, ở, trong, cho, với, từ, đến, trên, dưới, về, bằng, theo, sau, trước, giữa, tại, vào",
    others:
      "các, những, một, tôi, bạn, chúng tôi, tôi, đã, đang, sẽ, rất, hơn, cũng, xin, vui lòng, tất cả, nếu, chỉ, mà, ạ",
  },
  th: {
    joins: "และ, หรือ, แต่, แล้ว, ส่วน, แล้วถ้า",
    questions:
      "อะไร, ใคร, เมื่อไหร่, เมื่อไร, ที่ไหน, ทำไม, อย่างไร, ยังไง, ไหน, เท่าไหร่, เท่าไร, กี่, นานแค่ไหน, ไหม, มั้ย, หรือไม่, หรือเปล่า",
    attributes:
      "ราคา, ค่าใช้จ่าย, ค่าธรรมเนียม, ที่อยู่, โทรศัพท์, เบอร์โทร, เบอร์โทรศัพท์, เบอร์, อีเมล, เว็บไซต์, เวลาทำการ, เวลาเปิดปิด, สถานที่, วันที่, เวลา, ระยะเวลา, กำหนด, ขนาด, น้ำหนัก, ความสูง, อายุ, ชื่อ, เหตุผล, สี",
    pronouns: "มัน, เขา, เธอ, พวกเขา, นี้, นั้น, นี่, นั่น, ที่นั่น, ของมัน",
    verbs: "เป็น, คือ, มี, ได้, ต้อง, ควร, อยู่, ใช้, อธิบาย, บอก",
    prepositions: "ของ, ใน, ที่, สำหรับ, กับ, จาก, ถึง, บน, โดย, ก่อน, หลัง, ระหว่าง, เกี่ยวกับ",
    others: "ครับ, ค่ะ, คะ, ฉัน, ผม, คุณ, เรา, ไม่, มาก, ทุก, ถ้า, ก็, จะ, ล่ะ, ให้, ว่า, ซึ่ง, การ",
  },
  zh: {
    joins: "那, 那么, 那麼, 和, 还有, 還有, 或者, 但是, 以及",
    questions:
      "什么, 什麼, 谁, 誰, 何时, 何時, 什么时候, 什麼時候, 哪里, 哪裡, 哪儿, 为什么, 為什麼, 怎么, 怎麼, 怎样, 如何, 哪个, 哪個, 哪些, 多少, 多少钱, 多少錢, 几, 幾, 多久, 吗, 嗎, 是否, 怎么办",
    attributes:
      "价格, 價格, 价钱, 價錢, 费用, 費用, 地址, 电话, 電話, 电话号码, 電話號碼, 号码, 號碼, 邮箱, 電郵, 网站, 網站, 营业时间, 營業時間, 开放时间, 開放時間, 地点, 地點, 日期, 时间, 時間, 时长, 期限, 截止日期, 限制, 大小, 重量, 高度, 年龄, 名字, 名称, 原因, 颜色",
    pronouns:
      "它, 它们, 它們, 他, 他们, 他們, 她, 她们, 这, 這, 这个, 這個, 这些, 這些, 那个, 那個, 那些, 那里, 那裡, 其",
    verbs: "是, 有, 能, 可以, 会, 會, 要, 需要, 应该, 應該, 在, 解释, 告诉我",
    prepositions: "对, 對, 对于, 對於, 关于, 關於, 从, 從, 到, 用, 为, 為, 给, 給, 与, 與, 由, 被",
    others:
      "的, 了, 呢, 吧, 啊, 我, 我们, 我們, 你, 您, 你们, 不, 没, 沒, 也, 都, 很, 更, 请, 請, 请问, 請問, 如果, 就, 一个, 一個, 们, 們",
  },
  ja: {
    joins: "では, じゃあ, じゃ, それでは, それと, また, あと, あるいは, でも, そして",
    questions:
      "何, なに, なん, 誰, だれ, いつ, どこ, なぜ, どうして, どう, どの, どれ, どちら, いくら, いくつ, どのくらい, どれくらい, どのように, ですか, ますか",
    attributes:
      "値段, 価格, 料金, 費用, 住所, 電話, 電話番号, 番号, メール, メールアドレス, サイト, ウェブサイト, 営業時間, 開館時間, 場所, 日付, 日時, 時間, 期間, 期限, 締め切り, 制限, 大きさ, 重さ, 高さ, 年齢, 名前, 理由, 色",
    pronouns: "それ, その, これ, この, あれ, あの, そこ, ここ, あそこ, 彼, 彼女, 彼ら, それら",
    verbs:
      "です, ます, でした, ました, ある, あります, いる, います, する, します, できる, できます, なる, なります, ください, 教えて",
    prepositions: "は, が, を, に, で, と, の, へ, から, まで, より, について, ため, による, として",
    others:
      "も, か, ね, よ, な, だ, た, て, ない, ません, 私, わたし, あなた, とても, もっと, お, ご, など, という, こと, もの, 場合",
  },
  ko: {
    joins: "그리고, 그럼, 그러면, 또는, 하지만, 그런데, 또, 그렇다면",
    questions:
      "무엇, 뭐, 무엇을, 무엇이, 무엇인가요, 뭐예요, 뭔가요, 누구, 누가, 언제, 어디, 어디서, 어디에, 왜, 어떻게, 어떤, 어느, 얼마, 얼마나, 얼마예요, 얼마인가요, 몇, 무슨",
    attributes:
      "가격, 가격은, 가격은요, 요금, 요금은, 비용, 비용은, 주소, 주소는, 주소는요, 전화, 전화번호, 전화번호는, 번호, 이메일, 이메일은, 웹사이트, 영업시간, 영업시간은, 운영 시간, 장소, 장소는, 날짜, 날짜는, 시간, 시간은, 기간, 기간은, 기한, 제한, 크기, 무게, 높이, 나이, 이름, 이름은, 이유, 이유는, 색",
    pronouns: "그것, 그것은, 그게, 그건, 이것, 이것은, 이게, 이건, 그, 이, 그녀, 그들, 거기, 거기서, 저것, 그때",
    verbs:
      "있나요, 있어요, 있습니까, 되나요, 돼요, 됩니까, 할, 수, 하나요, 합니까, 인가요, 입니까, 이에요, 예요, 알려줘, 설명해",
    prepositions: "위해, 대해, 대한, 위한, 동안, 전에, 후에, 사이, 통해, 없이, 함께",
    others: "나, 저, 제, 내, 우리, 당신, 너, 안, 못, 더, 매우, 아주, 모든, 만약, 좀, 것, 등, 및",
  },
} satisfies Record<string, FunctionWords>
