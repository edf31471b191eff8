import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "romanian",
  spelling: /[țșăţ]|î|â|(?:ului|ilor|elor|area|ția|ii|ul|ele|ească|esc|lui)$/,
  functionWords: {
    joins: "și, şi, sau, dar, de asemenea, ce zici de, dar despre, iar, dar",
    questions: "ce, cine, cui, când, unde, de ce, cum, care, cât, câtă, câți, câte, cât timp, cât de, de când",
    attributes:
      "preț, prețul, prețuri, cost, costul, taxa, taxă, tarif, tariful, adresa, adresă, telefon, telefonul, număr, numărul, e mail, email, site, program, programul, loc, locul, dată, data, ora, oră, durata, durată, termen, termenul, limita, mărime, greutate, înălțime, vârstă, nume, numele, motiv, motivul, culoare",
    pronouns:
      "el, ea, ei, ele, lui, lor, său, sa, săi, sale, acesta, aceasta, aceștia, acestea, acela, aceea, asta, ăsta, acolo, atunci, îl, îi, le",
    verbs: "este, e, sunt, era, erau, fost, fi, are, au, poate, pot, trebuie, există, costă, face, explică, spune",
    others:
      "în, la, de, din, pe, cu, pentru, prin, fără, despre, între, după, înainte de, până la, până, sub, peste, către, un, o, al, ai, ale, a, eu, tu, noi, voi, mă, îmi, meu, mea, nu, mai, că, să, se, dacă, foarte, vă rog, te rog, toate, toți",
  },
  smallTalk: {
    greeting:
      "salut, salutare, bună, buna ziua, bună dimineața, neața, bună seara, alo, hei, servus, noroc, ce mai faci",
    thanks:
      "mulțumesc, mulțumesc mult, mulțumesc foarte mult, mulțumesc frumos, îți mulțumesc, vă mulțumesc, mersi, mersi mult, mii de mulțumiri, ms, m-a ajutat, foarte util",
    goodbye:
      "la revedere, pa, pa pa, papa, pe curând, ne vedem, pe mâine, cu bine, adio, noapte bună, weekend plăcut, asta e tot",
    about:
      "cine ești, cine sunteți, ce ești, tu cine ești, ești om, ești o persoană, ești robot, ești un robot, ești un bot, cu cine vorbesc, cum te cheamă, cum te numești",
    documents:
      "ce poți face, ce puteți face, ce știi, ce știți, ce știi să faci, ajutor, ajută mă, mă poți ajuta, mă puteți ajuta, ce pot întreba, ce documente ai, ce documente aveți",
    courtesy:
      "vă rog, te rog, tuturor, mult, frumos, pentru ajutor, pentru răspuns, pentru informații, ok, bine, perfect, super",
    refusal: "nu, nu acum, mai târziu, prefer să nu, prefer să nu spun, nu vreau, sari peste, omite, nu am",
  },
  human:
    "vorbesc cu un om, vorbi cu un om, vorbesc cu o persoană, vorbi cu o persoană, vorbesc cu cineva, vorbi cu cineva, vorbesc cu un operator, vorbi cu un operator, operator uman, om, operator",
  asking: {
    asks: "cât de des, în ce an, în ce zi, încotro, cum fac, ce trebuie să fac, ce fel de, mai mult de, mai puțin de, cel puțin, cel mult",
    not: "nu, niciodată, niciun, nicio, fără, cu excepția, închis",
  },
  replies: {
    hello: "Bună ziua!",
    ask: "Puneți-mi o întrebare și voi căuta răspunsul în documente.",
    welcome: "Cu plăcere!",
    goodbye: "La revedere!",
    about:
      "Sunt {}, un chatbot. Sunt un program, nu o persoană, și răspund la întrebări cu propoziții din documentele pe care le cunosc.",
    documents: "Cunosc aceste documente:",
    more: "… și încă {}",
    noDocuments: "Nu am încă documente lizibile, așa că nu pot răspunde la întrebări.",
    nothingFound: "Nu am găsit nimic despre asta în documente.",
    closest: "Aceste pasaje se apropie cel mai mult:",
    searchFailed: "Nu am putut căuta în documente acum. Vă rog să încercați din nou peste câteva momente.",
    filesUnseen: "Nu pot citi imagini sau fișiere. Vă rog să scrieți întrebarea.",
    didYouMean: "Ați vrut să spuneți {}?",
    human: "O persoană din echipa noastră vă va răspunde aici.",
  },
  emailRequest: "Înainte de a răspunde, care este adresa dvs. de e-mail?",
  noChat: "Acest chat nu este disponibil.",
  notNow: "Această pagină nu este disponibilă momentan. Încercați din nou mai târziu.",
}
