import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "hungarian",
  spelling:
    /[őű]|(?:nak|nek|ban|ben|ból|ből|val|vel|hoz|hez|ság|ség|tás|tés|ása|ése|ott|ett|ják|unk|nál|nél|ról|ről|hatom|hetem|hat|het|ása|ése)$|sz|gy|ly|zs|cs/,
  functionWords: {
    joins: "és, vagy, de, is, meg, mi a helyzet, és mi a helyzet, mi van, és mi van, és ha",
    questions:
      "mi, mit, mik, ki, kit, kik, kinek, mikor, hol, hová, honnan, miért, hogyan, hogy, milyen, melyik, melyek, mennyi, mennyibe, hány, meddig, mennyi ideig, mióta, milyen gyakran",
    attributes:
      "ár, ára, árak, költség, díj, cím, címe, telefon, telefonszám, telefonszáma, szám, e mail, e mail cím, weboldal, nyitvatartás, nyitva tartás, hely, dátum, időpont, időtartam, határidő, határ, méret, súly, magasság, kor, név, neve, ok, szín",
    pronouns:
      "ő, őt, ők, neki, nekik, az, azt, annak, abban, arról, azok, azokat, ez, ezt, ennek, ebben, erről, ezek, ott, oda, akkor",
    verbs: "van, vannak, volt, voltak, lesz, lehet, tud, tudok, kell, szabad, kerül, tart, működik, magyarázd, mondd",
    others:
      "nélkül, után, előtt, alatt, között, számára, esetén, szerint, miatt, felett, mellett, óta, a, az, egy, én, te, mi, ti, nem, ne, csak, még, már, nagyon, több, kérem, minden, ha, van e, e, vagy, mint",
  },
  smallTalk: {
    greeting:
      "szia, sziasztok, szervusz, szevasz, helló, hali, üdv, üdvözlöm, üdvözöllek, jó napot, jó napot kívánok, jó reggelt",
    thanks:
      "köszönöm, köszönöm szépen, nagyon köszönöm, köszi, köszi szépen, kösz, köszcsi, hálásan köszönöm, ezer köszönet, köszönet, köszönjük, köszönöm a segítséget",
    goodbye:
      "viszlát, viszontlátásra, a viszontlátásra, viszhall, szia szia, helló szia, pá, pápá, minden jót, további szép napot, szép napot, szép estét",
    about:
      "ki vagy, ki vagy te, te ki vagy, mi vagy, ember vagy, te ember vagy, ön ember, robot vagy, te robot vagy, kivel beszélek, hogy hívnak, mi a neved",
    documents:
      "mit tudsz, mit tudsz csinálni, mire vagy képes, mit tud, miről tudsz, segítség, segíts, tudsz segíteni, miben tudsz segíteni, mit kérdezhetek, milyen dokumentumaid vannak, milyen dokumentumokat ismersz",
    courtesy:
      "kérem, kérlek, mindenkinek, szépen, nagyon, a segítséget, a választ, az információt, ok, rendben, szuper, tökéletes",
    refusal: "nem, inkább nem, most nem, később, nem akarom, nem szeretném, nem adom meg, kihagyom, nincs",
  },
  human:
    "emberrel beszélni, beszélni egy emberrel, beszélni egy ügyintézővel, ügyintézővel beszélni, beszélhetek valakivel, beszélni valakivel, élő ügyintéző, ember, ügyintéző",
  asking: {
    asks: "száma, hány órakor, melyik évben, melyik nap, mit kell tennem, kevesebb mint, legalább, legfeljebb",
    not: "nem, nincs, soha, nélkül, kivéve, zárva",
  },
  replies: {
    hello: "Üdvözlöm!",
    ask: "Tegyen fel egy kérdést, és megkeresem a választ a dokumentumokban.",
    welcome: "Szívesen!",
    goodbye: "Viszontlátásra!",
    about:
      "{} vagyok, egy chatbot. Program vagyok, nem ember, és a kérdésekre az általam ismert dokumentumok mondataival válaszolok.",
    documents: "Ezeket a dokumentumokat ismerem:",
    more: "… és még {}",
    noDocuments: "Még nincsenek olvasható dokumentumaim, ezért nem tudok kérdésekre válaszolni.",
    nothingFound: "Erről semmit sem találtam a dokumentumokban.",
    closest: "Ezek a részek állnak a legközelebb a kérdéshez:",
    searchFailed: "Most nem tudtam keresni a dokumentumokban. Kérem, próbálja újra egy kicsit később.",
    filesUnseen: "Képeket és fájlokat nem tudok olvasni. Kérem, írja le a kérdését.",
    didYouMean: "Erre gondolt: {}?",
    human: "Csapatunk egyik tagja itt válaszol Önnek.",
  },
  emailRequest: "Mielőtt válaszolok, mi az e-mail-címe?",
  noChat: "Ez a csevegés nem érhető el.",
  notNow: "Ez az oldal jelenleg nem érhető el. Kérjük, próbálja újra később.",
}
