/*
 * What words mean in the questions that visitors ask: which words a question can do without, and which words stand for
 * one another. The lists hold beginnings of words, without accents and case.
 */

/** The most letters that follow a beginning of a word. */
const ENDING_MAX = 3
/** A beginning of fewer letters is a whole word, or one with the `s` of a plural. */
const BEGINNING_MIN = 4

/** Words that only say that something is wanted, had, offered or allowed, which answers say in a hundred ways. */
const IMPLIED =
  "differ differen distingui compar versus unterschied unterscheid vergleich diferenc differenz confront verschil vergelij разниц отлич сравн bring take have want offer provid sell allow permit possibl able okay ok includ contain support accept need requir must available get find know work like wish let give stuff thing mitbring habt haben mochte wollen bietet anbiet verkauf erlaubt gestattet moglich enthalten inbegriff inklusiv dabei drin notig brauch gebt bekomm konnt durf darf mitnehm machen gibt apport emport prendre avoir avez voulez voudr veux peux peut pouv permis autoris compris inclus propos vend possibl dispos besoin faut faire quiero quier tener tien teneis hago hacer llev traer puedo pued permit incluid incluy ofrec vend necesit posibl quero levar trazer poss permit incluid oferec precis vorrei portar avere posso permess compres inclus offr serv willen hebben hebt meenem mogen toegestaan inbegrep нужно можно есть хочу взят брать могу может нужен нужны собой chce mozna wolno miec zabrac ha har far maste kan"

/** Words that stand for one another. */
const MEANINGS = [
  "dog cat pet animal hund haustier tier katze chien chat animau animal perro mascota gato cao caes cane cani gatto huisdier hond собак животн pies",
  "wifi wlan internet wireless fi",
  "pay payment paid cash card visa mastercard paypal cheque zahl bezahl barzahl bargeld kart payer paiement payez especes carte pagar pago paga tarjeta efectivo pagare pagamento carta contanti betal betaal kaart оплат картой",
  "ship shipping deliver delivery parcel send sent liefer versand verschick versend livr livraison expedi envoi envi entreg enviar spedi conseg lever verzend bezorg достав",
  "cancel quit terminat resign notice leave unsubscrib kundig austritt austret abbestell resili annul desist cancela disd baja opzeg отмен",
  "close delet remov erase losch entfern schliess supprim efface ferme elimin borrar suppress cancell verwijder удал",
  "join member membership register registration enrol sign mitglied beitret beitritt anmeld meld aufnahme inscri adher apunt socio iscri lid",
  "parking park parkplatz parken stationn aparca aparcamiento estaciona parchegg парков",
  "price cost fee charge preis kosten kostet gebuhr prix cout tarif precio cuesta coste preco custo prezzo costo prijs kost цена стоит cheap cheapest expens billig gunstig teuer cher barat caro economic goedkop goedkoop duur дешев дорог",
  "child children kid toddler son daughter kind kinder sohn tochter enfant nino nina hijo crianca filho bambin figli ребен дети сын",
  "breakfast fruhstuck desayuno colazione ontbijt",
  "shower bath dusche bad douche ducha doccia",
  "fix correct repair change edit mend korrigier berichtig corrig repar",
  "return refund back ruckgab zurucksend zuruckgeb umtausch retour rembours devol reso",
  "begin start beginn anfang commenc debut empez comenz inizi",
  "buy purchase order kauf bestell achet command compra pedid acquist",
  "borrow rent hire leih ausleih miet louer location alquil alugar noleggi huren",
  "lost lose forgot forgotten missing verlor vergess perdu oubli perd olvid",
] as const

/** Words for the lower end of a scale. */
const LEAST =
  "least lowest cheapest smallest shortest fewest earliest oldest lightest youngest wenigst niedrigst billigst gunstigst kleinst kurzest fruhest altest moins petit court ancien menos menor barat pequen corto antigu meno minor piccol economic minst laagst goedkoopst kleinst kortst oudst мень дешев"

/** Beginnings of words with what they mean. */
class Beginnings {
  private readonly meanings = new Map<string, number>()

  constructor(lists: ReadonlyArray<string>) {
    for (const [meaning, list] of lists.entries()) for (const word of list.split(" ")) this.meanings.set(word, meaning)
  }

  /** The meaning of a word; undefined where none is known. */
  of(word: string): number | undefined {
    for (let length = word.length; length >= Math.max(1, word.length - ENDING_MAX); length--) {
      if (length < BEGINNING_MIN && !["", "s"].includes(word.slice(length))) break
      const meaning = this.meanings.get(word.slice(0, length))
      if (meaning !== undefined) return meaning
    }
    return undefined
  }
}

const lowerEnds = new Beginnings([LEAST])
const implicitWords = new Beginnings([IMPLIED])
const synonyms = new Beginnings(MEANINGS)

/** Whether the answer to a question with a word need not hold it. */
export const isImplied = (word: string): boolean => implicitWords.of(word) !== undefined

/** Whether a word asks for the lower end of a scale. */
export const isLeast = (word: string): boolean => lowerEnds.of(word) !== undefined

/** Meaning of a word, as a number that words with one meaning share; undefined where none is known. */
export const meaningOf = (word: string): number | undefined => synonyms.of(word)
