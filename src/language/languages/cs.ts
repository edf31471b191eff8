import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "simple",
  spelling: /[řěů]|[ľŕĺťď]|ý$|ň|ô|(?:ní|ého|ých|ým|ách|ost|osti|ství|stva|ovat|ový|ová|ové|ské|cký|cí|iť|ať)$|č|š|ž/,
  functionWords: {
    joins: "a, i, nebo, ale, také, a co, co třeba, a jak je to s, a když",
    questions:
      "co, kdo, koho, komu, kdy, kde, kam, odkud, proč, jak, jaký, jaká, jaké, který, která, které, kolik, jak dlouho, jak často, zda, odkdy",
    attributes:
      "cena, ceny, náklady, poplatek, poplatky, adresa, telefon, číslo, telefonní číslo, e mail, email, web, otevírací doba, místo, datum, čas, doba trvání, lhůta, termín, limit, velikost, hmotnost, váha, výška, věk, jméno, název, důvod, barva",
    pronouns:
      "on, ona, ono, oni, ony, jeho, její, jejich, jemu, jim, ho, ji, to, ten, ta, ty, toho, tomu, tím, těch, tento, tato, toto, tyto, tam, pak",
    verbs: "je, jsou, byl, byla, bylo, byly, být, má, mají, může, mohou, mohu, můžu, lze, musí, stojí, vysvětli, řekni",
    others:
      "v, ve, na, z, ze, do, od, pro, při, po, za, o, u, bez, pod, nad, před, mezi, během, podle, k, ke, s, se, že, ne, já, ty, vy, my, mně, mi, můj, moje, váš, už, jen, velmi, prosím, více, všechny, pokud, by, si",
  },
  smallTalk: {
    greeting:
      "ahoj, ahojky, čau, čauky, nazdar, zdravím, dobrý den, dobré ráno, dobré odpoledne, dobrý večer, dobrej, hezký den přeji",
    thanks:
      "děkuji, děkuju, díky, dík, díky moc, moc díky, děkuji moc, moc děkuji, mockrát děkuji, děkuji mnohokrát, mnohokrát děkuji, děkuji vám",
    goodbye:
      "na shledanou, nashledanou, sbohem, měj se, mějte se, měj se hezky, mějte se hezky, zatím, tak zatím, uvidíme se, pa, papa",
    about:
      "kdo jsi, kdo jste, ty jsi kdo, co jsi, jsi člověk, jste člověk, jsi robot, jste robot, jsi bot, s kým mluvím, jak se jmenuješ, jak se jmenujete",
    documents:
      "co umíš, co umíte, co dokážeš, co můžeš udělat, co víš, co víte, pomoc, pomoz mi, můžeš mi pomoct, můžete mi pomoci, na co se můžu zeptat, jaké máš dokumenty",
    courtesy: "prosím, vám, všem, všichni, za pomoc, za odpověď, za informaci, ok, dobře, super, skvělé, rozumím",
    refusal:
      "ne, teď ne, později, možná později, raději ne, radši ne, nechci, nechci to říct, přeskočit, přeskoč, nemám",
  },
  human:
    "mluvit s člověkem, promluvit si s člověkem, mluvit s někým, mluvit s operátorem, spojit s člověkem, spojit s operátorem, živého člověka, živého operátora, člověk, operátor",
  asking: {
    asks: "jak daleko, jak vysoký, počet, v kterém roce, který den, jak mám, co mám dělat, co potřebuji, více než, méně než, alespoň, nejvýše",
    not: "ne, není, nejsou, nikdy, žádný, bez, kromě, zavřeno, nelze",
    silent: "já, my, prosím, je, jsou, váš, vaše, jaký je, jaká je, jaké jsou",
    how: "jak, jak mohu, jak můžu, jak můžeme",
  },
  replies: {
    hello: "Dobrý den!",
    ask: "Položte mi otázku a já vyhledám odpověď v dokumentech.",
    welcome: "Není zač!",
    goodbye: "Na shledanou!",
    about: "Jsem {}, chatbot. Jsem program, ne člověk, a na otázky odpovídám větami z dokumentů, které znám.",
    documents: "Znám tyto dokumenty:",
    more: "… a další: {}",
    noDocuments: "Zatím nemám žádné čitelné dokumenty, takže nemohu odpovídat na otázky.",
    nothingFound: "V dokumentech se o tom nic nenašlo.",
    closest: "Nejblíže jsou tyto pasáže:",
    searchFailed: "V dokumentech se teď nepodařilo vyhledávat. Zkuste to prosím za chvíli znovu.",
    filesUnseen: "Obrázky ani soubory číst neumím. Napište prosím svou otázku.",
    didYouMean: "Měli jste na mysli {}?",
    human: "Někdo z našeho týmu vám tady odpoví.",
  },
  emailRequest: "Než odpovím: jaká je vaše e-mailová adresa?",
  noChat: "Tento chat není k dispozici.",
  notNow: "Tato stránka je momentálně nedostupná. Zkuste to prosím později.",
}
