import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "french",
  spelling: /[êèœûç]|(?:eau|eaux|eux|tion|ment|oir|aires?|ures?|ie|ée|ées|és|iques?)$|^(?:qu|d|l|j|n|c|s)['’]/,
  functionWords: {
    joins: "et, ou, mais, aussi, qu en est il de, qu en est il des, qu en est il du, et si, et concernant",
    questions:
      "que, quoi, qui, quand, où, pourquoi, comment, quel, quelle, quels, quelles, combien, combien de temps, lequel, laquelle, est ce que, qu est ce que, qu est ce qui, c est quoi, depuis quand",
    attributes:
      "prix, coût, coûts, tarif, tarifs, frais, adresse, téléphone, numéro, numéro de téléphone, e mail, email, courriel, site web, horaires, heures d ouverture, lieu, date, heure, durée, délai, limite, taille, poids, hauteur, âge, nom, raison, couleur",
    pronouns:
      "il, elle, ils, elles, lui, leur, leurs, son, sa, ses, ça, cela, ceci, ce, cet, cette, ces, celui, celle, ceux, celles, y, en, là, alors",
    verbs:
      "est, sont, était, étaient, a, ont, avait, suis, être, avoir, peut, peuvent, puis, peux, pouvez, doit, doivent, faut, fait, faire, il y a, y a t il, t il, t elle, expliquez, explique, dites",
    others:
      "de, du, des, à, au, aux, dans, en, pour, sur, avec, par, sans, chez, entre, depuis, pendant, après, avant, vers, sous, jusqu, le, la, les, l, un, une, d, c, j, n, s, t, m, qu, je, tu, vous, nous, on, moi, me, mon, ma, mes, votre, vos, notre, nos, ne, pas, plus, si, se, s il vous plaît, très, tout, tous, toute",
  },
  smallTalk: {
    greeting:
      "bonjour, bonsoir, salut, coucou, hello, hey, bjr, slt, bonne journée à vous, bien le bonjour, ça va, comment ça va",
    thanks:
      "merci, merci beaucoup, merci bien, merci infiniment, mille mercis, mille merci, un grand merci, grand merci, je vous remercie, je te remercie, mrc, merci à vous",
    goodbye:
      "au revoir, à bientôt, à plus, à plus tard, à tout à l'heure, à demain, à la prochaine, adieu, bonne journée, bonne soirée, bonne nuit, bon week-end",
    about:
      "qui es tu, qui êtes vous, tu es qui, vous êtes qui, c'est qui, es tu un humain, êtes vous humain, es tu un robot, êtes vous un robot, à qui je parle, comment tu t'appelles, comment vous appelez vous",
    documents:
      "que peux tu faire, que pouvez vous faire, que sais tu, que savez vous, que sais tu faire, aide, aide moi, peux tu m'aider, pouvez vous m'aider, que puis je demander, quels documents as tu, quels documents avez vous",
    courtesy:
      "s'il vous plaît, beaucoup, à tous, à toi, monsieur, madame, pour votre aide, pour l'aide, ok, d'accord, super, parfait",
    refusal:
      "non, nan, pas maintenant, plus tard, je préfère pas, je préfère ne pas, je préfère ne pas le dire, je ne veux pas, je ne souhaite pas, je refuse, passer, ignorer",
  },
  human:
    "parler à un humain, parler à une personne, parler avec une personne, parler à quelqu'un, parler avec quelqu'un, parler à un conseiller, parler à un agent, joindre un conseiller, à une vraie personne, un humain svp, humain, conseiller",
  asking: {
    asks: "quelle distance, coûte, nombre, en quelle année, quelle année, quel jour, dans quelle ville, dans quel pays, comment dois je, que dois je faire, que dois je, qu'est ce que je dois, que comprend, liste, moins de, au moins, moins que, le moins, la moins, les moins, meilleur",
    not: "pas, non, aucun, aucune, jamais, sans, sauf, fermé, fermée, rien",
    silent:
      "le, la, les, l, un, une, des, du, de, d, je, j, nous, on, votre, vos, est, sont, est ce que, s il vous plaît, svp, quel est, quelle est, quels sont, quelles sont, c est quoi",
    how: "comment, comment faire pour, comment puis je, comment peut on, comment dois je, comment est ce que je peux",
  },
  claims: {
    numerals:
      "zéro, un/une, deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze, treize, quatorze, quinze, seize, dix sept, dix huit, dix neuf, vingt/vingts, trente, quarante, cinquante, soixante, septante, octante, nonante, cent/cents, mille",
    denials: "interdit, interdite, interdits, interdites, impossible, ni, exclu, exclue, exclus, manque",
    limits: "seulement, uniquement, sauf, excepté, sans doute, ne que, jusqu, moins, reste",
  },
  replies: {
    hello: "Bonjour !",
    ask: "Posez-moi une question, et je chercherai la réponse dans les documents.",
    welcome: "Avec plaisir !",
    goodbye: "Au revoir !",
    about:
      "Je suis {}, un chatbot. Je suis un programme, pas une personne, et je réponds aux questions avec des phrases tirées des documents que je connais.",
    documents: "Je connais ces documents :",
    more: "… et {} de plus",
    noDocuments: "Je n’ai pas encore de documents lisibles et ne peux donc pas répondre aux questions.",
    nothingFound: "Je n’ai rien trouvé à ce sujet dans les documents.",
    closest: "Voici les passages qui s’en rapprochent le plus :",
    searchFailed: "Je n’ai pas pu consulter les documents à l’instant. Veuillez réessayer dans un moment.",
    filesUnseen: "Je ne peux pas lire les images ni les fichiers. Veuillez écrire votre question.",
    didYouMean: "Vouliez-vous dire {} ?",
    human: "Une personne de notre équipe vous répondra ici.",
  },
  emailRequest: "Avant de vous répondre, quelle est votre adresse e-mail ?",
  noChat: "Ce chat n’est pas disponible.",
  notNow: "Cette page n’est pas disponible pour le moment. Veuillez réessayer plus tard.",
}

export const widget: WidgetTexts = {
  greeting: "Bonjour ! Comment puis-je vous aider ?",
  placeholder: "Écrivez un message…",
  disclosure: "Vous parlez avec un assistant automatique.",
  send: "Envoyer",
  attach: "Joindre un fichier",
  fileRefused: "Vous pouvez envoyer des images et des PDF de 10 Mo au plus, sans scripts.",
  stop: "Arrêter",
  charactersOver: "Caractères en trop : {n}",
  newConversation: "Nouvelle conversation",
  conversations: "Conversations",
  close: "Fermer",
  conversation: "Conversation",
  you: "Vous",
  thinking: "Réflexion en cours…",
  stillThinking: "Encore un petit instant…",
  searchingFor: "Recherche de « {query} »…",
  reading: "Lecture des documents…",
  stopped: "Arrêté",
  interrupted: "La réponse a été interrompue.",
  reconnecting: "Connexion perdue. Nouvelle tentative…",
  newMessages: "Nouveaux messages",
  earlier: "Afficher plus",
  loading: "Chargement…",
  copy: "Copier",
  copied: "Copié",
  table: "Tableau",
  askAgain: "Reposer la question",
  helpful: "Utile",
  notHelpful: "Pas utile",
  comment: "Que pouvons-nous améliorer ? (facultatif)",
  submit: "Envoyer",
  thanks: "Merci pour votre avis.",
  sources: "Sources",
  page: "Page {n}",
  unsupported: "Introuvable dans les documents : {n}",
  emailQuestion: "À quelle adresse e-mail pouvons-nous vous joindre ?",
  email: "Adresse e-mail",
  emailInvalid: "Veuillez saisir une adresse e-mail, par exemple nom@example.com.",
  goOn: "Continuer",
  skip: "Non merci",
  person: "Parler à une personne",
  askPerson: "Écrivez de quoi il s’agit, et une personne vous répondra.",
  waiting: "Une personne va bientôt répondre ici.",
  joined: "{name} vous répond maintenant.",
  writing: "{name} écrit…",
  delivered: "Distribué",
  read: "Lu",
  returned: "L’assistant répond de nouveau.",
  away: "Personne n’est là pour le moment. Laissez un message, et nous répondrons par e-mail.",
  leftMessage: "Merci. Nous répondrons par e-mail et ici.",
  messages: "Messages : {n}",
  noConversations: "Aucune conversation pour l’instant.",
  download: "Télécharger",
  remove: "Supprimer",
  removeQuestion: "Supprimer définitivement cette conversation ?",
  removeAll: "Tout supprimer",
  removeAllQuestion: "Supprimer définitivement toutes vos conversations ?",
  cancel: "Annuler",
  tryAgain: "Réessayer",
  offline: "Pas de connexion. Vérifiez votre connexion Internet.",
  busy: "Trop de messages à la fois. Veuillez patienter un instant.",
  spent: "Le chat n’est pas disponible pour le moment.",
  gone: "Le chat n’est plus disponible ici.",
  missing: "Cet élément n’existe plus.",
  refused: "Le message n’a pas pu être envoyé.",
  failed: "Une erreur s’est produite.",
  call: "Démarrer un appel",
  voice:
    "Terminer l’appel | Micro coupé | À l’écoute… | Parle… | Votre navigateur reconnaît vos paroles. | L’éditeur du navigateur peut les recevoir. | Le micro n’est pas disponible. Autorisez-le pour cette page dans votre navigateur, ou écrivez.",
}
