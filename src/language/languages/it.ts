import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "italian",
  spelling:
    /[òìù]|tà$|(?:zione|zioni|mento|menti|ggio|ggi|cchi|cchio|ezza|ista|iamo|ono|ato|ata|ati|are|ere|ire|io|ari|ori|ivi)$|gli|zz|cch|ggi|^(?:dell|all|nell|sull|quell|c|l|un)['’]/,
  functionWords: {
    joins: "e, ed, o, ma, anche, che ne è di, che mi dici di, e se, e invece",
    questions:
      "che, che cosa, cosa, chi, quando, dove, perché, come, quale, quali, quanto, quanta, quanti, quante, quanto tempo, da quando, com, dov",
    attributes:
      "prezzo, prezzi, costo, costi, tariffa, tariffe, indirizzo, telefono, numero, numero di telefono, e mail, email, sito, sito web, orari, orario, orari di apertura, luogo, data, ora, durata, scadenza, limite, dimensione, peso, altezza, età, nome, motivo, colore",
    pronouns:
      "lui, lei, loro, esso, essa, essi, esse, suo, sua, suoi, sue, ciò, questo, questa, questi, queste, quello, quella, quelli, quelle, lì, là, ne, ci, allora",
    verbs:
      "è, sono, era, erano, fu, ha, hanno, c è, ci sono, può, possono, posso, deve, devono, fa, fare, essere, avere, si può, stato, spiega, dimmi",
    others:
      "di, del, della, dei, delle, dello, degli, dell, a, al, alla, ai, alle, agli, all, da, dal, dalla, in, nel, nella, nei, con, su, sul, sulla, per, tra, fra, senza, durante, dopo, prima di, fino a, il, lo, la, i, gli, le, l, un, uno, una, io, tu, noi, voi, mi, mio, mia, si, non, più, molto, se, per favore, tutto, tutti, tutte, d",
  },
  smallTalk: {
    greeting:
      "ciao, salve, buongiorno, buon giorno, buonasera, buona sera, buon pomeriggio, ehi, ehilà, hey, come stai, come sta",
    thanks:
      "grazie, grazie mille, mille grazie, molte grazie, tante grazie, grazie tante, grazie infinite, ti ringrazio, la ringrazio, vi ringrazio, grz, molto utile",
    goodbye:
      "arrivederci, ciao, addio, a presto, a dopo, a domani, ci vediamo, alla prossima, buona giornata, buona serata, buonanotte, buona notte",
    about:
      "chi sei, chi è lei, cosa sei, che cosa sei, sei umano, sei una persona, sei un robot, lei è un robot, sei un bot, con chi parlo, come ti chiami, come si chiama",
    documents:
      "cosa puoi fare, che cosa puoi fare, cosa può fare, cosa sai, cosa sai fare, aiuto, aiutami, puoi aiutarmi, mi puoi aiutare, cosa posso chiedere, quali documenti hai, quali documenti ha",
    courtesy:
      "per favore, a tutti, amico, signore, signora, per l'aiuto, per il tuo aiuto, di tutto, ok, va bene, ottimo, perfetto",
    refusal:
      "no, non ora, più tardi, dopo, preferisco di no, preferisco non dirlo, preferirei di no, non voglio, non ce l'ho, salta",
  },
  human:
    "parlare con un umano, parlare con una persona, parlare con qualcuno, parlare con un operatore, parlare con un essere umano, operatore umano, un operatore per favore, umano, operatore",
  asking: {
    asks: "quanto costa, ogni quanto, in che anno, in quale anno, che giorno, in quale città, in quale paese, come faccio, come devo, cosa devo fare, che tipi di, cosa devo, cosa serve, cosa comprende, cosa include, meno di, almeno, al massimo, più caro, più economico, maggiore, minore, migliore",
    not: "non, no, mai, nessun, nessuna, senza, tranne, chiuso, chiusa, niente",
    silent:
      "il, lo, la, i, gli, le, l, un, uno, una, di, del, della, dei, degli, delle, dello, dell, io, noi, vostro, vostra, vostri, vostre, è, sono, per favore, qual è, quali sono",
    how: "come, come posso, come possiamo, come si può, come faccio a, come devo",
  },
  replies: {
    hello: "Ciao!",
    ask: "Fammi una domanda e cercherò la risposta nei documenti.",
    welcome: "Prego!",
    goodbye: "Arrivederci!",
    about:
      "Sono {}, un chatbot. Sono un programma, non una persona, e rispondo alle domande con frasi dei documenti che conosco.",
    documents: "Conosco questi documenti:",
    more: "… e altri {}",
    noDocuments: "Non ho ancora documenti leggibili, quindi non posso rispondere alle domande.",
    nothingFound: "Non ho trovato nulla al riguardo nei documenti.",
    closest: "Questi sono i passaggi che più si avvicinano:",
    searchFailed: "Non sono riuscito a cercare nei documenti. Riprova tra un momento.",
    filesUnseen: "Non posso leggere immagini o file. Scriva la sua domanda, per favore.",
    didYouMean: "Intendevi {}?",
    human: "Una persona del nostro team Le risponderà qui.",
  },
  emailRequest: "Prima di rispondere, qual è il tuo indirizzo e-mail?",
  noChat: "Questa chat non è disponibile.",
  notNow: "Questa pagina non è disponibile al momento. Riprova più tardi.",
}

export const widget: WidgetTexts = {
  greeting: "Ciao! Come posso aiutarti?",
  placeholder: "Scrivi un messaggio…",
  disclosure: "Sta parlando con un assistente automatico.",
  send: "Invia",
  attach: "Allega un file",
  fileRefused: "Si possono inviare immagini e PDF fino a 10 MB, senza script.",
  stop: "Interrompi",
  charactersOver: "Caratteri di troppo: {n}",
  newConversation: "Nuova conversazione",
  conversations: "Conversazioni",
  close: "Chiudi",
  conversation: "Conversazione",
  you: "Tu",
  thinking: "Sto pensando…",
  stillThinking: "Ci vuole ancora un momento…",
  searchingFor: "Cerco «{query}»…",
  reading: "Leggo i documenti…",
  stopped: "Interrotto",
  interrupted: "La risposta è stata interrotta.",
  reconnecting: "Connessione persa. Nuovo tentativo…",
  newMessages: "Nuovi messaggi",
  earlier: "Mostra altro",
  loading: "Caricamento…",
  copy: "Copia",
  copied: "Copiato",
  table: "Tabella",
  askAgain: "Chiedi di nuovo",
  helpful: "Utile",
  notHelpful: "Non utile",
  comment: "Che cosa possiamo migliorare? (facoltativo)",
  submit: "Invia",
  thanks: "Grazie per il tuo feedback.",
  sources: "Fonti",
  page: "Pagina {n}",
  unsupported: "Non trovato nei documenti: {n}",
  emailQuestion: "A quale indirizzo e-mail possiamo contattarti?",
  email: "Indirizzo e-mail",
  emailInvalid: "Inserisci un indirizzo e-mail come nome@example.com.",
  goOn: "Continua",
  skip: "No, grazie",
  person: "Parlare con una persona",
  askPerson: "Scriva di che cosa si tratta e una persona risponderà.",
  waiting: "Una persona risponderà qui a breve.",
  joined: "Ora le risponde {name}.",
  writing: "{name} sta scrivendo…",
  delivered: "Consegnato",
  read: "Letto",
  returned: "L’assistente risponde di nuovo.",
  away: "Al momento non c’è nessuno. Lasci un messaggio e risponderemo via e-mail.",
  leftMessage: "Grazie. Risponderemo via e-mail e qui.",
  messages: "Messaggi: {n}",
  noConversations: "Ancora nessuna conversazione.",
  download: "Scarica",
  remove: "Elimina",
  removeQuestion: "Eliminare definitivamente questa conversazione?",
  removeAll: "Elimina tutto",
  removeAllQuestion: "Eliminare definitivamente tutte le tue conversazioni?",
  cancel: "Annulla",
  tryAgain: "Riprova",
  offline: "Nessuna connessione. Controlla la tua connessione a internet.",
  busy: "Troppi messaggi insieme. Attendi un momento.",
  spent: "La chat non è disponibile in questo momento.",
  gone: "La chat non è più disponibile qui.",
  missing: "Questo elemento non esiste più.",
  refused: "Non è stato possibile inviare il messaggio.",
  failed: "Qualcosa è andato storto.",
  call: "Avvia una chiamata",
  voice:
    "Termina la chiamata | Microfono spento | In ascolto… | Sta parlando… | Il browser riconosce ciò che dice. | Il produttore del browser può riceverlo. | Il microfono non è disponibile. Lo consenta per questa pagina nel browser, oppure scriva.",
}
