import type { QuestionWords } from "./QuestionWords.ts"

export const romance: Readonly<Record<string, QuestionWords>> = {
  fr: {
    name: "french",
    and: "et, ou, que, de, versus, vs",
    definition:
      "qu'est ce que, qu'est ce qu'un, qu'est ce qu'une, c'est quoi, quel est, quelle est, qui est, qui était, que signifie, que veut dire, définir, définition de, expliquer, explique",
    list: "quels, quelles, quels sont, quelles sont, lister, liste, énumérer, citer, nommer, que dois je, que doit on, que faut il, qu'est ce que je dois, qu'est ce qu'il faut, qu'est ce qui est, que puis je, que peut on, que comprend",
    "how-to":
      "comment faire, comment puis je, comment peut on, comment dois je, comment on, comment *er, comment *ir, comment *re, comment s'inscrire, que dois je faire, étapes",
    "yes-no":
      "est ce que, vous avez, avez vous, je peux, on peut, est il possible, c'est possible, ai je, il y a, est ce qu'il, est ce qu'on, est il, est elle, sont ils, peut on, puis je, peut il, y a t il, existe t il, faut il, dois je, doit on, a t il, a t elle, ont ils, avez vous, pouvez vous",
    number:
      "combien, combien de, combien de temps, quel âge, à quelle hauteur, à quelle distance, à quelle vitesse, quel pourcentage, nombre de",
    date: "quand, depuis quand, jusqu'à quand, à quelle heure, en quelle année, quelle année, à quelle date, quelle date, quel jour, quel siècle",
    person: "qui, à qui, de qui, par qui, avec qui, pour qui",
    place: "où, d'où, dans quelle ville, dans quel pays, à quel endroit",
    why: "pourquoi, pour quelle raison, pour quelles raisons, à cause de quoi",
    comparison: "différence entre, différences entre, comparer, compare, par rapport à, versus, vs",
    other: "comment, que, quoi, qu'est ce qui, quel, quelle, lequel, laquelle, à quoi, de quoi",
    nouns: {
      number:
        "prix, coût, nombre, hauteur, longueur, taille, poids, âge, superficie, population, pourcentage, température, vitesse, limite, durée, distance, montant",
      date: "année, date, jour, mois, siècle, décennie, heure, délai",
      place: "ville, pays, lieu, endroit, état, région, adresse, capitale",
    },
    filler:
      "à, a, y, d, l, s'il vous plaît, s'il te plaît, merci, dites moi, dis moi, pouvez vous me dire, pourriez vous me dire, peux tu me dire, je voudrais savoir, j'aimerais savoir, environ, à peu près, approximativement, exactement, je, tu, nous, vous, on, il, elle, mon, ma, mes, votre, vos, bonjour, sont, est",
  },
  es: {
    name: "spanish",
    and: "y, e, o, u, que, versus, vs",
    definition:
      "qué es, qué son, qué era, qué fue, quién es, quién era, qué significa, qué quiere decir, definir, definición de, explica, explicar",
    list: "cuáles, cuáles son, qué tipos de, enumera, lista, nombra, qué clases de, qué tengo que, qué debo, qué necesito, qué puedo, qué hay que, qué incluye, qué hay en",
    "how-to":
      "cómo puedo, cómo se puede, cómo lo hago, cómo me, cómo *ar, cómo *er, cómo hago, cómo se hace, cómo debo, cómo podemos, qué debo hacer, qué tengo que hacer, pasos para",
    "yes-no":
      "es, son, tenéis, tienes, aceptan, aceptáis, está, están, puede, pueden, puedo, se puede, hay, tiene, tienen, existe, existen, debo, debe, fue, era, ha, han, es posible, tengo que",
    number:
      "cuánto, cuánta, cuántos, cuántas, cuánto tiempo, cuánto cuesta, a qué distancia, a qué altura, qué edad, qué porcentaje, qué tan, número de, cada cuánto",
    date: "cuándo, desde cuándo, hasta cuándo, a qué hora, en qué año, qué año, qué fecha, en qué fecha, qué día, en qué siglo, en qué mes",
    person: "quién, quiénes, a quién, de quién, por quién, con quién",
    place: "dónde, de dónde, adónde, en dónde, en qué ciudad, en qué país, en qué lugar",
    why: "por qué, por qué razón, a qué se debe, para qué, cuál es la razón",
    comparison: "diferencia entre, diferencias entre, comparar, compara, comparado con, en comparación con, versus, vs",
    other: "cómo, qué, cuál, cuál es, cuál era, cuál fue, cómo se, con qué, de qué, en qué",
    nouns: {
      number:
        "precio, coste, costo, número, cantidad, altura, longitud, tamaño, peso, edad, superficie, población, porcentaje, temperatura, velocidad, límite, duración, distancia, plazo",
      date: "año, fecha, día, mes, siglo, década, hora",
      place: "ciudad, país, lugar, estado, región, dirección, capital",
    },
    filler:
      "a, y, e, o, u, por favor, gracias, dime, dígame, puedes decirme, puede decirme, podrías decirme, podría decirme, me gustaría saber, quisiera saber, quiero saber, aproximadamente, más o menos, unos, exactamente, yo, tú, usted, nosotros, mi, mis, su, sus, hola, me",
  },
  pt: {
    name: "portuguese",
    and: "e, ou, que, do que, versus, vs",
    definition:
      "o que é, o que são, o que era, o que foi, que é, quem é, quem foi, o que significa, o que quer dizer, definir, definição de, explica, explique",
    list: "quais, quais são, que tipos de, lista, liste, enumere, cite, o que preciso, o que devo, o que posso, o que tenho de, o que tenho que, o que inclui, o que está",
    "how-to": "como posso, como se pode, como faço, como fazer, como devo, como podemos, o que devo fazer, passos para",
    "yes-no":
      "é, são, está, estão, pode, podem, posso, há, tem, têm, existe, existem, devo, deve, foi, era, é possível, é permitido, preciso",
    number:
      "quanto, quanta, quantos, quantas, quanto tempo, quanto custa, a que distância, a que altura, que idade, qual a idade, que percentagem, que porcentagem, número de",
    date: "quando, desde quando, até quando, a que horas, em que ano, que ano, qual ano, que data, em que data, que dia, em que século",
    person: "quem, a quem, de quem, por quem, com quem",
    place: "onde, de onde, aonde, em que cidade, em que país, em que lugar",
    why: "por que, porque, porquê, por quê, por que razão, qual a razão, para que",
    comparison: "diferença entre, diferenças entre, comparar, compare, comparado com, em comparação com, versus, vs",
    other: "como, que, o que, qual, qual é, qual foi, qual era, em que, de que, com que",
    nouns: {
      number:
        "preço, custo, número, quantidade, altura, comprimento, tamanho, peso, idade, área, população, percentagem, porcentagem, temperatura, velocidade, limite, duração, distância, prazo",
      date: "ano, data, dia, mês, século, década, hora",
      place: "cidade, país, lugar, estado, região, endereço, capital",
    },
    filler:
      "a, o, e, à, há, de, por favor, obrigado, obrigada, diga me, me diga, pode me dizer, pode dizer me, poderia me dizer, gostaria de saber, queria saber, quero saber, aproximadamente, mais ou menos, cerca de, exatamente, eu, você, nós, meu, minha, seu, sua, olá, me",
  },
  it: {
    name: "italian",
    and: "e, ed, o, che, di, versus, vs",
    definition:
      "cos'è, cosa è, che cos'è, che cosa è, cosa sono, che cosa sono, chi è, chi era, cosa significa, cosa vuol dire, che cosa significa, definire, definizione di, spiega",
    list: "quali, quali sono, che tipi di, elenca, elenco, nomina, cosa devo, che cosa devo, cosa posso, che cosa posso, cosa serve, cosa bisogna, cosa comprende, cosa include",
    "how-to":
      "come posso, come si può, come faccio, come si fa, come devo, come possiamo, cosa devo fare, che cosa devo fare, passi per",
    "yes-no":
      "è, sono, può, possono, posso, si può, c'è, ci sono, ha, hanno, esiste, esistono, devo, deve, era, è possibile, è stato",
    number:
      "quanto, quanta, quanti, quante, quanto tempo, quanto costa, a che distanza, che età, quale percentuale, che percentuale, numero di, ogni quanto",
    date: "quando, da quando, fino a quando, a che ora, in che anno, in quale anno, che anno, quale data, in che data, che giorno, in quale secolo",
    person: "chi, a chi, di chi, da chi, con chi, per chi",
    place: "dove, da dove, in quale città, in che città, in quale paese, in quale luogo, dov'è",
    why: "perché, per quale motivo, per quale ragione, come mai, a cosa serve",
    comparison:
      "differenza tra, differenza fra, differenze tra, differenze fra, confronta, confronto, rispetto a, versus, vs",
    other: "come, che, cosa, che cosa, quale, qual è, qual era, in che, di che, con che",
    nouns: {
      number:
        "prezzo, costo, numero, quantità, altezza, lunghezza, dimensione, peso, età, superficie, popolazione, percentuale, temperatura, velocità, limite, durata, distanza",
      date: "anno, data, giorno, mese, secolo, decennio, ora, scadenza",
      place: "città, paese, luogo, stato, regione, indirizzo, capitale",
    },
    filler:
      "a, e, i, o, l, per favore, per piacere, grazie, dimmi, mi dica, puoi dirmi, può dirmi, potresti dirmi, potrebbe dirmi, vorrei sapere, mi piacerebbe sapere, circa, approssimativamente, più o meno, esattamente, io, tu, lei, noi, mio, mia, suo, sua, ciao, mi",
  },
}
