import type { Language } from "./Language.ts"

/** Traits of a language by which its texts are recognized. */
export interface Neighbour {
  readonly stemmer: Language
  /** Function words, with single spaces between them. */
  readonly words: string
  readonly spelling: RegExp
}

/**
 * Languages that chatbots do not speak by themselves. Those with a stemmer are recognized for its sake, and the others,
 * as `simple`, because their texts would otherwise be taken for those of a neighbour.
 */
export const NEIGHBOURS: ReadonlyArray<Neighbour> = [
  {
    stemmer: "catalan",
    words:
      "el la els les i en un una del de que és per amb no es al com més però dels són aquest aquesta què seva també qui on quan quant quanta quants quines quina quins va ser han ha han dels a o pot puc els seu seus amb fins sobre entre cada han he",
    spelling:
      /l·l|ny|(?:ció|cions|tat|itat|ment|atge|atges|ència|ància|aig|eig|uig|uix|eix)$|^(?:d|l|s|n|m)['’]|tx|tj|tz|[àò]/,
  },
  {
    stemmer: "lithuanian",
    words:
      "ir yra kad su iš į tai kaip bet buvo ar jo apie ne už per nuo dėl taip pat kuris kuri arba kas kada kur kodėl kiek kokia koks ji jie jų gali turi prie po kai tik dar aš galiu galima man mano mūsų",
    spelling: /[ėįų]|ū|(?:as|is|us|ės|os|ai|iai|ų|tų|ams|oje|uose|imas|umas|ybė|avo|yti|oti)$/,
  },
  {
    stemmer: "irish",
    words:
      "an na agus ar is a go le sé sí bhí do i ag tá mar nach faoi leis chun seo sin cé cá cad cathain conas acu ba gach ó mhéad bhfuil nó den don",
    spelling: /bh|mh|dh|fh|gc|bhf|ndí|(?:acht|ann|íonn|eann|áil|aigh|igh)$/,
  },
  {
    stemmer: "basque",
    words:
      "eta da ez bat du dira zen baina ere hau zuen dute izan hori egin den oso zer nola beste nor non noiz zergatik zenbat nork dituzte dituzten zein gero guztiak ditu",
    spelling: /tx|tz|(?:ak|ek|aren|tik|ko|rako|tzen|tzea|dun|tasun|tasuna|goa|etan)$|k[ou]a$/,
  },
  {
    stemmer: "serbian",
    words:
      "i je u na se da za su od kao ali sa nije što koji koja koje ili bi ovo kako samo bilo biti šta ko tko gde gdje kada koliko zašto li ima prema jedni može o po iz do sve svako svatko ona oni nisu bio bila iz ove te a kojem kojoj nisam sam smo ste mogu možete li",
    spelling: /đ|(?:ije|anje|anja|enje|enja|ost|osti|stvo|stva|nost|ima|ama|ovi|iti|ati|aju|ju)$|lj|nj|č|ć|ž|š/,
  },
  // Estonian and Latvian.
  {
    stemmer: "simple",
    words:
      "ja on ei et see ta oma ning kui ka mis kes kus millal kuidas kui miks nende neile un ir ar par no uz kas kur kad cik kā viņš tas bija pie līdz vai",
    spelling: /õ|üü|öö|[āēīģķļņ]|(?:sse|dele|misel|mine|mise|takse|iem|ām|šana|šanas|ība|ību)$/,
  },
  {
    stemmer: "serbian",
    words:
      "и је у на се да за су од као али са није нисам сам смо сте могу што који која које или би ово како само било бити шта ко где када колико зашто ли има према једни може о по из до све свако она они нису био била те а",
    spelling: /[јљњћђџ]/,
  },
  // Bulgarian.
  {
    stemmer: "simple",
    words:
      "и в не на че с по като това от за той но го или а се у при е да са който която които как кой къде кога колко защо какво какви до те си ли те им може всеки била бил",
    spelling: /(?:ът|ят|ата|ята|ите|ото)$|ъ[^еёюя]/,
  },
  {
    stemmer: "nepali",
    words: "छ र को मा ले हो यो पनि भएको एक छन् गर्ने लागि बाट गरेको तथा थियो हुन् गर्न भने कति कहिले कहाँ किन कसरी कुन",
    spelling: /(?:को|मा|हरू|हरूमा|हरूले|लाई|बाट|छ|ले)$/,
  },
  // Slovak.
  {
    stemmer: "simple",
    words:
      "a sa na že so do z je ako pre pri po alebo nie od čo kto kedy kde koľko má byť ktorý ktoré ktorá aj sú vo som sme môžem jeho sa by za",
    spelling: /[ľŕĺťď]|ň|ô|ý$|(?:ného|ných|ním|ách|osť|stvo|ovať|ová|ové|ské|cký|iť|ať|ia|ie)$|č|š|ž/,
  },
]
