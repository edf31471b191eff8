import type { Locale } from "./Locale.ts"

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
  emailRequest: "Než odpovím: jaká je vaše e-mailová adresa?",
  noChat: "Tento chat není k dispozici.",
  notNow: "Tato stránka je momentálně nedostupná. Zkuste to prosím později.",
}
