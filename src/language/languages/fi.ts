import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "finnish",
  spelling:
    /ää|yy|[äö].*[äöy]|uo|(?:ssa|ssä|sta|stä|lla|llä|lle|ksi|inen|iset|ien|aan|een|tta|ttä|vat|vät|nut)$|[aeiouy]{2}k|kk|hd/,
  functionWords: {
    joins: "ja, tai, mutta, myös, entä, entäpä, miten on, mites, entä jos",
    questions:
      "mikä, mitä, mitkä, kuka, kenen, ketä, ketkä, milloin, koska, missä, mistä, mihin, minne, miksi, miten, kuinka, kuinka paljon, kuinka monta, kuinka kauan, paljonko, montako, kumpi, millainen, millä, onko",
    attributes:
      "hinta, hinnat, kustannukset, maksu, osoite, puhelin, puhelinnumero, numero, sähköposti, sähköpostiosoite, verkkosivu, aukioloajat, paikka, sijainti, päivämäärä, aika, kesto, määräaika, raja, koko, paino, korkeus, ikä, nimi, syy, väri",
    pronouns:
      "se, sen, sitä, siitä, siihen, siinä, sillä, ne, niitä, niiden, niistä, hän, hänen, häntä, he, heidän, heitä, tämä, tämän, tätä, nämä, tuo, tuon, siellä, sieltä, silloin, niille",
    verbs:
      "on, ovat, oli, olivat, ole, olla, voi, voivat, voinko, voiko, täytyy, pitää, saa, saako, maksaa, tekee, selitä, kerro",
    others:
      "ilman, kanssa, ennen, jälkeen, varten, alla, päällä, aikana, välillä, kautta, mukaan, ei, en, et, eivät, minä, sinä, me, te, minun, sinun, että, kun, kuin, niin, jos, vain, vielä, jo, hyvin, enemmän, kiitos, kaikki, myös, sekä",
  },
  smallTalk: {
    greeting:
      "hei, hei hei, moi, moikka, terve, moro, hyvää päivää, päivää, hyvää huomenta, huomenta, hyvää iltaa, iltaa",
    thanks:
      "kiitos, kiitos paljon, paljon kiitoksia, suuri kiitos, suuret kiitokset, kiitoksia, kiitti, kiitän, tuhannet kiitokset, kiitos avusta, kiitos vastauksesta, kiitos tiedosta",
    goodbye:
      "näkemiin, nähdään, hei hei, moi moi, moikka, heippa, hyvästi, kuulemiin, hyvää yötä, öitä, hyvää päivänjatkoa, hyvää illanjatkoa",
    about:
      "kuka olet, kuka sinä olet, mikä olet, mikä sinä olet, oletko ihminen, oletko sinä ihminen, oletko robotti, oletko sinä robotti, oletko botti, kenen kanssa puhun, mikä on nimesi, mikä sinun nimesi on",
    documents:
      "mitä osaat, mitä sinä osaat, mitä osaat tehdä, mitä voit tehdä, mitä tiedät, mistä tiedät, apua, auta minua, voitko auttaa, voitko auttaa minua, mitä voin kysyä, mitä asiakirjoja sinulla on",
    courtesy: "ole hyvä, kaikille, paljon, oikein, tosi, avusta, vastauksesta, tiedosta, ok, hyvä, hienoa, selvä",
    refusal: "ei, en, en halua, en halua kertoa, mieluummin en, en mieluummin, ei nyt, myöhemmin, ohita, ei ole",
  },
  human:
    "puhua ihmiselle, puhua ihmisen kanssa, jutella ihmisen kanssa, puhua jonkun kanssa, puhua asiakaspalvelijan kanssa, puhua työntekijän kanssa, ihminen, asiakaspalvelija",
  asking: {
    asks: "kuinka usein, mihin asti, mihin aikaan, minä vuonna, minä päivänä, miten voin, kuinka voin, miten teen, mitä minun pitää tehdä, mitä voin, mitä tarvitsen, millaisia, vähemmän kuin, vähintään, enintään",
    not: "ei, eivät, en, koskaan, ilman, paitsi, suljettu",
  },
  replies: {
    hello: "Hei!",
    ask: "Kysy minulta jotain, niin etsin vastauksen asiakirjoista.",
    welcome: "Ole hyvä!",
    goodbye: "Näkemiin!",
    about: "Olen {}, chatbot. Olen ohjelma, en ihminen, ja vastaan kysymyksiin tuntemieni asiakirjojen lauseilla.",
    documents: "Tunnen nämä asiakirjat:",
    more: "… ja {} muuta",
    noDocuments: "Minulla ei ole vielä luettavia asiakirjoja, joten en voi vastata kysymyksiin.",
    nothingFound: "En löytänyt asiakirjoista mitään siitä.",
    closest: "Nämä kohdat vastaavat kysymystä parhaiten:",
    searchFailed: "En voinut juuri nyt hakea asiakirjoista. Yritä hetken kuluttua uudelleen.",
    filesUnseen: "En osaa lukea kuvia enkä tiedostoja. Kirjoita kysymyksesi.",
    didYouMean: "Tarkoititko: {}?",
    human: "Joku tiimistämme vastaa sinulle täällä.",
  },
  emailRequest: "Mikä on sähköpostiosoitteesi? Vastaan sen jälkeen.",
  noChat: "Tämä keskustelu ei ole käytettävissä.",
  notNow: "Tämä sivu ei ole juuri nyt käytettävissä. Yritä myöhemmin uudelleen.",
}
