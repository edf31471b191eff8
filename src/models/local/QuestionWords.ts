import type { SpokenLanguage } from "../../languages/Locales.ts"

/**
 * The words of a language by which a question says what it wants, separated by commas. What follows a `+` is also a word
 * of the answer.
 */
export interface QuestionWords {
  /** A number, with or without a unit. */
  readonly amount: string
  /** A date, a day or a time. */
  readonly time: string
  /** A person or a place. */
  readonly name: string
  /** How something is done. */
  readonly way: string
  /** Several things. */
  readonly several: string
  /** Words that deny: an answer to a question with one of them has one, too. */
  readonly not: string
  /** Words that compare: what they ask for is quoted where a text says so, and never computed. */
  readonly compare: string
  /** Words for numbers, and for no price. */
  readonly number: string
}

export const questionWords: Readonly<Record<SpokenLanguage, QuestionWords>> = {
  en: {
    amount:
      "how many, how much, how long, how old, how far, how high, how tall, how big, how large, how often, how +heavy, how +deep, what percentage, +price, +cost, +costs, +number, +fee, +limit, +height, +length, +size, +duration",
    time: "when, since when, until when, what time, which year, what year, in what year, which date, which day, what day, which month, which century, +hours, +date, +deadline",
    name: "who, whom, whose, where, which country, which city, +address",
    way: "how do i, how do you, how do we, how can i, how can we, how can one, how does one, how should i, how to, what do i do, what do i have to do, what do i need to do, what should i do, +steps",
    several:
      "what can i, what may i, what do i need, what must i, what should i, what can't i, what can't, what won't, what doesn't, what isn't, what are the, what are all, what kinds of, what types of, which kinds of, what else, list",
    not: "not, no, never, without, except, closed, excluded, t, none, nothing, cannot",
    compare:
      "more than, less than, fewer than, cheaper than, at least, at most, below, above, most, least, cheapest, highest, lowest, biggest, largest, smallest, longest, shortest, tallest, oldest, newest, latest, earliest, best, fewest, heaviest",
    number:
      "two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, twenty, hundred, thousand, million, once, twice, half, free",
  },
  de: {
    amount:
      "wie viel, wie viele, wieviel, wieviele, wie lange, wie lang, wie alt, wie weit, wie hoch, wie groß, wie oft, wie +warm, wie +schwer, wie +teuer, was +kostet, was +kosten, +preis, +kosten, +anzahl, +frist, +dauer",
    time: "wann, seit wann, bis wann, ab wann, um wie viel uhr, in welchem jahr, welches jahr, an welchem tag, welcher tag, in welchem jahrhundert, +öffnungszeiten, +datum, +termin",
    name: "wer, wen, wem, wessen, wo, woher, wohin, von wem, in welcher stadt, in welchem land, +adresse",
    way: "wie kann ich, wie kann man, wie können wir, wie mache ich, wie melde ich, wie muss ich, wie bekomme ich, wie geht, was muss ich tun, was soll ich tun, was muss ich machen, +anleitung, +schritte",
    several:
      "welche, nenne, was für, was muss ich, was brauche ich, was kann ich, was darf ich, was darf, was ist im, was gehört, was gibt es, was gibt's, liste",
    not: "nicht, kein, keine, keinen, nie, ohne, außer, geschlossen, ausgenommen, nein, nichts",
    compare:
      "mehr als, weniger als, billiger als, mindestens, höchstens, am meisten, meisten, wenigsten, billigste, günstigste, günstigsten, teuerste, teuersten, höchste, niedrigste, größte, größten, kleinste, längste, kürzeste, älteste, neueste, beste, wärmsten",
    number:
      "zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, zwanzig, hundert, tausend, einmal, zweimal, hälfte, kostenlos, frei",
  },
  fr: {
    amount:
      "combien, combien de, combien de temps, c'est combien, quel âge, quelle hauteur, quelle distance, +prix, +coûte, +tarif, +nombre, +durée, +délai",
    time: "quand, depuis quand, jusqu'à quand, à quelle heure, en quelle année, quelle année, quel jour, quelle date, +horaires, +heures",
    name: "qui, à qui, par qui, où, d'où, dans quelle ville, dans quel pays, +adresse",
    way: "comment faire, comment puis je, comment peut on, comment dois je, comment on, comment, que dois je faire, +étapes",
    several:
      "quels, quelles, que dois je, que doit on, que faut il, qu'est ce que je dois, que puis je, qu'est ce qui est, que comprend, liste",
    not: "pas, non, aucun, aucune, jamais, sans, sauf, fermé, fermée, rien",
    compare:
      "plus de, moins de, au moins, au plus, plus que, moins que, le plus, la plus, les plus, le moins, la moins, les moins, meilleur",
    number: "deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze, vingt, cent, mille, gratuit, gratuite",
  },
  es: {
    amount:
      "cuánto, cuánta, cuántos, cuántas, cuánto tiempo, qué edad, qué distancia, cada cuánto, +precio, +cuesta, +vale, +número, +plazo, +duración",
    time: "cuándo, desde cuándo, hasta cuándo, a qué hora, en qué año, qué año, qué día, qué fecha, +horario, +horarios",
    name: "quién, quiénes, de quién, dónde, de dónde, adónde, en qué ciudad, en qué país, +dirección",
    way: "cómo puedo, cómo se puede, cómo lo hago, cómo me, cómo, cómo hago, cómo se hace, cómo debo, cómo es la, qué debo hacer, +pasos",
    several: "cuáles, qué tipos de, qué clases de, qué tengo que, qué debo, qué necesito, qué puedo, qué incluye",
    not: "no, nunca, ningún, ninguna, sin, excepto, cerrado, cerrada, nada",
    compare:
      "más de, menos de, más que, menos que, al menos, como máximo, el más, la más, más caro, más barato, más grande, más alto, el menos, mejor",
    number: "dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, veinte, cien, mil, gratis",
  },
  pt: {
    amount:
      "quanto, quanta, quantos, quantas, quanto tempo, quanto custa, que idade, que distância, +preço, +prazo, +número, +duração",
    time: "quando, desde quando, até quando, a que horas, em que ano, que ano, que dia, que data, +horário",
    name: "quem, de quem, onde, de onde, aonde, em que cidade, em que país, +endereço",
    way: "como posso, como se pode, como faço, como fazer, como devo, o que devo fazer, +passos",
    several: "quais, que tipos de, o que preciso, o que devo, o que posso, o que inclui",
    not: "não, nunca, nenhum, nenhuma, sem, exceto, fechado, fechada, nada",
    compare:
      "mais de, menos de, mais que, menos que, pelo menos, no máximo, o mais, a mais, mais caro, mais barato, maior, menor, melhor",
    number: "dois, duas, três, quatro, cinco, seis, sete, oito, nove, dez, onze, doze, vinte, cem, mil, grátis",
  },
  it: {
    amount:
      "quanto, quanta, quanti, quante, quanto tempo, quanto costa, che età, ogni quanto, +prezzo, +costo, +numero, +durata",
    time: "quando, da quando, fino a quando, a che ora, in che anno, in quale anno, che giorno, +orario, +orari",
    name: "chi, di chi, da chi, dove, da dove, in quale città, in quale paese, +indirizzo",
    way: "come posso, come si può, come faccio, come si fa, come devo, cosa devo fare, +passi",
    several: "quali, che tipi di, cosa devo, cosa posso, cosa serve, cosa comprende, cosa include",
    not: "non, no, mai, nessun, nessuna, senza, tranne, chiuso, chiusa, niente",
    compare: "più di, meno di, almeno, al massimo, il più, la più, più caro, più economico, maggiore, minore, migliore",
    number: "due, tre, quattro, cinque, sei, sette, otto, nove, dieci, undici, dodici, venti, cento, mille, gratis",
  },
  nl: {
    amount: "hoeveel, hoe lang, hoe oud, hoe ver, hoe hoog, hoe groot, hoe vaak, +prijs, +kost, +kosten, +aantal",
    time: "wanneer, sinds wanneer, tot wanneer, hoe laat, in welk jaar, welk jaar, op welke dag, +openingstijden",
    name: "wie, van wie, waar, waarheen, in welke stad, in welk land, +adres",
    way: "hoe kan ik, hoe kan je, hoe moet ik, hoe maak ik, hoe doe ik, wat moet ik doen, +stappen",
    several: "welke, wat voor, wat zijn de, wat moet ik, wat kan ik, wat mag ik",
    not: "niet, geen, nooit, zonder, behalve, gesloten, nee, niets",
    compare:
      "meer dan, minder dan, minstens, hoogstens, meeste, minste, goedkoopste, duurste, grootste, kleinste, hoogste, langste, oudste, beste",
    number: "twee, drie, vier, vijf, zes, zeven, acht, negen, tien, elf, twaalf, twintig, honderd, duizend, gratis",
  },
  ru: {
    amount:
      "сколько, сколько лет, сколько времени, сколько стоит, как долго, как далеко, как часто, какой процент, +цена, +стоимость, +количество",
    time: "когда, до какого времени, в котором часу, в каком году, какого числа, в каком веке, +часы",
    name: "кто, кого, кому, кем, с кем, где, откуда, куда, в каком городе, в какой стране, +адрес",
    way: "как мне, как можно, как сделать, как я могу, что мне делать, что нужно сделать",
    several: "какие, каких, какими, перечислите, что нужно, что можно",
    not: "не, нет, никогда, без, кроме, закрыт, закрыта, закрыто, нельзя, ничего",
    compare:
      "больше чем, меньше чем, более, менее, не менее, не более, самый, самая, самое, самые, больше всего, меньше всего, наименьший, наибольший",
    number:
      "два, две, двух, три, трёх, трех, четыре, пять, шесть, семь, восемь, девять, десять, сто, тысяча, бесплатно",
  },
  uk: {
    amount: "скільки, скільки років, скільки коштує, як довго, як далеко, як часто, +ціна, +вартість, +кількість",
    time: "коли, відколи, о котрій годині, в якому році, у якому році, якого числа, +години",
    name: "хто, кого, кому, ким, де, звідки, куди, +адреса",
    way: "як мені, як можна, як зробити, як я можу, що мені робити",
    several: "які, яких, перелічіть, що потрібно, що можна",
    not: "не, ні, немає, ніколи, без, крім, зачинено, закрито, не можна",
    compare: "більше ніж, менше ніж, щонайменше, щонайбільше",
    number: "два, дві, двох, три, трьох, чотири, п'ять, шість, сім, вісім, дев'ять, десять, сто, тисяча, безкоштовно",
  },
  cs: {
    amount: "kolik, jak dlouho, jak daleko, jak vysoký, jak často, kolik stojí, +cena, +počet",
    time: "kdy, od kdy, do kdy, v kolik, v kterém roce, který den",
    name: "kdo, koho, komu, kde, odkud, kam",
    way: "jak mohu, jak můžu, jak mám, co mám dělat",
    several: "jaké, které, co potřebuji, co mohu",
    not: "ne, není, nejsou, nikdy, žádný, bez, kromě, zavřeno, nelze",
    compare: "více než, méně než, alespoň, nejvýše",
    number: "dva, dvě, tři, čtyři, pět, šest, sedm, osm, devět, deset, dvacet, sto, tisíc, zdarma",
  },
  ro: {
    amount: "cât, câtă, câți, câte, cât timp, cât costă, cât de des, +prețul, +numărul",
    time: "când, de când, până când, la ce oră, în ce an, în ce zi",
    name: "cine, cui, unde, de unde, încotro",
    way: "cum pot, cum se poate, cum fac, ce trebuie să fac",
    several: "care sunt, ce trebuie, ce pot, ce fel de",
    not: "nu, niciodată, niciun, nicio, fără, cu excepția, închis",
    compare: "mai mult de, mai puțin de, cel puțin, cel mult",
    number: "doi, două, trei, patru, cinci, șase, șapte, opt, nouă, zece, douăzeci, sută, mie, gratuit",
  },
  sv: {
    amount:
      "hur många, hur mycket, hur länge, hur gammal, hur långt, hur hög, hur stor, hur ofta, +pris, +kostar, +antal",
    time: "när, sedan när, vilket år, vilken dag, hur dags, vilket datum, +öppettider",
    name: "vem, vems, var, vart, varifrån, i vilken stad",
    way: "hur kan jag, hur kan man, hur gör jag, hur gör man, hur ska jag, vad ska jag göra",
    several: "vilka, vad kan jag, vad får jag, vad behöver jag",
    not: "inte, ingen, inga, aldrig, utan, utom, stängt, nej",
    compare: "mer än, mindre än, minst, högst",
    number: "två, tre, fyra, fem, sex, sju, åtta, nio, tio, elva, tolv, tjugo, hundra, tusen, gratis",
  },
  da: {
    amount: "hvor mange, hvor meget, hvor længe, hvor gammel, hvor langt, hvor høj, hvor ofte, +pris, +koster, +antal",
    time: "hvornår, hvilket år, hvilken dag, hvilken dato, hvad tid, +åbningstider",
    name: "hvem, hvor, hvorfra, hvorhen",
    way: "hvordan kan jeg, hvordan kan man, hvordan gør jeg, hvordan skal jeg, hvad skal jeg gøre",
    several: "hvilke, hvad kan jeg, hvad må jeg, hvad skal jeg",
    not: "ikke, ingen, aldrig, uden, undtagen, lukket, nej",
    compare: "mere end, mindre end, mindst, højst",
    number: "to, tre, fire, fem, seks, syv, otte, ni, ti, elleve, tolv, tyve, hundrede, tusind, gratis",
  },
  no: {
    amount: "hvor mange, hvor mye, hvor lenge, hvor gammel, hvor langt, hvor høy, hvor ofte, +pris, +koster, +antall",
    time: "når, hvilket år, hvilken dag, hvilken dato, +åpningstider",
    name: "hvem, hvor, hvorfra, hvorhen",
    way: "hvordan kan jeg, hvordan kan man, hvordan gjør jeg, hvordan skal jeg, hva skal jeg gjøre",
    several: "hvilke, hva kan jeg, hva må jeg, hva skal jeg",
    not: "ikke, ingen, aldri, uten, unntatt, stengt, nei",
    compare: "mer enn, mindre enn, minst, høyst",
    number: "to, tre, fire, fem, seks, sju, åtte, ni, ti, elleve, tolv, tjue, hundre, tusen, gratis",
  },
  fi: {
    amount: "kuinka monta, kuinka paljon, paljonko, montako, kuinka kauan, kuinka usein, +hinta",
    time: "milloin, mihin asti, mihin aikaan, minä vuonna, minä päivänä",
    name: "kuka, kenen, missä, mistä, mihin",
    way: "miten voin, kuinka voin, miten teen, mitä minun pitää tehdä",
    several: "mitkä, mitä voin, mitä tarvitsen, millaisia",
    not: "ei, eivät, en, koskaan, ilman, paitsi, suljettu",
    compare: "enemmän kuin, vähemmän kuin, vähintään, enintään",
    number: "kaksi, kolme, neljä, viisi, kuusi, seitsemän, kahdeksan, yhdeksän, kymmenen, sata, tuhat, ilmainen",
  },
  hu: {
    amount: "mennyi, hány, mennyibe, meddig, milyen gyakran, +ára, +száma",
    time: "mikor, mióta, hány órakor, melyik évben, melyik nap",
    name: "ki, kinek, hol, honnan, hová",
    way: "hogyan lehet, hogy lehet, hogyan tudok, mit kell tennem",
    several: "melyek, milyen, mit kell, mit lehet",
    not: "nem, nincs, soha, nélkül, kivéve, zárva",
    compare: "több mint, kevesebb mint, legalább, legfeljebb",
    number: "két, kettő, három, négy, öt, hat, hét, nyolc, kilenc, tíz, húsz, száz, ezer, ingyenes",
  },
  pl: {
    amount:
      "ile, ilu, ile czasu, ile kosztuje, jak długo, jak daleko, jak często, jaki procent, +cena, +liczba, +koszt",
    time: "kiedy, od kiedy, do kiedy, o której godzinie, o której, w którym roku, w jakim roku, którego dnia",
    name: "kto, kogo, komu, przez kogo, gdzie, skąd, dokąd, w jakim mieście, w jakim kraju",
    way: "jak mogę, jak można, jak zrobić, jak mam, co mam zrobić, co należy zrobić",
    several: "jakie, jakich, które, wymień, co muszę, co mogę",
    not: "nie, nigdy, żaden, bez, oprócz, zamknięte, zamknięty",
    compare: "więcej niż, mniej niż, co najmniej, najwyżej",
    number: "dwa, dwie, trzy, cztery, pięć, sześć, siedem, osiem, dziewięć, dziesięć, sto, tysiąc, bezpłatnie",
  },
  el: {
    amount: "πόσο, πόση, πόσοι, πόσες, πόσα, πόσος, πόσο καιρό, +τιμή, +κόστος",
    time: "πότε, μέχρι πότε, τι ώρα, ποια μέρα, ποιο έτος, +ώρες",
    name: "ποιος, ποια, ποιον, πού, από πού",
    way: "πώς μπορώ, πως μπορώ, πώς να, τι πρέπει να κάνω",
    several: "ποιοι, ποιες, ποια είναι, τι πρέπει, τι μπορώ",
    not: "δεν, όχι, ποτέ, χωρίς, εκτός, κλειστό, κλειστά",
    compare: "περισσότερο από, λιγότερο από, τουλάχιστον, το πολύ",
    number: "δύο, τρεις, τρία, τέσσερα, πέντε, έξι, επτά, οκτώ, εννέα, δέκα, εκατό, χίλια, δωρεάν",
  },
  tr: {
    amount:
      "kaç, kaçtır, ne kadar, ne kadardır, kaç tane, ne kadar süre, ne sıklıkla, kaç yaşında, yüzde kaç, +fiyatı, +ücreti, +sayısı",
    time: "ne zaman, hangi yıl, hangi yılda, hangi tarihte, hangi gün, saat kaçta, kaç yılında, hangi yüzyılda",
    name: "kim, kimi, kimin, kime, nerede, nereye, nereden, nerededir, hangi şehirde, hangi ülkede",
    way: "nasıl yapılır, nasıl yapabilirim, nasıl yaparım, ne yapmalıyım, nasıl edebilirim",
    several: "hangileri, neler, nelerdir, hangileridir",
    not: "değil, yok, hiç, olmadan, hariç, kapalı, hayır",
    compare: "daha fazla, daha az, en az, en fazla",
    number: "iki, üç, dört, beş, altı, yedi, sekiz, dokuz, on, yirmi, yüz, bin, milyon, ücretsiz",
  },
  ar: {
    amount: "كم, كم عدد, كم من, بكم, كم يبلغ, كم مرة, ما عدد, ما نسبة, ما مدى, +سعر, +عدد, +تكلفة",
    time: "متى, منذ متى, حتى متى, في أي عام, في أي سنة, في أي يوم, في أي وقت, في أي قرن, +مواعيد",
    name: "من, لمن, مع من, أين, من أين, إلى أين, في أي مدينة, في أي بلد",
    way: "كيف يمكنني, كيف يمكن, كيف أستطيع, ماذا أفعل, خطوات",
    several: "ما أنواع, ما هي أنواع, اذكر, قائمة",
    not: "لا, لم, لن, ليس, ليست, بدون, إلا, مغلق, غير",
    compare: "أكثر من, أقل من, على الأقل, على الأكثر",
    number: "اثنين, اثنان, ثلاثة, ثلاث, أربعة, أربع, خمسة, خمس, ستة, سبعة, ثمانية, تسعة, عشرة, مائة, ألف, مليون, مجانا",
  },
  he: {
    amount: "כמה, כמה זמן, כמה עולה, בן כמה, +מחיר",
    time: "מתי, עד מתי, באיזו שעה, באיזו שנה, באיזה יום, +שעות",
    name: "מי, למי, איפה, היכן, מאיפה, לאן",
    way: "איך אפשר, איך אני, כיצד, מה עלי לעשות",
    several: "אילו, אלו, מה צריך, מה אפשר",
    not: "לא, אין, בלי, ללא, חוץ, סגור, סגורה",
    compare: "יותר מ, פחות מ, לפחות, לכל היותר",
    number: "שני, שתי, שלוש, שלושה, ארבע, ארבעה, חמש, חמישה, שש, שבע, שמונה, תשע, עשר, מאה, אלף, חינם",
  },
  fa: {
    amount: "چند, چقدر, چه مقدار, چند تا, چه مدت, +قیمت, +هزینه",
    time: "کی, چه زمانی, تا کی, چه ساعتی, در چه سالی, چه روزی, +ساعات",
    name: "چه کسی, کجا, از کجا, به کجا",
    way: "چگونه, چطور, چه کار باید",
    several: "کدام, چه چیزهایی, فهرست",
    not: "نه, نیست, ندارد, هرگز, بدون, بجز, بسته",
    compare: "بیشتر از, کمتر از, حداقل, حداکثر",
    number: "دو, سه, چهار, پنج, شش, هفت, هشت, نه, ده, بیست, صد, هزار, رایگان",
  },
  hi: {
    amount: "कितना, कितने, कितनी, कितने समय, कितनी देर, कितने प्रतिशत, कितनी बार, +कीमत, +संख्या",
    time: "कब, कब तक, कब से, कितने बजे, किस वर्ष, किस दिन, किस तारीख",
    name: "कौन, किसने, किसका, कहाँ, कहां, किस शहर, किस देश",
    way: "कैसे करें, कैसे करूं, मैं कैसे, हम कैसे, क्या करना चाहिए",
    several: "कौन से, कौन कौन, क्या क्या, सूची",
    not: "नहीं, मत, बिना, सिवाय, बंद, कभी नहीं",
    compare: "से अधिक, से कम, कम से कम, अधिक से अधिक",
    number: "दो, तीन, चार, पांच, पाँच, छह, सात, आठ, नौ, दस, सौ, हजार, लाख, मुफ्त",
  },
  id: {
    amount: "berapa, berapa banyak, berapa lama, berapa harga, seberapa, +harga, +jumlah",
    time: "kapan, sejak kapan, sampai kapan, jam berapa, tahun berapa, hari apa",
    name: "siapa, di mana, dari mana, ke mana",
    way: "bagaimana cara, bagaimana saya, apa yang harus saya lakukan",
    several: "apa saja, yang mana, sebutkan",
    not: "tidak, bukan, tanpa, kecuali, tutup, jangan",
    compare: "lebih dari, kurang dari, paling sedikit, paling banyak",
    number: "dua, tiga, empat, lima, enam, tujuh, delapan, sembilan, sepuluh, seratus, seribu, gratis",
  },
  vi: {
    amount: "bao nhiêu, bao lâu, bao xa, mấy, +giá, +số",
    time: "khi nào, bao giờ, mấy giờ, năm nào, ngày nào",
    name: "ai, ở đâu, từ đâu, đi đâu",
    way: "làm thế nào, làm sao, cách nào",
    several: "những gì, những nào, liệt kê",
    not: "không, chưa, chẳng, trừ, đóng cửa",
    compare: "nhiều hơn, ít hơn, ít nhất, nhiều nhất",
    number: "hai, ba, bốn, năm, sáu, bảy, tám, chín, mười, trăm, nghìn, miễn phí",
  },
  th: {
    amount: "เท่าไหร่, เท่าไร, กี่, นานแค่ไหน, ราคา",
    time: "เมื่อไหร่, เมื่อไร, กี่โมง, วันไหน, ปีไหน",
    name: "ใคร, ที่ไหน, จากไหน",
    way: "อย่างไร, ยังไง, ทำอย่างไร",
    several: "อะไรบ้าง, มีอะไร",
    not: "ไม่, ไม่มี, ยกเว้น, ปิด",
    compare: "มากกว่า, น้อยกว่า, อย่างน้อย, อย่างมาก",
    number: "สอง, สาม, สี่, ห้า, หก, เจ็ด, แปด, เก้า, สิบ, ร้อย, พัน, ฟรี",
  },
  zh: {
    amount: "多少, 几个, 几年, 几次, 几, 幾, 多久, 多长, 多長, 多大, 多高, 多远, 多重, 百分之几, 占多少",
    time: "什么时候, 什麼時候, 何时, 何時, 哪一年, 哪年, 几月, 几号, 哪一天, 哪天, 几点, 什么时间, 哪个世纪",
    name: "谁, 誰, 是谁, 哪位, 哪里, 哪裡, 在哪里, 在哪, 哪儿, 哪个城市, 哪个国家, 什么地方",
    way: "怎么办, 怎么做, 如何做, 我该怎么, 我怎么, 怎样才能, 步骤",
    several: "哪些, 有哪些, 列出, 分别是什么",
    not: "不, 没有, 沒有, 无, 除了, 关闭, 不能",
    compare: "超过, 以上, 以下, 少于, 多于, 至少, 最多",
    number: "两个, 两, 三, 四, 五, 六, 七, 八, 九, 十, 百, 千, 万, 免费",
  },
  ja: {
    amount: "いくつ, いくら, 何人, 何個, 何回, 何年間, 何日, どのくらい, どれくらい, 何歳, 何度, 何パーセント",
    time: "いつ, 何年, 何月, 何日に, 何時, いつから, いつまで, 何世紀",
    name: "誰, だれ, どなた, どこ, どちら, どの国, どこに, どこで",
    way: "どうすれば, どうやって, 方法は, やり方, 手順, どうしたら",
    several: "どのような種類, 一覧, 挙げて, 何がありますか",
    not: "ない, ません, なし, 以外, 休み, 休館, 定休",
    compare: "以上, 以下, 未満, 超える",
    number: "二つ, 三つ, 四つ, 五つ, 二, 三, 四, 五, 六, 七, 八, 九, 十, 百, 千, 万, 無料",
  },
  ko: {
    amount: "몇, 얼마, 얼마나, 몇 명, 몇 개, 몇 번, 얼마예요, 얼마인가요",
    time: "언제, 몇 년에, 몇 년도, 어느 해, 몇 월, 며칠, 몇 시, 언제까지",
    name: "누구, 누가, 어디, 어디에, 어디서, 어느 나라, 어느 도시",
    way: "어떻게 해야, 어떻게 하나요, 어떻게 합니까, 어떻게 하면",
    several: "어떤 것들, 목록, 무엇무엇, 종류는",
    not: "않, 없, 안, 못, 제외, 휴무, 아니",
    compare: "이상, 이하, 미만, 초과",
    number: "두, 세, 네, 다섯, 여섯, 일곱, 여덟, 아홉, 열, 백, 천, 만, 무료",
  },
}
