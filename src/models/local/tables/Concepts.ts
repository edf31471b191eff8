import type { Kind } from "./Values.ts"

/*
 * Words that ask for a column under another name: "how much" for a price, "when" for a date. The lists hold the
 * beginnings of words, without accents and case, in English, German, French, Spanish, Italian, Portuguese and Dutch.
 */

/** A meaning that a question and the name of a column can share. */
export interface Concept {
  /** Beginnings of the words by which questions and columns name it. */
  readonly words: ReadonlyArray<string>
  /** Beginnings of words by which only questions ask for it. */
  readonly questions: ReadonlyArray<string>
  /** The kinds of values that a column of this meaning can hold, if its name does not say it. */
  readonly kinds: ReadonlyArray<Kind>
}

const list = (words: string): ReadonlyArray<string> => words.split(" ")
const concept = (words: string, questions = "", kinds: ReadonlyArray<Kind> = []): Concept => ({
  words: list(words),
  questions: questions === "" ? [] : list(questions),
  kinds,
})

export const money = concept(
  "price cost fee charge tariff rate amount kosten kostet preis gebuhr entgelt betrag prix cout coute tarif frais montant precio cuesta cuestan coste costo tarifa importe prezzo costa costano preco custa prijs kost цена стоимость 料金 価格 値段 价格 價格 가격",
  "pay paid spend spent cheaper dearer billiger teurer expensive cheap pricey zahl bezahl teuer gunstig billig payer cher coutent vale valen pagar caro barat pago いくら 多少 сколько 얼마",
  ["money"],
)
const time = concept(
  "hours time opening opens zeit offnungszeit uhrzeit uhr stunden horaire heure horario hora orario orari hours",
  "open close closes closing shut geoffnet offnet schliess offen auf ouvre ouvert ferme abre abiert cierra apre aperto chiude",
  ["time"],
)
const date = concept(
  "date day deadline due datum tag termin frist jour fecha dia data giorno year jahr annee ano anno released release founded established gegrundet",
  "when wann quand cuando quando wanneer",
  ["date", "day", "time"],
)
const person = concept(
  "person contact operator betreiber responsible employee staff instructor teacher trainer coach candidate profesor mitarbeiter lehrer trainerin kursleitung manager owner lead head name author ansprechpartner kontakt verantwortlich zustandig leiter leitung inhaber responsable auteur nom nombre contacto responsabile nome autor president director",
  "who whom wer wen wem qui quien chi quem teaches runs gives unterrichtet leitet",
  ["person"],
)
const place = concept(
  "location place city address room office building floor country site ort stadt adresse raum zimmer gebaude standort land lieu ville adresse salle bureau lugar ciudad direccion sala luogo citta indirizzo local cidade",
  "where wo wohin ou donde dove onde waar",
)
const duration = concept(
  "duration period term dauer zeit frist laufzeit fahrzeit fahrtzeit gultigkeit validity duree delai duracion plazo durata",
  "long take takes last lasts valid lang lange dauert gilt gultig longtemps dure",
  ["duration"],
)
const height = concept(
  "height elevation hohe altitude hauteur altura altezza",
  "tall taller higher hoch hoher alto haut alta",
  ["length"],
)
const length = concept(
  "length lange longueur longitud largo lunghezza distance entfernung",
  "long longer lang langer far weit",
  ["length"],
)
const weight = concept(
  "weight mass gewicht masse poids peso",
  "heavy heavier lighter heaviest schwer schwerer leichter weigh wiegt lourd pesa",
  ["weight"],
)
const size = concept(
  "size area surface capacity seats grosse flache kapazitat platze sitzplatze taille superficie places tamano capacidad grandezza",
  "big bigger large larger smaller gross grosser kleiner grand grande",
)
const age = concept("age alter edad eta founded year born gegrundet", "old older newer alt alter neuer")
const speed = concept(
  "speed velocity geschwindigkeit vitesse velocidad velocita",
  "fast faster slower schnell schneller rapide rapido",
)
const depth = concept("depth tiefe profondeur profundidad profondita", "deep tief profond profundo", ["length"])
const temperature = concept("temperature temperatur temperatura", "hot warm cold heiss kalt chaud froid", [
  "temperature",
])
const people = concept(
  "population inhabitants users members seats persons people capacity einwohner bevolkerung nutzer benutzer mitglieder personen teilnehmer habitants utilisateurs poblacion habitantes usuarios popolazione",
  "live leben leute gens gente",
)
const mail = concept("email mail mailadresse courriel correo", "", ["email"])
const phone = concept(
  "phone telephone tel telefon telefonnummer fon mobile handy telefono telefone",
  "call reach anrufen erreich",
)
export const count = concept("number count quantity anzahl menge stuck nombre quantite numero cantidad quantita")
const stock = concept("stock inventory available lager bestand vorrat disponible", "left remaining vorratig ubrig")
const online = concept("online internet web website")
const often = concept("frequency interval takt takte frequence frecuencia", "often oft")
const share = concept("share percentage percent anteil prozent part porcentaje quota", "", ["percent"])
const total = concept("total sum gesamt summe insgesamt somme suma totale", "altogether overall")

/** All meanings, for questions and columns alike. */
export const concepts: ReadonlyArray<Concept> = [
  money,
  time,
  date,
  person,
  place,
  duration,
  height,
  length,
  weight,
  size,
  age,
  speed,
  depth,
  temperature,
  people,
  mail,
  phone,
  count,
  stock,
  online,
  often,
  share,
  total,
]

/** The labels of rows that sum up the others. */
export const totals = total.words

/** A word that asks for the row with the largest or the smallest value. */
export interface Extreme {
  /** 1 for the largest value, -1 for the smallest. */
  readonly direction: 1 | -1
  /** The meaning of the column that decides; undefined when another word names it. */
  readonly concept: Concept | undefined
}

const extremes: ReadonlyArray<readonly [string, 1 | -1, Concept | undefined]> = [
  ["cheapest billigst gunstigst preiswertest", -1, money],
  ["dearest priciest teuerst", 1, money],
  ["highest tallest hochst", 1, undefined],
  ["most maximum max meist maximal", 1, undefined],
  ["largest biggest greatest grosst", 1, size],
  ["longest langst", 1, undefined],
  ["heaviest schwerst", 1, weight],
  ["lightest leichtest", -1, weight],
  ["fastest schnellst", 1, speed],
  ["slowest langsamst", -1, speed],
  ["deepest tiefst", 1, undefined],
  ["hottest warmest heissest warmst", 1, temperature],
  ["coldest kaltest", -1, temperature],
  ["lowest niedrigst geringst", -1, undefined],
  ["least fewest minimum min wenigst minimal", -1, undefined],
  ["smallest kleinst", -1, size],
  ["shortest kurzest", -1, undefined],
  ["latest newest youngest neuest neust jungst spatest", 1, date],
  ["earliest oldest altest fruhest", -1, date],
]

/** Adjectives that ask for an extreme after "plus", "moins", "más", "menos", "più", "meno", "mais" or "most". */
const adjectives: ReadonlyArray<readonly [string, 1 | -1, Concept | undefined]> = [
  ["cher chere chers cheres caro cara caros caras expensive costoso costosa", 1, money],
  ["barato barata economico economica economique bon", -1, money],
  ["grand grande grands grandes gros grosse", 1, size],
  ["petit petite pequeno pequena piccolo piccola", -1, size],
  [
    "haut haute elevee eleve alto alta altos elevado elevada long longue largo larga lungo lunga comprido",
    1,
    undefined,
  ],
  ["bas basse bajo baja basso bassa baixo court courte corto corta curto", -1, undefined],
  ["recent recente recents reciente recientes nouveau nueva nuevo nuovo novo", 1, date],
  ["ancien ancienne antiguo antigua antico antica antigo vieux viejo vecchio", -1, date],
  ["rapide rapido rapida veloce", 1, speed],
  ["lent lente lento lenta", -1, speed],
  ["lourd lourde pesado pesada pesante", 1, weight],
]
const MORE = new Set(["plus", "mas", "piu", "mais", "most"])
const LESS = new Set(["moins", "menos", "meno", "least"])

const lookup = (table: typeof extremes): ReadonlyMap<string, Extreme> =>
  new Map(
    table.flatMap(([words, direction, of]) => list(words).map((word) => [word, { direction, concept: of }] as const)),
  )
const extremeOf = lookup(extremes)
const adjectiveOf = lookup(adjectives)

/** The extreme that a question asks for, with the places of the words that say so; undefined when it asks for none. */
export const extremeIn = (
  words: ReadonlyArray<string>,
): (Extreme & { readonly places: ReadonlyArray<number> }) | undefined => {
  for (const [place, word] of words.entries()) {
    const adjective = adjectiveOf.get(words[place + 1] ?? "")
    if (MORE.has(word) && adjective !== undefined) return { ...adjective, places: [place, place + 1] }
    if (LESS.has(word) && adjective !== undefined)
      return { direction: adjective.direction === 1 ? -1 : 1, concept: adjective.concept, places: [place, place + 1] }
    const extreme = extremeOf.get(word) ?? inflected(word)
    if (extreme !== undefined) return { ...extreme, places: [place] }
  }
  return undefined
}

/** German superlatives are inflected: `günstigste`, `günstigster`, `am günstigsten`. */
const inflected = (word: string): Extreme | undefined => extremeOf.get(/^(.+st)e[nrsm]?$/.exec(word)?.[1] ?? "")
