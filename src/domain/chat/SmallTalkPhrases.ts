import type { SpokenLanguage } from "../../text/FunctionWords.ts"

/** What people say besides questions, in one language: phrases that are separated by commas. */
export interface SmallTalkPhrases {
  readonly greeting: string
  readonly thanks: string
  readonly goodbye: string
  /** Questions of what the chatbot is. */
  readonly about: string
  /** Questions of what the chatbot knows. */
  readonly documents: string
  /** What accompanies small talk without changing it, and praise. */
  readonly courtesy: string
}

export const smallTalkPhrases: Readonly<Record<SpokenLanguage, SmallTalkPhrases>> = {
  en: {
    greeting:
      "hi, hii, hello, helo, hey, heya, hiya, yo, greetings, good morning, good afternoon, good evening, good day, morning, evening, howdy, sup, what's up, whats up, wassup, how are you, how are you doing, how are you today, how do you do, how is it going, how's it going, nice to meet you, hello there, hi there, hey there, is anybody there, anybody there, anyone there",
    thanks:
      "thanks, thank you, thank u, thankyou, thx, thnx, tnx, ty, tysm, cheers, much appreciated, appreciate it, i appreciate it, many thanks, thanks a lot, thanks a million, thanks a bunch, thank you so much, thank you very much, that helped, that helps, that was helpful, very helpful, that's all i needed, that's what i needed",
    goodbye:
      "bye, bye bye, byebye, goodbye, good bye, see you, see ya, see you later, see you soon, see you tomorrow, cya, later, talk to you later, ttyl, farewell, good night, have a nice day, have a good day, have a great day, have a nice evening, have a good one, take care, so long, that's all, that is all, that's it, that is it, i'm done, no more questions",
    about:
      "who are you, what are you, who r u, who is this, who am i talking to, who am i chatting with, who am i speaking to, who am i speaking with, are you a bot, are you a robot, are you a human, are you human, are you a real person, are you a person, are you real, are you an ai, are you ai, are you a machine, are you a program, are you chatgpt, are you a chatbot, am i talking to a human, am i talking to a bot, am i talking to a robot, am i talking to a real person, is this a bot, is this a human, is this a real person, what is your name, what's your name, do you have a name, introduce yourself, tell me about yourself, tell me something about yourself, who made you, who created you, what kind of bot are you, or a machine, or a bot, or a robot, or a human, or human, or a person, or an ai, or a computer, or a program",
    documents:
      "what can you do, what can you do for me, what do you do, what can i ask, what can i ask you, what can i ask you about, what can i ask about, what do you know, what do you know about, what all do you know, what can you tell me, what can you help me with, what can you help with, what can you answer, what questions can you answer, which questions can you answer, what kind of questions can you answer, what kinds of questions can you answer, how can you help, how can you help me, how can you assist me, can you help me, can you help, help, help me, i need help, how do you work, how does this work, which documents do you have, what documents do you have, which documents do you know, what documents do you know, what documents do you know about, which documents do you know about, what documents are there, which documents are there, what files do you have, which files do you have, list your documents, list all documents, list the documents, show your documents, show me your documents, show me the documents, what topics do you know, what topics do you know about, which topics do you know, what topics do you cover, which topics do you cover, what topics can you help with, which topics can you help with, what topics can i ask about, which topics can i ask about, what topics are there, what subjects do you know, what are your sources, what sources do you have, what sources do you use, what is in your knowledge base, what's in your knowledge base, what is this about, what are you for, what are your capabilities, what information do you have",
    courtesy:
      "please, there, everyone, everybody, all, folks, friend, mate, buddy, bot, chatbot, sir, madam, a lot, so much, very much, again, for your help, for the help, for your time, for the info, for the information, for that, for this, for everything, for your answer, for the answer, for all your help, help, ok, okay, okey, k, kk, alright, all right, right, great, good, fine, perfect, awesome, amazing, excellent, wonderful, super, cool, nice, brilliant, lovely, got it, i see, understood, makes sense, well, oh, ah, wow, and, so, very, really, you, just, wanted to say, to you, good to know, sounds good, great job, good job, well done, nice work, no problem, lol, haha, for now, then, today, dear",
  },
  de: {
    greeting:
      "hallo, hallihallo, hi, hey, huhu, moin, moin moin, servus, grüezi, grüß gott, grüss gott, grüß dich, grüß euch, guten tag, guten morgen, guten abend, schönen guten tag, schönen guten morgen, schönen guten abend, guten mittag, mahlzeit, tag, morgen, n'abend, na, wie geht's, wie geht es dir, wie geht es ihnen, wie gehts, wie geht's dir, alles klar bei dir, hallöchen, jemand da, ist jemand da",
    thanks:
      "danke, dankeschön, danke schön, danke sehr, dankesehr, vielen dank, vielen lieben dank, herzlichen dank, besten dank, tausend dank, lieben dank, ich danke dir, ich danke ihnen, danke dir, danke ihnen, thx, merci, das hat geholfen, das hilft mir, das hilft, sehr hilfreich, super danke",
    goodbye:
      "tschüss, tschüß, tschüs, tschau, ciao, auf wiedersehen, wiedersehen, auf wiederhören, bis bald, bis später, bis dann, bis morgen, bis zum nächsten mal, mach's gut, machs gut, gute nacht, schönen tag, schönen tag noch, einen schönen tag, einen schönen tag noch, schönen abend, schönen abend noch, schönes wochenende, ade, servus, bye, das war's, das wars, das war alles, das ist alles",
    about:
      "wer bist du, wer sind sie, was bist du, was sind sie, wer bist du denn, bist du ein mensch, sind sie ein mensch, bist du ein bot, sind sie ein bot, bist du ein roboter, sind sie ein roboter, bist du eine ki, sind sie eine ki, bist du eine maschine, bist du echt, bist du real, bist du ein computer, bist du menschlich, bist du eine person, bist du eine echte person, bist du chatgpt, mit wem spreche ich, mit wem schreibe ich, mit wem rede ich, mit wem chatte ich, spreche ich mit einem menschen, schreibe ich mit einem menschen, rede ich mit einem menschen, wie heißt du, wie heißen sie, wie ist dein name, wie ist ihr name, hast du einen namen, stell dich vor, stellen sie sich vor, erzähl mir etwas über dich, wer hat dich gemacht, oder ein mensch, oder ein bot, oder ein roboter, oder eine maschine, oder eine ki, oder ein computer, oder ein programm, oder mensch, oder maschine",
    documents:
      "was kannst du, was können sie, was kannst du alles, was kannst du tun, was können sie tun, was kannst du für mich tun, was können sie für mich tun, was machst du, was weißt du, was wissen sie, was weißt du alles, worüber weißt du bescheid, worüber wissen sie bescheid, womit kannst du mir helfen, womit können sie mir helfen, womit kannst du helfen, wobei kannst du helfen, wobei kannst du mir helfen, wobei können sie mir helfen, wie kannst du mir helfen, wie können sie mir helfen, kannst du mir helfen, können sie mir helfen, hilfe, ich brauche hilfe, wie funktionierst du, wie funktioniert das, was kann ich dich fragen, was kann ich fragen, was kann ich sie fragen, welche fragen kannst du beantworten, welche fragen können sie beantworten, auf welche fragen hast du antworten, welche dokumente hast du, welche dokumente haben sie, welche dokumente kennst du, welche dokumente kennen sie, welche dokumente gibt es, was für dokumente hast du, zeig mir deine dokumente, zeige mir deine dokumente, welche themen kennst du, welche themen kennen sie, zu welchen themen kannst du etwas sagen, zu welchen themen weißt du etwas, über welche themen weißt du bescheid, welche themen gibt es, mit welchen themen kennst du dich aus, womit kennst du dich aus, was sind deine quellen, welche quellen hast du, worum geht es hier",
    courtesy:
      "bitte, dir, euch, ihnen, du, zusammen, alle, allerseits, leute, sehr, schön, nochmal, nochmals, für die hilfe, für deine hilfe, für ihre hilfe, für die antwort, für die info, für die auskunft, für die schnelle antwort, für alles, ok, okay, alles klar, gut, sehr gut, super, toll, klasse, prima, perfekt, spitze, großartig, wunderbar, ausgezeichnet, genau, cool, fein, verstanden, verstehe, ach so, aha, und, dann, na dann, mein freund, schon mal, wirklich, heute, noch, lieber, liebe",
  },
  fr: {
    greeting:
      "bonjour, bonsoir, salut, coucou, hello, hey, bjr, slt, bonne journée à vous, bien le bonjour, ça va, comment ça va, comment allez vous, comment vas tu, enchanté, rebonjour, allô, il y a quelqu'un",
    thanks:
      "merci, merci beaucoup, merci bien, merci infiniment, mille mercis, mille merci, un grand merci, grand merci, je vous remercie, je te remercie, mrc, merci à vous, merci à toi, c'est très utile, ça m'aide",
    goodbye:
      "au revoir, à bientôt, à plus, à plus tard, à tout à l'heure, à demain, à la prochaine, adieu, bonne journée, bonne soirée, bonne nuit, bon week-end, bonne fin de journée, ciao, c'est tout, ce sera tout",
    about:
      "qui es tu, qui êtes vous, tu es qui, vous êtes qui, c'est qui, qu'es tu, qu'êtes vous, es tu un humain, êtes vous un humain, es tu humain, êtes vous humain, tu es humain, es tu un robot, êtes vous un robot, tu es un robot, vous êtes un robot, es tu un bot, êtes vous un bot, es tu une ia, êtes vous une ia, es tu une machine, es tu une personne, êtes vous une personne, êtes vous une vraie personne, es tu une vraie personne, es tu réel, à qui je parle, à qui ai-je affaire, est-ce que je parle à un humain, est-ce que tu es un robot, est-ce que vous êtes un robot, est-ce que tu es humain, est-ce que vous êtes humain, comment tu t'appelles, comment t'appelles-tu, comment vous appelez vous, quel est ton nom, quel est votre nom, présente-toi, présentez-vous, parle-moi de toi, ou un robot, ou un humain, ou une machine, ou un bot, ou une personne, ou une ia, ou un programme",
    documents:
      "que peux-tu faire, que pouvez-vous faire, qu'est-ce que tu peux faire, qu'est-ce que vous pouvez faire, que sais-tu faire, que savez-vous faire, que sais-tu, que savez-vous, qu'est-ce que tu sais, qu'est-ce que vous savez, que fais-tu, que faites-vous, comment peux-tu m'aider, comment pouvez-vous m'aider, peux-tu m'aider, pouvez-vous m'aider, tu peux m'aider, aide, aide-moi, aidez-moi, à l'aide, j'ai besoin d'aide, comment ça marche, comment fonctionnes-tu, comment fonctionnez-vous, que puis-je te demander, que puis-je vous demander, que puis-je demander, à quelles questions peux-tu répondre, à quelles questions pouvez-vous répondre, quels documents as-tu, quels documents avez-vous, quels documents connais-tu, quels documents connaissez-vous, quels sont tes documents, quels sont vos documents, quels documents y a-t-il, de quels documents disposez-vous, de quels documents disposes-tu, quels sujets connais-tu, quels sujets connaissez-vous, sur quels sujets peux-tu m'aider, sur quels sujets pouvez-vous m'aider, quels sont les sujets, quels sujets couvrez-vous, quels sujets couvres-tu, quelles sont tes sources, quelles sont vos sources, de quoi s'agit-il",
    courtesy:
      "s'il vous plaît, s'il te plaît, svp, stp, beaucoup, bien, encore, à tous, à vous, à toi, monsieur, madame, pour votre aide, pour ton aide, pour l'aide, pour votre réponse, pour ta réponse, pour la réponse, pour les infos, pour l'info, pour tout, ok, d'accord, dac, super, parfait, génial, très bien, excellent, cool, top, bravo, compris, je vois, je comprends, très, et, vraiment, alors, bon, ah, oh, déjà, d'avance, nickel",
  },
  es: {
    greeting:
      "hola, holi, buenas, buenos días, buen día, buenas tardes, buenas noches, qué tal, qué tal estás, cómo estás, cómo está, cómo está usted, cómo te va, qué hay, saludos, muy buenas, hey, encantado, hay alguien",
    thanks:
      "gracias, muchas gracias, muchísimas gracias, mil gracias, mil gracias por todo, te lo agradezco, se lo agradezco, le agradezco, te agradezco, muy agradecido, muy agradecida, grax, me ha servido, me sirvió, muy útil",
    goodbye:
      "adiós, hasta luego, hasta pronto, hasta mañana, hasta la vista, hasta la próxima, hasta otra, nos vemos, chao, chau, bye, que tengas un buen día, que tenga un buen día, que te vaya bien, cuídate, eso es todo, eso era todo, es todo",
    about:
      "quién eres, quién es usted, quién eres tú, qué eres, qué es usted, eres humano, eres un humano, eres una persona, eres una persona real, es usted una persona, es usted humano, es usted un robot, eres un robot, eres un bot, eres una máquina, eres una ia, eres real, eres de verdad, con quién hablo, con quién estoy hablando, estoy hablando con una persona, hablo con una persona, hablo con un robot, cómo te llamas, cómo se llama usted, cuál es tu nombre, cuál es su nombre, preséntate, háblame de ti, cuéntame de ti, quién te creó, quién te hizo, o un robot, o una persona, o una máquina, o un humano, o un bot, o una ia, o un programa",
    documents:
      "qué puedes hacer, qué puede hacer, qué sabes hacer, qué sabes, qué sabe usted, qué haces, de qué sabes, sobre qué sabes, qué puedes hacer por mí, cómo puedes ayudarme, cómo me puedes ayudar, cómo puede ayudarme, en qué puedes ayudarme, en qué me puedes ayudar, en qué puede ayudarme, puedes ayudarme, me puedes ayudar, puede ayudarme, ayuda, ayúdame, necesito ayuda, cómo funcionas, cómo funciona esto, qué puedo preguntar, qué puedo preguntarte, qué te puedo preguntar, qué preguntas puedes responder, qué documentos tienes, qué documentos tiene, qué documentos conoces, qué documentos conoce, qué documentos hay, cuáles son tus documentos, muéstrame tus documentos, qué temas conoces, qué temas conoce, sobre qué temas puedes hablar, sobre qué temas sabes, sobre qué temas puedo preguntar, qué temas hay, qué temas cubres, de qué temas sabes, cuáles son tus fuentes, de qué trata esto",
    courtesy:
      "por favor, a todos, amigo, amiga, señor, señora, por tu ayuda, por su ayuda, por la ayuda, por la información, por la respuesta, por tu respuesta, por todo, ok, okay, vale, de acuerdo, bien, muy bien, genial, perfecto, estupendo, excelente, fantástico, guay, súper, bueno, claro, entendido, entiendo, ya veo, y, muy, de verdad, de nuevo, otra vez, listo, buenísimo, muy amable",
  },
  pt: {
    greeting:
      "olá, oi, oie, bom dia, boa tarde, boa noite, e aí, tudo bem, tudo bom, como vai, como está, como estás, como você está, saudações, alô, viva, tem alguém aí",
    thanks:
      "obrigado, obrigada, muito obrigado, muito obrigada, obrigadão, obrigadinho, brigado, brigada, valeu, agradeço, agradecido, agradecida, muito grato, muito grata, grato, grata, vlw, ajudou muito, muito útil",
    goodbye:
      "tchau, adeus, até logo, até mais, até breve, até amanhã, até já, até a próxima, até à próxima, tenha um bom dia, tenha um ótimo dia, bom fim de semana, fique bem, é tudo, é só isso, era só isso, só isso",
    about:
      "quem é você, quem és tu, quem és, você é quem, o que é você, o que você é, o que és, você é humano, você é um humano, és humano, és um humano, você é uma pessoa, você é uma pessoa real, és uma pessoa, você é um robô, você é um bot, és um robô, és um bot, você é uma ia, você é uma máquina, você é real, com quem estou falando, com quem estou a falar, com quem falo, estou falando com um humano, estou falando com uma pessoa, estou falando com um robô, como você se chama, como te chamas, qual é o seu nome, qual é o teu nome, qual o seu nome, qual o teu nome, apresente-se, fale sobre você, fala-me de ti, quem te criou, quem criou você, ou um robô, ou uma pessoa, ou uma máquina, ou um humano, ou um bot, ou uma ia, ou um programa",
    documents:
      "o que você pode fazer, o que podes fazer, o que você faz, o que fazes, o que você sabe, o que sabes, o que você sabe fazer, o que você conhece, sobre o que você sabe, do que você sabe, como você pode me ajudar, como pode me ajudar, como me podes ajudar, como podes ajudar-me, em que você pode me ajudar, em que pode me ajudar, no que você pode me ajudar, você pode me ajudar, pode me ajudar, podes ajudar-me, ajuda, me ajuda, me ajude, preciso de ajuda, como você funciona, como funcionas, como isso funciona, o que posso perguntar, o que posso te perguntar, que perguntas você pode responder, quais perguntas você pode responder, quais documentos você tem, que documentos você tem, que documentos tens, quais documentos você conhece, que documentos conheces, que documentos você conhece, quais são os seus documentos, quais são seus documentos, que documentos há, quais documentos existem, quais assuntos você conhece, quais temas você conhece, que temas conheces, sobre quais temas você sabe, sobre quais assuntos posso perguntar, sobre que assuntos posso perguntar, quais são os temas, quais são as suas fontes, quais são suas fontes",
    courtesy:
      "por favor, a todos, pessoal, amigo, amiga, senhor, senhora, pela ajuda, pela sua ajuda, pela resposta, pela informação, por tudo, ok, okay, certo, está bem, tá bom, tá, bem, muito bem, ótimo, perfeito, excelente, maravilha, legal, fixe, show, beleza, bom, entendi, entendido, percebi, e, muito, mesmo, de novo, que bom",
  },
  it: {
    greeting:
      "ciao, salve, buongiorno, buon giorno, buonasera, buona sera, buon pomeriggio, ehi, ehilà, hey, come stai, come sta, come va, piacere, c'è qualcuno",
    thanks:
      "grazie, grazie mille, mille grazie, molte grazie, tante grazie, grazie tante, grazie infinite, ti ringrazio, la ringrazio, vi ringrazio, grz, molto utile, mi è stato utile",
    goodbye:
      "arrivederci, arrivederla, addio, a presto, a dopo, a domani, ci vediamo, alla prossima, buona giornata, buona serata, buonanotte, buona notte, buon fine settimana, è tutto, questo è tutto, ciao ciao",
    about:
      "chi sei, chi è lei, chi siete, tu chi sei, che cosa sei, cosa sei, sei umano, sei un umano, sei un essere umano, lei è umano, sei una persona, sei una persona vera, sei una persona reale, è una persona, sei un robot, lei è un robot, sei un bot, sei una macchina, sei un'ia, sei una ia, sei reale, sei vero, con chi parlo, con chi sto parlando, sto parlando con un umano, sto parlando con una persona, parlo con un robot, come ti chiami, come si chiama, qual è il tuo nome, qual è il suo nome, presentati, si presenti, parlami di te, dimmi di te, chi ti ha creato, o un robot, o una persona, o una macchina, o un umano, o un bot, o un programma",
    documents:
      "cosa puoi fare, che cosa puoi fare, cosa può fare, che cosa può fare, cosa sai fare, che cosa sai fare, cosa fai, cosa sai, che cosa sai, cosa sa, di cosa ti occupi, cosa conosci, come puoi aiutarmi, come mi puoi aiutare, come può aiutarmi, in cosa puoi aiutarmi, puoi aiutarmi, mi puoi aiutare, può aiutarmi, aiuto, aiutami, mi aiuti, ho bisogno di aiuto, come funzioni, come funziona, cosa posso chiedere, cosa posso chiederti, cosa ti posso chiedere, a quali domande puoi rispondere, a quali domande può rispondere, quali documenti hai, quali documenti ha, che documenti hai, quali documenti conosci, quali documenti conosce, quali documenti ci sono, quali sono i tuoi documenti, mostrami i tuoi documenti, quali argomenti conosci, che argomenti conosci, quali argomenti conosce, quali argomenti tratti, su quali argomenti puoi rispondere, di quali argomenti sai, quali sono gli argomenti, quali sono le tue fonti, di cosa si tratta",
    courtesy:
      "per favore, per piacere, a tutti, amico, signore, signora, per l'aiuto, per il tuo aiuto, per il suo aiuto, per la risposta, per le informazioni, per l'informazione, di tutto, di cuore, ok, okay, va bene, bene, molto bene, benissimo, ottimo, perfetto, eccellente, fantastico, bello, bravo, bravissimo, super, capito, ho capito, certo, e, molto, davvero, ancora, di nuovo, allora, tutto chiaro",
  },
  nl: {
    greeting:
      "hallo, hoi, hoihoi, hey, hé, hi, goedemorgen, goede morgen, goedemiddag, goede middag, goedenavond, goede avond, goedendag, goeiedag, goeiemorgen, goeiemiddag, goeieavond, dag, hoe gaat het, hoe gaat het met je, hoe gaat het met u, hoe is het, alles goed, is er iemand",
    thanks:
      "bedankt, dank je, dank u, dank je wel, dank u wel, dankjewel, dankuwel, dank, hartelijk dank, hartelijk bedankt, heel erg bedankt, heel hartelijk dank, veel dank, duizendmaal dank, thanks, thx, merci, dat helpt, daar heb ik wat aan",
    goodbye:
      "tot ziens, doei, doeg, dag dag, tot later, tot morgen, tot snel, tot straks, tot gauw, tot de volgende keer, welterusten, goedenacht, fijne dag, fijne dag nog, prettige dag, fijne avond, fijn weekend, houdoe, bye, dat was het, dat was alles, dat is alles",
    about:
      "wie ben je, wie ben jij, wie bent u, wat ben je, wat ben jij, wat bent u, ben je een mens, ben jij een mens, bent u een mens, ben je menselijk, ben je een robot, ben jij een robot, bent u een robot, ben je een bot, ben jij een bot, bent u een bot, ben je een ai, ben je een machine, ben je echt, ben je een echt persoon, ben je een persoon, met wie spreek ik, met wie praat ik, praat ik met een mens, spreek ik met een mens, hoe heet je, hoe heet jij, hoe heet u, wat is je naam, wat is jouw naam, wat is uw naam, stel je voor, vertel over jezelf, wie heeft je gemaakt, of een robot, of een mens, of een machine, of een bot, of een programma",
    documents:
      "wat kan je, wat kun je, wat kan jij, wat kunt u, wat kun je doen, wat kan je doen, wat kunt u doen, wat kun je voor me doen, wat doe je, wat weet je, wat weet jij, wat weet u, waar weet je iets van, waar weet je van, waar weet je alles over, waarmee kun je me helpen, waarmee kan je me helpen, waarmee kunt u mij helpen, hoe kun je me helpen, hoe kunt u mij helpen, kun je me helpen, kan je me helpen, kunt u mij helpen, help, hulp, ik heb hulp nodig, hoe werk je, hoe werkt dit, wat kan ik vragen, wat kan ik je vragen, wat kan ik u vragen, welke vragen kun je beantwoorden, welke documenten heb je, welke documenten heeft u, welke documenten ken je, welke documenten kent u, welke documenten zijn er, laat je documenten zien, welke onderwerpen ken je, welke onderwerpen kent u, over welke onderwerpen weet je iets, over welke onderwerpen kan ik vragen stellen, welke onderwerpen zijn er, wat zijn je bronnen, welke bronnen heb je, waar gaat dit over",
    courtesy:
      "alsjeblieft, alstublieft, allemaal, iedereen, mensen, vriend, meneer, mevrouw, voor je hulp, voor uw hulp, voor de hulp, voor het antwoord, voor je antwoord, voor de info, voor de informatie, voor alles, wel, ok, oké, okay, goed, prima, top, super, geweldig, perfect, fijn, mooi, uitstekend, leuk, duidelijk, begrepen, snap ik, ik begrijp het, en, heel, erg, echt, nogmaals, nog eens, dan",
  },
  pl: {
    greeting:
      "cześć, czesc, hej, hejka, siema, siemka, witam, witaj, witajcie, dzień dobry, dobry wieczór, dobry, serwus, halo, jak się masz, jak się pan ma, jak się pani ma, co słychać, co tam, jest tu ktoś",
    thanks:
      "dziękuję, dziekuje, dziękuję bardzo, bardzo dziękuję, dziękuję ślicznie, serdecznie dziękuję, dzięki, dzieki, dzięki wielkie, wielkie dzięki, stokrotne dzięki, dzięks, dziękuje, to pomogło, bardzo pomocne",
    goodbye:
      "do widzenia, do zobaczenia, do jutra, na razie, narazie, pa, papa, pa pa, żegnam, żegnaj, dobranoc, miłego dnia, miłego wieczoru, miłego weekendu, trzymaj się, do usłyszenia, to wszystko, to tyle",
    about:
      "kim jesteś, kim pan jest, kim pani jest, czym jesteś, kto ty jesteś, kto to, czy jesteś człowiekiem, jesteś człowiekiem, czy jesteś robotem, jesteś robotem, czy jesteś botem, jesteś botem, czy jesteś maszyną, czy jesteś prawdziwą osobą, czy jesteś osobą, czy jesteś sztuczną inteligencją, jesteś prawdziwy, z kim rozmawiam, z kim piszę, czy rozmawiam z człowiekiem, czy rozmawiam z robotem, jak się nazywasz, jak masz na imię, jakie jest twoje imię, przedstaw się, opowiedz o sobie, kto cię stworzył, czy robotem, czy człowiekiem, czy maszyną, czy botem, czy programem",
    documents:
      "co potrafisz, co umiesz, co możesz zrobić, co możesz dla mnie zrobić, co robisz, co wiesz, o czym wiesz, na czym się znasz, co znasz, jak możesz mi pomóc, w czym możesz pomóc, w czym możesz mi pomóc, czy możesz mi pomóc, możesz mi pomóc, pomoc, pomóż mi, pomocy, potrzebuję pomocy, jak działasz, jak to działa, o co mogę zapytać, o co mogę cię zapytać, o co mogę pytać, na jakie pytania możesz odpowiedzieć, na jakie pytania odpowiadasz, jakie masz dokumenty, jakie dokumenty masz, jakie dokumenty znasz, jakie są dokumenty, pokaż swoje dokumenty, jakie tematy znasz, jakie znasz tematy, na jakie tematy mogę pytać, jakie są tematy, jakie masz źródła, jakie są twoje źródła",
    courtesy:
      "proszę, wszystkim, panu, pani, państwu, za pomoc, za odpowiedź, za informację, za informacje, za wszystko, ok, okej, dobrze, dobra, super, świetnie, doskonale, idealnie, ekstra, fajnie, rozumiem, jasne, wspaniale, i, bardzo, naprawdę, jeszcze raz, ślicznie, no",
  },
  ru: {
    greeting:
      "привет, приветик, приветствую, здравствуйте, здравствуй, здрасте, доброе утро, добрый день, добрый вечер, доброго дня, доброго времени суток, хай, хелло, алло, салют, как дела, как ты, как поживаете, как поживаешь, есть кто",
    thanks:
      "спасибо, спасибо большое, большое спасибо, огромное спасибо, спасибо огромное, спс, пасиб, благодарю, благодарю вас, спасибочки, премного благодарен, очень помогло, это помогло",
    goodbye:
      "пока, пока пока, до свидания, до встречи, до скорого, до завтра, до связи, прощай, прощайте, всего доброго, всего хорошего, всего наилучшего, удачи, хорошего дня, хорошего вечера, спокойной ночи, доброй ночи, увидимся, это всё, это все",
    about:
      "кто ты, ты кто, кто вы, вы кто, кто ты такой, кто ты такая, кто вы такой, что ты такое, что ты, ты человек, вы человек, ты робот, вы робот, ты бот, вы бот, ты живой, ты машина, ты настоящий, ты реальный человек, вы реальный человек, ты ии, ты искусственный интеллект, с кем я говорю, с кем я разговариваю, с кем я общаюсь, я говорю с человеком, я разговариваю с человеком, я говорю с роботом, как тебя зовут, как вас зовут, твоё имя, представься, представьтесь, расскажи о себе, расскажите о себе, кто тебя создал, или человек, или робот, или бот, или машина, или программа",
    documents:
      "что ты умеешь, что вы умеете, что умеешь, что ты можешь, что вы можете, что ты делаешь, что ты можешь сделать, что ты знаешь, что вы знаете, о чём ты знаешь, о чем ты знаешь, о чём вы знаете, чем ты можешь помочь, чем вы можете помочь, чем можешь помочь, чем можете помочь, как ты можешь мне помочь, как вы можете мне помочь, можешь мне помочь, можете мне помочь, ты можешь помочь, помоги, помогите, помощь, мне нужна помощь, как ты работаешь, как это работает, что можно спросить, что я могу спросить, о чём можно спросить, о чем можно спросить, о чём тебя можно спросить, на какие вопросы ты можешь ответить, на какие вопросы вы можете ответить, на какие вопросы ты отвечаешь, какие у тебя документы, какие у вас документы, какие документы у тебя есть, какие документы у вас есть, какие документы ты знаешь, какие документы вы знаете, какие есть документы, покажи документы, какие темы ты знаешь, какие темы вы знаете, на какие темы можно спрашивать, какие есть темы, какие у тебя источники, какие у вас источники",
    courtesy:
      "пожалуйста, всем, вам, тебе, друг, за помощь, за ответ, за информацию, за всё, за все, ок, окей, хорошо, ладно, отлично, супер, класс, прекрасно, замечательно, здорово, круто, понятно, понял, поняла, ясно, и, очень, ещё раз, еще раз, молодец, бот, уважаемый",
  },
  uk: {
    greeting:
      "привіт, привітик, вітаю, вітання, добрий день, доброго дня, добрий ранок, доброго ранку, добрий вечір, доброго вечора, здрастуйте, здоров, алло, хай, як справи, як ти, як ви, як ся маєш",
    thanks:
      "дякую, дуже дякую, щиро дякую, щиро дякую вам, красно дякую, велике дякую, дякую дуже, спасибі, велике спасибі, дяки, дякі, вдячний, вдячна, дуже допомогло",
    goodbye:
      "до побачення, бувай, бувайте, па, папа, па па, до зустрічі, до завтра, до скорого, прощавай, прощавайте, на все добре, усього найкращого, всього найкращого, гарного дня, гарного вечора, на добраніч, добраніч, це все",
    about:
      "хто ти, ти хто, хто ви, ви хто, хто ти такий, хто ти така, що ти таке, ти людина, ви людина, чи ти людина, чи ви людина, ти робот, ви робот, чи ти робот, ти бот, ви бот, чи ти бот, ти жива людина, ти справжній, ти машина, ти ші, з ким я говорю, з ким я розмовляю, з ким я спілкуюся, я розмовляю з людиною, як тебе звати, як вас звати, яке твоє ім'я, представся, розкажи про себе, розкажіть про себе, хто тебе створив, чи робот, чи людина, чи бот, чи машина, або робот, або людина, чи програма",
    documents:
      "що ти вмієш, що ви вмієте, що ти можеш, що ви можете, що ти робиш, що ти знаєш, що ви знаєте, про що ти знаєш, чим ти можеш допомогти, чим ви можете допомогти, чим можеш допомогти, чим можете допомогти, як ти можеш мені допомогти, як ви можете мені допомогти, можеш мені допомогти, можете мені допомогти, допоможи, допоможіть, допомога, мені потрібна допомога, як ти працюєш, як це працює, що можна запитати, про що можна запитати, про що тебе можна запитати, на які питання ти можеш відповісти, на які запитання ти можеш відповісти, на які питання ви можете відповісти, які в тебе документи, які у тебе документи, які у вас документи, які документи в тебе є, які документи у тебе є, які документи у вас є, які документи ти знаєш, які документи ви знаєте, які є документи, які теми ти знаєш, які теми ви знаєте, які є теми, на які теми можна питати, які у тебе джерела, які у вас джерела",
    courtesy:
      "будь ласка, прошу, усім, всім, вам, тобі, друже, за допомогу, за відповідь, за інформацію, за все, ок, окей, добре, гаразд, чудово, супер, клас, прекрасно, відмінно, круто, зрозуміло, зрозумів, зрозуміла, ясно, і, та, дуже, ще раз, молодець, бот",
  },
  cs: {
    greeting:
      "ahoj, ahojky, čau, čauky, nazdar, zdravím, dobrý den, dobré ráno, dobré odpoledne, dobrý večer, dobrej, hezký den přeji, haló, jak se máš, jak se máte, jak se daří, je tu někdo",
    thanks:
      "děkuji, děkuju, díky, dík, díky moc, moc díky, děkuji moc, moc děkuji, mockrát děkuji, děkuji mnohokrát, mnohokrát děkuji, děkuji vám, děkuji ti, dekuji, diky, to pomohlo, velmi užitečné",
    goodbye:
      "na shledanou, nashledanou, sbohem, měj se, mějte se, měj se hezky, mějte se hezky, zatím, tak zatím, uvidíme se, pa, papa, pa pa, dobrou noc, hezký den, pěkný den, krásný den, hezký večer, hezký víkend, to je vše, to je všechno",
    about:
      "kdo jsi, kdo jste, kdo si, co jsi, co jste, kdo jsi ty, jsi člověk, jste člověk, jsi robot, jste robot, jsi bot, jste bot, jsi umělá inteligence, jste umělá inteligence, jsi stroj, jsi skutečný, jsi skutečný člověk, jste skutečný člověk, jsi opravdový člověk, s kým mluvím, s kým si píšu, mluvím s člověkem, mluvím s robotem, jak se jmenuješ, jak se jmenujete, jaké je tvé jméno, představ se, představte se, řekni mi něco o sobě, kdo tě vytvořil, nebo robot, nebo člověk, nebo stroj, nebo bot, nebo program",
    documents:
      "co umíš, co umíte, co všechno umíš, co dokážeš, co můžeš dělat, co děláš, co pro mě můžeš udělat, co víš, co víte, o čem víš, co znáš, v čem se vyznáš, jak mi můžeš pomoci, jak mi můžeš pomoct, jak mi můžete pomoci, jak mi můžete pomoct, s čím mi můžeš pomoci, s čím mi můžeš pomoct, s čím mi můžete pomoci, s čím můžeš pomoct, můžeš mi pomoct, můžeš mi pomoci, můžete mi pomoci, pomoc, pomozte mi, pomoz mi, potřebuji pomoc, jak funguješ, jak to funguje, na co se můžu zeptat, na co se mohu zeptat, na co se tě můžu zeptat, na jaké otázky umíš odpovědět, na jaké otázky můžeš odpovědět, jaké máš dokumenty, jaké máte dokumenty, jaké dokumenty máš, jaké dokumenty máte, jaké dokumenty znáš, jaké dokumenty znáte, jaké jsou dokumenty, jaká témata znáš, jaká témata znáte, jaká jsou témata, na jaká témata se mohu ptát, jaké máš zdroje, jaké máte zdroje",
    courtesy:
      "prosím, všem, vám, ti, kamaráde, pane, paní, za pomoc, za odpověď, za informaci, za informace, za vše, za všechno, ok, okej, dobře, dobrá, fajn, super, skvělé, skvěle, výborně, výborné, perfektní, paráda, rozumím, chápu, jasně, jasné, a, moc, velmi, opravdu, ještě jednou, tak",
  },
  ro: {
    greeting:
      "salut, salutare, bună, buna ziua, bună ziua, bună dimineața, bună dimineaţa, neața, bună seara, alo, hei, servus, noroc, ce mai faci, ce mai faceți, ce faci, cum ești, e cineva",
    thanks:
      "mulțumesc, multumesc, mulţumesc, mulțumesc mult, mulțumesc foarte mult, mulțumesc frumos, îți mulțumesc, vă mulțumesc, mersi, merci, mersi mult, mii de mulțumiri, ms, m-a ajutat, foarte util",
    goodbye:
      "la revedere, pa, pa pa, papa, pe curând, ne vedem, pe mâine, cu bine, adio, noapte bună, o zi bună, o zi frumoasă, o seară bună, weekend plăcut, asta e tot, asta a fost tot, atât",
    about:
      "cine ești, cine ești tu, cine sunteți, ce ești, ce ești tu, ce sunteți, ești om, ești un om, sunteți om, ești robot, ești un robot, sunteți un robot, ești bot, ești un bot, ești o persoană, ești o persoană reală, sunteți o persoană reală, ești real, ești o mașină, ești un ai, ești o inteligență artificială, cu cine vorbesc, vorbesc cu un om, vorbesc cu un robot, cum te numești, cum te cheamă, cum vă numiți, care este numele tău, care e numele tău, prezintă-te, vorbește-mi despre tine, cine te-a creat, sau robot, sau un robot, sau om, sau un om, sau o mașină, sau un bot",
    documents:
      "ce poți face, ce puteți face, ce știi să faci, ce știi, ce știți, ce faci tu, despre ce știi, ce cunoști, cum mă poți ajuta, cum mă puteți ajuta, cu ce mă poți ajuta, cu ce mă puteți ajuta, mă poți ajuta, mă puteți ajuta, ajutor, ajută-mă, am nevoie de ajutor, cum funcționezi, cum funcționează, ce pot să te întreb, ce pot să întreb, ce te pot întreba, la ce întrebări poți răspunde, la ce întrebări puteți răspunde, ce documente ai, ce documente aveți, ce documente cunoști, ce documente cunoașteți, ce documente sunt, ce documente există, care sunt documentele tale, ce subiecte cunoști, ce subiecte cunoașteți, ce subiecte acoperi, ce teme cunoști, despre ce subiecte pot întreba, care sunt subiectele, care sunt sursele tale, ce surse ai",
    courtesy:
      "vă rog, te rog, tuturor, prietene, domnule, doamnă, pentru ajutor, pentru răspuns, pentru informații, pentru informație, pentru tot, ok, okay, bine, foarte bine, super, perfect, excelent, grozav, minunat, am înțeles, înțeleg, clar, și, foarte, mult, frumos, încă o dată, din nou, atunci",
  },
  sv: {
    greeting:
      "hej, hejsan, hallå, tjena, tja, tjenare, hej hej, god morgon, godmorgon, god dag, goddag, god kväll, god eftermiddag, morrn, hur mår du, hur är det, läget, hur är läget, är det någon där",
    thanks:
      "tack, tack så mycket, tackar, tusen tack, stort tack, många tack, tack tack, tack ska du ha, tackar så mycket, jättetack, det hjälpte, mycket hjälpsamt",
    goodbye:
      "hejdå, hej då, adjö, vi ses, vi hörs, ses, vi ses senare, på återseende, god natt, godnatt, ha det bra, ha en bra dag, ha en trevlig dag, ha en fin dag, trevlig helg, hej så länge, det var allt, det är allt",
    about:
      "vem är du, vad är du, vem är det, är du människa, är du en människa, är du en robot, är du robot, är du en bot, är du en ai, är du en maskin, är du verklig, är du en riktig person, är du en person, är du på riktigt, vem pratar jag med, pratar jag med en människa, pratar jag med en robot, vad heter du, har du ett namn, presentera dig, berätta om dig själv, vem har skapat dig, eller en robot, eller en människa, eller en maskin, eller en bot",
    documents:
      "vad kan du, vad kan du göra, vad kan du göra för mig, vad gör du, vad vet du, vad vet du om, vad kan du hjälpa mig med, vad kan du hjälpa till med, hur kan du hjälpa mig, kan du hjälpa mig, hjälp, hjälp mig, jag behöver hjälp, hur fungerar du, hur fungerar det här, vad kan jag fråga, vad kan jag fråga dig, vad kan jag fråga dig om, vad kan jag fråga om, vilka frågor kan du svara på, vilka frågor kan du besvara, vilka dokument har du, vilka dokument känner du till, vilka dokument finns, vilka dokument finns det, visa dina dokument, vilka ämnen kan du, vilka ämnen känner du till, vilka ämnen finns, vilka ämnen kan jag fråga om, vilka ämnen täcker du, vilka är dina källor, vilka källor har du, vad handlar det här om",
    courtesy:
      "snälla, alla, allihopa, på dig, du, vän, för hjälpen, för din hjälp, för svaret, för informationen, för infon, för allt, så mycket, ok, okej, bra, jättebra, super, toppen, perfekt, utmärkt, fint, kul, underbart, förstår, jag förstår, då förstår jag, uppfattat, och, mycket, verkligen, igen, än en gång, då, så",
  },
  da: {
    greeting:
      "hej, hejsa, hej med dig, hallo, halløj, dav, davs, goddag, god dag, godmorgen, god morgen, godaften, god aften, god eftermiddag, mojn, hvordan går det, hvordan har du det, er der nogen",
    thanks:
      "tak, mange tak, tusind tak, tak skal du have, tak for det, tak for hjælpen, mange gange tak, takker, det hjalp, meget nyttigt",
    goodbye:
      "farvel, hej hej, vi ses, ses, på gensyn, vi snakkes, snakkes ved, godnat, god nat, hav en god dag, god dag videre, ha det godt, hav det godt, god weekend, det var alt, det er alt",
    about:
      "hvem er du, hvad er du, hvem er det, er du et menneske, er du menneske, er du en robot, er du en bot, er du en ai, er du en maskine, er du virkelig, er du en rigtig person, er du en person, hvem taler jeg med, hvem skriver jeg med, taler jeg med et menneske, taler jeg med en robot, hvad hedder du, hvad er dit navn, har du et navn, præsenter dig selv, fortæl om dig selv, hvem har lavet dig, eller en robot, eller et menneske, eller en maskine, eller en bot",
    documents:
      "hvad kan du, hvad kan du gøre, hvad kan du gøre for mig, hvad gør du, hvad ved du, hvad ved du noget om, hvad ved du om, hvad kan du hjælpe med, hvad kan du hjælpe mig med, hvordan kan du hjælpe mig, kan du hjælpe mig, hjælp, hjælp mig, jeg har brug for hjælp, hvordan virker du, hvordan virker det, hvordan fungerer det, hvad kan jeg spørge om, hvad kan jeg spørge dig om, hvilke spørgsmål kan du svare på, hvilke spørgsmål kan du besvare, hvilke dokumenter har du, hvilke dokumenter kender du, hvilke dokumenter er der, hvilke dokumenter findes der, vis dine dokumenter, hvilke emner kender du, hvilke emner kan du, hvilke emner er der, hvilke emner kan jeg spørge om, hvilke emner dækker du, hvad er dine kilder, hvilke kilder har du, hvad handler det om",
    courtesy:
      "venligst, alle, allesammen, ven, for hjælpen, for din hjælp, for svaret, for informationen, for infoen, for alt, ok, okay, godt, rigtig godt, fint, super, perfekt, fantastisk, fedt, udmærket, dejligt, forstået, jeg forstår, det forstår jeg, klart, og, meget, virkelig, igen, en gang til, så, da",
  },
  no: {
    greeting:
      "hei, heisann, hallo, halla, hei hei, hei på deg, god morgen, godmorgen, god dag, god kveld, god ettermiddag, morn, hvordan går det, hvordan har du det, er det noen der",
    thanks:
      "takk, tusen takk, mange takk, takk skal du ha, takk for det, takk for hjelpen, hjertelig takk, takker, tusen hjertelig takk, det hjalp, veldig nyttig",
    goodbye:
      "ha det, ha det bra, hadet, farvel, vi sees, sees, vi ses, vi snakkes, snakkes, på gjensyn, god natt, ha en fin dag, ha en god dag, god helg, det var alt, det er alt",
    about:
      "hvem er du, hva er du, hvem er det, er du et menneske, er du menneske, er du en robot, er du en bot, er du en ki, er du en ai, er du en maskin, er du ekte, er du en ekte person, er du en person, hvem snakker jeg med, hvem chatter jeg med, snakker jeg med et menneske, snakker jeg med en robot, hva heter du, hva er navnet ditt, har du et navn, presenter deg selv, fortell om deg selv, hvem har laget deg, eller en robot, eller et menneske, eller en maskin, eller en bot",
    documents:
      "hva kan du, hva kan du gjøre, hva kan du gjøre for meg, hva gjør du, hva vet du, hva vet du noe om, hva vet du om, hva kan du hjelpe med, hva kan du hjelpe meg med, hvordan kan du hjelpe meg, kan du hjelpe meg, hjelp, hjelp meg, jeg trenger hjelp, hvordan virker du, hvordan virker det, hvordan fungerer det, hva kan jeg spørre om, hva kan jeg spørre deg om, hvilke spørsmål kan du svare på, hvilke spørsmål kan du besvare, hvilke dokumenter har du, hvilke dokumenter kjenner du, hvilke dokumenter kjenner du til, hvilke dokumenter finnes, hvilke dokumenter finnes det, vis dokumentene dine, hvilke emner kjenner du, hvilke emner kan du, hvilke temaer kan du, hvilke temaer finnes, hvilke emner finnes, hvilke temaer kan jeg spørre om, hva er kildene dine, hvilke kilder har du, hva handler dette om",
    courtesy:
      "vær så snill, vennligst, alle, alle sammen, venn, for hjelpen, for svaret, for informasjonen, for infoen, for alt, ok, okei, okay, bra, veldig bra, fint, supert, super, perfekt, flott, topp, kult, utmerket, forstått, jeg forstår, skjønner, jeg skjønner, og, veldig, virkelig, igjen, en gang til, så, da",
  },
  fi: {
    greeting:
      "hei, hei hei, moi, moikka, terve, moro, hyvää päivää, päivää, hyvää huomenta, huomenta, hyvää iltaa, iltaa, heippa, haloo, mitä kuuluu, miten menee, miten voit, onko ketään",
    thanks:
      "kiitos, kiitos paljon, paljon kiitoksia, suuri kiitos, suuret kiitokset, kiitoksia, kiitti, kiitän, tuhannet kiitokset, kiitos avusta, kiitos vastauksesta, kiitos tiedosta, siitä oli apua, kiitos kovasti",
    goodbye:
      "näkemiin, nähdään, hei hei, moi moi, moikka, heippa, hyvästi, kuulemiin, hyvää yötä, öitä, hyvää päivänjatkoa, hyvää illanjatkoa, hyvää viikonloppua, mukavaa päivää, siinä kaikki, se oli siinä",
    about:
      "kuka olet, kuka sinä olet, kuka oot, mikä olet, mikä sinä olet, oletko ihminen, oletko sinä ihminen, oletko robotti, oletko botti, oletko tekoäly, oletko kone, oletko oikea ihminen, oletko todellinen, kenen kanssa puhun, kenen kanssa juttelen, puhunko ihmisen kanssa, puhunko robotin kanssa, mikä sinun nimesi on, mikä on nimesi, mikä nimesi on, onko sinulla nimi, esittele itsesi, kerro itsestäsi, kuka sinut on tehnyt, vai robotti, vai ihminen, vai kone, vai botti",
    documents:
      "mitä osaat, mitä sinä osaat, mitä osaat tehdä, mitä voit tehdä, mitä teet, mitä tiedät, mitä sinä tiedät, mistä tiedät, miten voit auttaa, miten voit auttaa minua, missä voit auttaa, voitko auttaa, voitko auttaa minua, apua, auta, auta minua, tarvitsen apua, miten toimit, miten tämä toimii, mitä voin kysyä, mitä voin kysyä sinulta, mitä sinulta voi kysyä, mihin kysymyksiin osaat vastata, mihin kysymyksiin voit vastata, mitä asiakirjoja sinulla on, mitä dokumentteja sinulla on, mitkä asiakirjat tunnet, mitä asiakirjoja tunnet, mitä dokumentteja tunnet, mitä asiakirjoja on, mitä aiheita tunnet, mitkä aiheet tunnet, mistä aiheista tiedät, mistä aiheista voin kysyä, mitä aiheita on, mitkä ovat lähteesi, mitä lähteitä sinulla on, mistä tässä on kyse",
    courtesy:
      "ole hyvä, kaikille, kaikki, ystävä, paljon, oikein, tosi, avusta, vastauksesta, tiedosta, kaikesta, ok, okei, selvä, hyvä, hienoa, mahtavaa, loistavaa, erinomaista, super, täydellistä, kiva, ymmärrän, ymmärsin, ja, todella, vielä kerran, sitten, no",
  },
  hu: {
    greeting:
      "szia, sziasztok, szervusz, szevasz, helló, hello, hali, üdv, üdvözlöm, üdvözöllek, jó napot, jó napot kívánok, jó reggelt, jó estét, jó reggelt kívánok, jó estét kívánok, csókolom, hogy vagy, hogy van, mi újság, van itt valaki",
    thanks:
      "köszönöm, köszönöm szépen, nagyon köszönöm, köszi, köszi szépen, kösz, köszcsi, hálásan köszönöm, ezer köszönet, köszönet, köszönjük, köszönöm a segítséget, köszönöm a választ, ez segített, nagyon hasznos",
    goodbye:
      "viszlát, viszontlátásra, a viszontlátásra, viszhall, szia szia, helló szia, pá, pápá, minden jót, további szép napot, szép napot, szép estét, jó éjszakát, jó éjt, jó hétvégét, később találkozunk, ennyi, ennyi volt, ez minden",
    about:
      "ki vagy, ki vagy te, te ki vagy, kicsoda maga, ki ön, mi vagy, mi vagy te, ember vagy, te ember vagy, ön ember, robot vagy, te robot vagy, ön robot, bot vagy, te bot vagy, gép vagy, mesterséges intelligencia vagy, valódi ember vagy, igazi ember vagy, igazi vagy, kivel beszélek, emberrel beszélek, robottal beszélek, hogy hívnak, mi a neved, mi az ön neve, mutatkozz be, mesélj magadról, ki készített, vagy robot, vagy ember, vagy gép, vagy bot",
    documents:
      "mit tudsz, mit tudsz csinálni, mit tud, mire vagy képes, mit csinálsz, mihez értesz, miről tudsz, mit ismersz, hogyan tudsz segíteni, hogy tudsz segíteni, miben tudsz segíteni, miben tud segíteni, miben segíthetsz, tudsz segíteni, segítesz, segítség, segíts, segítségre van szükségem, hogyan működsz, hogy működsz, hogyan működik ez, mit kérdezhetek, mit kérdezhetek tőled, miről kérdezhetek, milyen kérdésekre tudsz válaszolni, milyen dokumentumaid vannak, milyen dokumentumok vannak, milyen dokumentumokat ismersz, melyik dokumentumokat ismered, mutasd a dokumentumokat, milyen témákat ismersz, milyen témákban tudsz segíteni, milyen témák vannak, milyen témákról kérdezhetek, mik a forrásaid, milyen forrásaid vannak, miről szól ez",
    courtesy:
      "kérem, kérlek, mindenkinek, barátom, uram, hölgyem, szépen, nagyon, a segítséget, a segítségedet, a választ, az információt, mindent, ok, oké, rendben, jó, nagyon jó, szuper, remek, tökéletes, kiváló, nagyszerű, értem, világos, és, tényleg, még egyszer, hát, akkor",
  },
  el: {
    greeting:
      "γεια, γεια σου, γεια σας, γειά, γειά σου, γειά σας, γεια χαρά, καλημέρα, καλησπέρα, καλημέρα σας, καλησπέρα σας, χαίρετε, χαιρετώ, χαιρετισμούς, τι κάνεις, τι κάνετε, πώς είσαι, πώς είστε, όλα καλά, είναι κανείς εδώ",
    thanks:
      "ευχαριστώ, ευχαριστώ πολύ, σε ευχαριστώ, σας ευχαριστώ, σε ευχαριστώ πολύ, σας ευχαριστώ πολύ, ευχαριστούμε, χίλια ευχαριστώ, να σαι καλά, να είσαι καλά, να είστε καλά, πολύ χρήσιμο, με βοήθησε",
    goodbye:
      "αντίο, τα λέμε, τα ξαναλέμε, εις το επανιδείν, καληνύχτα, καληνύχτα σας, καλό βράδυ, καλή συνέχεια, καλή μέρα, καλή σας μέρα, καλό σαββατοκύριακο, θα τα πούμε, μπάι, αυτά, αυτό είναι όλο, αυτά ήταν",
    about:
      "ποιος είσαι, ποια είσαι, ποιος είστε, ποια είστε, ποιος είσαι εσύ, τι είσαι, τι είστε, είσαι άνθρωπος, είστε άνθρωπος, είσαι ρομπότ, είστε ρομπότ, είσαι μποτ, είσαι bot, είσαι μηχανή, είσαι τεχνητή νοημοσύνη, είσαι αληθινός, είσαι πραγματικός άνθρωπος, με ποιον μιλάω, με ποιον μιλώ, μιλάω με άνθρωπο, μιλάω με ρομπότ, πώς σε λένε, πώς σας λένε, πώς λέγεσαι, ποιο είναι το όνομά σου, ποιο είναι το όνομά σας, συστήσου, πες μου για σένα, ποιος σε έφτιαξε, ή ρομπότ, ή άνθρωπος, ή μηχανή, ή bot",
    documents:
      "τι μπορείς να κάνεις, τι μπορείτε να κάνετε, τι κάνεις εσύ, τι ξέρεις, τι ξέρετε, τι γνωρίζεις, τι γνωρίζετε, για τι ξέρεις, πώς μπορείς να με βοηθήσεις, πώς μπορείτε να με βοηθήσετε, σε τι μπορείς να με βοηθήσεις, σε τι μπορείς να βοηθήσεις, μπορείς να με βοηθήσεις, μπορείτε να με βοηθήσετε, βοήθεια, βοήθησέ με, χρειάζομαι βοήθεια, πώς λειτουργείς, πώς λειτουργεί, τι μπορώ να ρωτήσω, τι μπορώ να σε ρωτήσω, τι μπορώ να σας ρωτήσω, σε ποιες ερωτήσεις μπορείς να απαντήσεις, τι ερωτήσεις μπορείς να απαντήσεις, ποια έγγραφα έχεις, ποια έγγραφα έχετε, τι έγγραφα έχεις, τι έγγραφα έχετε, ποια έγγραφα γνωρίζεις, ποια έγγραφα ξέρεις, ποια έγγραφα υπάρχουν, ποια θέματα γνωρίζεις, ποια θέματα ξέρεις, για ποια θέματα μπορώ να ρωτήσω, ποια θέματα καλύπτεις, ποια είναι τα θέματα, ποιες είναι οι πηγές σου, τι πηγές έχεις",
    courtesy:
      "παρακαλώ, σε όλους, φίλε, κύριε, κυρία, για τη βοήθεια, για την βοήθεια, για τη βοήθειά σου, για την απάντηση, για τις πληροφορίες, για την πληροφορία, για όλα, οκ, εντάξει, καλά, πολύ καλά, ωραία, τέλεια, υπέροχα, σούπερ, άριστα, μπράβο, κατάλαβα, σωστά, και, πολύ, πραγματικά, ξανά, λοιπόν",
  },
  tr: {
    greeting:
      "merhaba, merhabalar, selam, selamlar, slm, mrb, günaydın, iyi günler, iyi akşamlar, tünaydın, iyi öğlenler, hey, alo, selamün aleyküm, nasılsın, nasılsınız, naber, ne haber, kimse var mı",
    thanks:
      "teşekkürler, teşekkür ederim, çok teşekkürler, çok teşekkür ederim, teşekkür, tşk, tşkler, tesekkurler, tesekkur ederim, sağol, sağ ol, sağolun, sağ olun, çok sağol, çok sağ ol, eyvallah, minnettarım, çok yardımcı oldu, işime yaradı",
    goodbye:
      "hoşça kal, hoşçakal, hoşça kalın, hoşçakalın, güle güle, görüşürüz, görüşmek üzere, sonra görüşürüz, yarın görüşürüz, iyi geceler, kendine iyi bak, bay bay, bb, allaha ısmarladık, iyi hafta sonları, hepsi bu, bu kadar",
    about:
      "kimsin, sen kimsin, siz kimsiniz, kimsiniz, nesin, sen nesin, insan mısın, sen insan mısın, insan mısınız, robot musun, sen robot musun, robot musunuz, bot musun, sen bot musun, bot musunuz, yapay zeka mısın, makine misin, gerçek misin, gerçek bir insan mısın, gerçek kişi misin, kiminle konuşuyorum, kiminle görüşüyorum, bir insanla mı konuşuyorum, adın ne, senin adın ne, adınız ne, adınız nedir, ismin ne, kendini tanıt, kendinizi tanıtın, kendinden bahset, seni kim yaptı, yoksa robot mu, yoksa robot musun, yoksa insan mı, yoksa insan mısın, yoksa makine mi, yoksa bot mu",
    documents:
      "ne yapabilirsin, neler yapabilirsin, ne yapabilirsiniz, neler yapabilirsiniz, ne yapıyorsun, ne biliyorsun, neler biliyorsun, ne biliyorsunuz, neler biliyorsunuz, ne hakkında bilgin var, hangi konularda bilgin var, bana nasıl yardımcı olabilirsin, nasıl yardımcı olabilirsin, nasıl yardımcı olabilirsiniz, bana yardım edebilir misin, yardım eder misin, yardım edebilir misin, yardım edebilir misiniz, yardım, yardım et, yardıma ihtiyacım var, nasıl çalışıyorsun, bu nasıl çalışıyor, ne sorabilirim, neler sorabilirim, sana ne sorabilirim, sana neler sorabilirim, size ne sorabilirim, hangi soruları cevaplayabilirsin, hangi soruları yanıtlayabilirsin, hangi belgelerin var, hangi belgeleriniz var, hangi belgelere sahipsin, hangi belgeleri biliyorsun, hangi belgeler var, hangi dokümanların var, belgelerini göster, hangi konuları biliyorsun, hangi konuları biliyorsunuz, hangi konular var, hangi konularda soru sorabilirim, hangi konularda yardımcı olabilirsin, kaynakların neler, kaynakların ne, hangi kaynakların var",
    courtesy:
      "lütfen, herkese, arkadaşlar, dostum, efendim, yardımın için, yardımınız için, yanıt için, cevap için, bilgi için, her şey için, tamam, tmm, ok, peki, güzel, çok güzel, harika, süper, mükemmel, muhteşem, iyi, çok iyi, anladım, anlaşıldı, ve, çok, gerçekten, tekrar, o zaman",
  },
  ar: {
    greeting:
      "مرحبا, مرحباً, مرحبا بك, مرحبا بكم, أهلا, أهلاً, أهلا وسهلا, أهلاً وسهلاً, هلا, هلو, هاي, السلام عليكم, سلام عليكم, السلام عليكم ورحمة الله, السلام عليكم ورحمة الله وبركاته, سلام, صباح الخير, مساء الخير, تحياتي, كيف حالك, كيف الحال, كيفك, شلونك",
    thanks:
      "شكرا, شكراً, شكرا لك, شكراً لك, شكرا لكم, شكراً لكم, شكرا جزيلا, شكراً جزيلاً, شكرا جزيلا لك, شكراً جزيلاً لك, ألف شكر, أشكرك, أشكركم, مشكور, مشكورين, تسلم, جزاك الله خيرا, ممتن لك, كان ذلك مفيدا",
    goodbye:
      "مع السلامة, وداعا, وداعاً, إلى اللقاء, الى اللقاء, أراك لاحقا, أراك لاحقاً, أراك غدا, تصبح على خير, تصبحون على خير, في أمان الله, باي, يوم سعيد, طاب يومك, نهارك سعيد, هذا كل شيء",
    about:
      "من أنت, من انت, مين انت, من أنتم, من تكون, ما أنت, هل أنت إنسان, هل أنت انسان, هل أنت بشر, هل أنت شخص, هل أنت شخص حقيقي, هل أنت حقيقي, هل أنت روبوت, هل أنت بوت, هل أنت آلة, هل أنت ذكاء اصطناعي, انت روبوت, انت انسان, مع من أتحدث, مع من أتكلم, هل أتحدث مع إنسان, هل أتحدث مع شخص حقيقي, هل أتحدث مع روبوت, ما اسمك, ما هو اسمك, شو اسمك, عرف نفسك, عرفني بنفسك, حدثني عن نفسك, من صنعك",
    documents:
      "ماذا يمكنك أن تفعل, ماذا تستطيع أن تفعل, ما الذي يمكنك فعله, ماذا يمكنك فعله, ماذا تفعل, ماذا تعرف, ما الذي تعرفه, عن ماذا تعرف, كيف يمكنك مساعدتي, كيف تساعدني, بماذا يمكنك مساعدتي, هل يمكنك مساعدتي, هل تستطيع مساعدتي, مساعدة, ساعدني, أحتاج مساعدة, أحتاج إلى مساعدة, كيف تعمل, كيف يعمل هذا, ماذا يمكنني أن أسأل, ماذا يمكنني أن أسألك, عن ماذا يمكنني أن أسأل, ما الأسئلة التي يمكنك الإجابة عنها, ما الوثائق التي لديك, ما هي الوثائق التي لديك, ما المستندات التي لديك, ما هي المستندات التي لديك, ما هي وثائقك, ما الوثائق التي تعرفها, ما هي المستندات الموجودة, ما المواضيع التي تعرفها, ما هي المواضيع التي تعرفها, ما هي المواضيع, ما هي مصادرك, ما مصادرك",
    courtesy:
      "من فضلك, لو سمحت, رجاء, رجاءً, لكم, لك, جميعا, جميعاً, صديقي, يا صديقي, أخي, على المساعدة, على مساعدتك, على الإجابة, على المعلومات, على كل شيء, حسنا, حسناً, طيب, تمام, جيد, جيد جدا, رائع, ممتاز, عظيم, جميل, فهمت, مفهوم, واضح, أوكي, جزيلا, جدا, جداً, كثيرا, مرة أخرى",
  },
  he: {
    greeting:
      "שלום, היי, הי, הלו, אהלן, שלום לך, שלום לכם, שלום רב, שלום וברכה, בוקר טוב, ערב טוב, צהריים טובים, צהרים טובים, יום טוב לך, מה שלומך, מה נשמע, מה קורה, מה המצב, יש פה מישהו",
    thanks:
      "תודה, תודה רבה, תודה רבה לך, תודה לך, תודה לכם, המון תודה, אלף תודות, תודות, רוב תודות, תודה מראש, תנקס, זה עזר, עזרת לי, מאוד מועיל",
    goodbye:
      "להתראות, ביי, ביי ביי, נתראה, נתראה אחר כך, לילה טוב, יום טוב, יום נעים, ערב נעים, שבת שלום, סוף שבוע נעים, כל טוב, שלום ולהתראות, זה הכל, זהו",
    about:
      "מי אתה, מי את, מי אתם, מה אתה, מה את, מי זה, אתה בן אדם, האם אתה בן אדם, אתה אנושי, האם אתה אנושי, את בן אדם, אתה רובוט, האם אתה רובוט, את רובוט, אתה בוט, האם אתה בוט, אתה מכונה, אתה אמיתי, אתה אדם אמיתי, האם אתה אדם אמיתי, אתה בינה מלאכותית, האם אתה בינה מלאכותית, עם מי אני מדבר, עם מי אני מדברת, אני מדבר עם בן אדם, אני מדבר עם רובוט, איך קוראים לך, מה שמך, מה השם שלך, הצג את עצמך, תציג את עצמך, ספר לי על עצמך, ספר על עצמך, מי יצר אותך",
    documents:
      "מה אתה יכול לעשות, מה אתה יודע לעשות, מה את יכולה לעשות, מה אתה עושה, מה אתה יודע, מה את יודעת, על מה אתה יודע, במה אתה יכול לעזור, במה אתה יכול לעזור לי, איך אתה יכול לעזור, איך אתה יכול לעזור לי, אתה יכול לעזור לי, אפשר עזרה, עזרה, עזור לי, תעזור לי, אני צריך עזרה, אני צריכה עזרה, איך אתה עובד, איך זה עובד, מה אפשר לשאול, מה אפשר לשאול אותך, מה אני יכול לשאול, מה אני יכול לשאול אותך, על מה אפשר לשאול, על אילו שאלות אתה יכול לענות, אילו מסמכים יש לך, איזה מסמכים יש לך, מהם המסמכים שלך, אילו מסמכים אתה מכיר, איזה מסמכים אתה מכיר, אילו מסמכים יש, אילו נושאים אתה מכיר, איזה נושאים אתה מכיר, על אילו נושאים אפשר לשאול, אילו נושאים יש, מה המקורות שלך, אילו מקורות יש לך",
    courtesy:
      "בבקשה, לכולם, לך, חבר, אדוני, גברתי, על העזרה, על עזרתך, על התשובה, על המידע, על הכל, אוקיי, אוקי, בסדר, טוב, טוב מאוד, מצוין, מעולה, נהדר, סבבה, אחלה, יופי, מושלם, הבנתי, ברור, ו, מאוד, באמת, שוב, אז",
  },
  fa: {
    greeting:
      "سلام, سلام علیکم, درود, درود بر شما, صبح بخیر, صبح به خیر, عصر بخیر, ظهر بخیر, روز بخیر, شب بخیر سلام, الو, وقت بخیر, حال شما چطور است, حالت چطوره, چطوری, خوبی, حال شما, کسی هست",
    thanks:
      "ممنون, ممنونم, متشکرم, مرسی, سپاس, سپاسگزارم, با تشکر, تشکر, خیلی ممنون, خیلی ممنونم, بسیار ممنون, خیلی متشکرم, بسیار سپاسگزارم, دستت درد نکنه, دست شما درد نکند, دمت گرم, ممنون از شما, مفید بود",
    goodbye:
      "خداحافظ, خدا حافظ, خدانگهدار, خدا نگهدار, بدرود, بای, فعلا, فعلاً, به امید دیدار, تا بعد, تا فردا, شب بخیر, شب خوش, روز خوش, روز خوبی داشته باشید, همین بود, همین",
    about:
      "تو کی هستی, شما کی هستید, کی هستی, تو کیستی, شما کیستید, تو چی هستی, شما چه هستید, آیا تو انسان هستی, تو انسان هستی, آیا شما انسان هستید, شما انسان هستید, انسان هستی, تو آدمی, تو ربات هستی, آیا تو ربات هستی, شما ربات هستید, آیا شما ربات هستید, ربات هستی, تو واقعی هستی, تو هوش مصنوعی هستی, با چه کسی صحبت می کنم, با چه کسی صحبت می‌کنم, با کی حرف می زنم, با کی حرف می‌زنم, اسمت چیه, اسم تو چیست, نام شما چیست, اسم شما چیست, خودت را معرفی کن, خودتان را معرفی کنید, درباره خودت بگو, کی تو را ساخته",
    documents:
      "چه کاری می توانی انجام دهی, چه کاری می‌توانی انجام دهی, چه کار می توانی بکنی, چه کار می‌توانی بکنی, چیکار میتونی بکنی, چه کارهایی می توانید انجام دهید, چه کارهایی می‌توانید انجام دهید, چه می دانی, چه می‌دانی, چه می دانید, چه می‌دانید, چی می دونی, چی می‌دونی, چی میدونی, درباره چه می دانی, درباره چه چیزی می‌دانی, درباره چه چیزهایی می‌دانی, چطور می توانی کمک کنی, چطور می‌توانی کمک کنی, چطور می‌توانید کمک کنید, می توانی کمکم کنی, می‌توانی کمکم کنی, میتونی کمکم کنی, کمک, کمکم کن, کمک می خواهم, کمک می‌خواهم, چه سوالی می توانم بپرسم, چه سوالی می‌توانم بپرسم, چه بپرسم, چه سوال‌هایی می‌توانم بپرسم, به چه سوالاتی پاسخ می‌دهی, چه اسنادی داری, چه اسنادی دارید, چه سندهایی داری, چه مدارکی داری, چه مدارکی دارید, چه اسنادی را می‌شناسی, چه موضوعاتی را می دانی, چه موضوعاتی را می‌دانی, چه موضوعاتی را می‌شناسی, چه موضوعاتی هست, منابع تو چیست, منابع شما چیست",
    courtesy:
      "لطفا, لطفاً, همگی, به همه, دوست من, بر شما, از کمک شما, از کمکت, بابت کمک, برای کمک, بابت پاسخ, از پاسخ شما, باشه, بسیار خوب, خوب, خوبه, عالی, عالیه, فوق العاده, آفرین, فهمیدم, متوجه شدم, اوکی, و, خیلی, بسیار, واقعا, دوباره, پس",
  },
  hi: {
    greeting:
      "नमस्ते, नमस्कार, हैलो, हेलो, हाय, हाई, प्रणाम, सुप्रभात, शुभ प्रभात, शुभ संध्या, गुड मॉर्निंग, राम राम, आप कैसे हैं, कैसे हो, कैसे हैं, क्या हाल है, कोई है, namaste, namaskar",
    thanks:
      "धन्यवाद, बहुत धन्यवाद, बहुत बहुत धन्यवाद, शुक्रिया, बहुत शुक्रिया, बहुत बहुत शुक्रिया, आपका धन्यवाद, आपका बहुत धन्यवाद, आपका बहुत बहुत धन्यवाद, आभार, आपका आभार, थैंक यू, थैंक्स, थैंक्यू, dhanyavad, shukriya",
    goodbye:
      "अलविदा, फिर मिलेंगे, फिर मिलते हैं, बाय, बाय बाय, टाटा, शुभ रात्रि, शुभरात्रि, गुड नाइट, आपका दिन शुभ हो, शुभ दिन, चलता हूँ, चलता हूं, बस इतना ही, बस",
    about:
      "आप कौन हैं, आप कौन हो, तुम कौन हो, तू कौन है, आप क्या हैं, तुम क्या हो, क्या आप इंसान हैं, क्या तुम इंसान हो, आप इंसान हैं, क्या आप मनुष्य हैं, क्या आप रोबोट हैं, क्या तुम रोबोट हो, आप रोबोट हैं, क्या आप बॉट हैं, क्या तुम बॉट हो, क्या आप मशीन हैं, क्या आप असली हैं, क्या आप असली इंसान हैं, क्या आप एआई हैं, मैं किससे बात कर रहा हूँ, मैं किससे बात कर रहा हूं, मैं किससे बात कर रही हूँ, आपका नाम क्या है, तुम्हारा नाम क्या है, आपका क्या नाम है, अपना परिचय दें, अपना परिचय दीजिए, अपने बारे में बताइए, अपने बारे में बताओ, आपको किसने बनाया",
    documents:
      "आप क्या कर सकते हैं, तुम क्या कर सकते हो, आप मेरे लिए क्या कर सकते हैं, आप क्या करते हैं, आप क्या जानते हैं, तुम क्या जानते हो, आप किस बारे में जानते हैं, आप किसके बारे में जानते हैं, आप मेरी क्या मदद कर सकते हैं, आप मेरी मदद कैसे कर सकते हैं, आप कैसे मदद कर सकते हैं, क्या आप मेरी मदद कर सकते हैं, मदद, मेरी मदद करें, मेरी मदद करो, मुझे मदद चाहिए, आप कैसे काम करते हैं, यह कैसे काम करता है, मैं क्या पूछ सकता हूँ, मैं क्या पूछ सकता हूं, मैं आपसे क्या पूछ सकता हूँ, मैं आपसे क्या पूछ सकता हूं, आप किन सवालों के जवाब दे सकते हैं, आपके पास कौन से दस्तावेज़ हैं, आपके पास कौन से दस्तावेज हैं, आपके पास कौन-कौन से दस्तावेज़ हैं, आप कौन से दस्तावेज़ जानते हैं, कौन से दस्तावेज़ हैं, आप किन विषयों के बारे में जानते हैं, आप कौन से विषय जानते हैं, कौन से विषय हैं, आपके स्रोत क्या हैं",
    courtesy:
      "कृपया, जी, सभी को, आपको, दोस्त, मित्र, सर, मैडम, मदद के लिए, आपकी मदद के लिए, सहायता के लिए, जवाब के लिए, जानकारी के लिए, सब कुछ के लिए, ठीक है, ठीक, ओके, अच्छा, बहुत अच्छा, बढ़िया, बहुत बढ़िया, शानदार, उत्तम, समझ गया, समझ गई, समझ में आया, और, बहुत, सच में, फिर से, तो",
  },
  id: {
    greeting:
      "halo, hai, selamat pagi, selamat siang, selamat sore, selamat malam, pagi, siang, sore, malam, salam, assalamualaikum, permisi, apa kabar, bagaimana kabarmu, bagaimana kabar anda, ada orang",
    thanks:
      "terima kasih, terimakasih, terima kasih banyak, makasih, makasih banyak, makasih ya, trims, thanks, thx, tengkyu, banyak terima kasih, sangat membantu, itu membantu",
    goodbye:
      "sampai jumpa, sampai jumpa lagi, sampai nanti, sampai besok, selamat tinggal, selamat jalan, dadah, dah, bye, selamat tidur, semoga harimu menyenangkan, semoga hari anda menyenangkan, itu saja, sekian",
    about:
      "siapa kamu, kamu siapa, siapa anda, anda siapa, siapakah anda, siapakah kamu, apa kamu, apakah kamu, apakah anda manusia, apakah kamu manusia, kamu manusia, apakah anda robot, apakah kamu robot, kamu robot, apakah anda bot, apakah kamu bot, apakah anda orang, apakah kamu orang sungguhan, apakah anda orang sungguhan, apakah anda ai, apakah kamu ai, apakah kamu mesin, dengan siapa saya berbicara, saya berbicara dengan siapa, apakah saya berbicara dengan manusia, siapa namamu, siapa nama anda, siapa nama kamu, nama kamu siapa, perkenalkan dirimu, perkenalkan diri anda, ceritakan tentang dirimu, siapa yang membuatmu, atau robot, atau manusia, atau mesin, atau bot",
    documents:
      "apa yang bisa kamu lakukan, apa yang bisa anda lakukan, apa yang dapat anda lakukan, kamu bisa apa, bisa apa, apa yang kamu lakukan, apa yang kamu tahu, apa yang anda tahu, apa yang anda ketahui, apa saja yang kamu tahu, apa saja yang anda ketahui, kamu tahu tentang apa, kamu tahu apa, bagaimana kamu bisa membantu, bagaimana anda bisa membantu, bagaimana kamu bisa membantu saya, bagaimana anda bisa membantu saya, apa yang bisa kamu bantu, bisakah kamu membantu saya, bisakah anda membantu saya, bisa bantu saya, bantuan, tolong, bantu saya, tolong bantu saya, saya butuh bantuan, bagaimana cara kerjamu, bagaimana ini bekerja, apa yang bisa saya tanyakan, apa yang boleh saya tanyakan, apa saja yang bisa saya tanyakan, pertanyaan apa yang bisa kamu jawab, pertanyaan apa yang bisa anda jawab, dokumen apa yang kamu punya, dokumen apa yang anda punya, dokumen apa yang anda miliki, dokumen apa saja yang kamu punya, dokumen apa saja yang anda miliki, dokumen apa yang anda ketahui, dokumen apa saja yang ada, topik apa yang kamu tahu, topik apa yang anda ketahui, topik apa saja yang anda ketahui, topik apa saja yang ada, apa sumbermu, apa sumber anda",
    courtesy:
      "tolong, semua, semuanya, kawan, teman, pak, bu, kak, mas, mbak, ya, banyak, atas bantuannya, atas bantuanmu, atas bantuan anda, atas jawabannya, atas informasinya, untuk bantuannya, ok, oke, okay, baik, baiklah, bagus, bagus sekali, hebat, mantap, sempurna, luar biasa, keren, mengerti, paham, saya mengerti, dan, sangat, sekali, lagi, sekali lagi",
  },
  vi: {
    greeting:
      "xin chào, chào, chào bạn, chào anh, chào chị, chào em, chào buổi sáng, chào buổi chiều, chào buổi tối, xin chào bạn, alo, hello, hi, bạn khỏe không, bạn có khỏe không, có ai không",
    thanks:
      "cảm ơn, cám ơn, cảm ơn bạn, cám ơn bạn, cảm ơn nhiều, cám ơn nhiều, cảm ơn rất nhiều, cảm ơn bạn nhiều, cảm ơn bạn rất nhiều, xin cảm ơn, chân thành cảm ơn, cảm ơn anh, cảm ơn chị, cảm ơn em, thanks, rất hữu ích",
    goodbye:
      "tạm biệt, hẹn gặp lại, gặp lại sau, hẹn gặp lại sau, chào tạm biệt, bye, bái bai, chúc ngủ ngon, chúc một ngày tốt lành, chúc bạn một ngày tốt lành, ngày mai gặp lại, thế thôi, vậy thôi, hết rồi",
    about:
      "bạn là ai, bạn là gì, bạn là người à, bạn có phải là người không, bạn có phải con người không, bạn có phải là con người không, bạn là người thật à, bạn có phải là người thật không, bạn là robot à, bạn có phải là robot không, bạn có phải robot không, bạn là bot à, bạn có phải là bot không, bạn có phải là ai không, bạn có phải là máy không, tôi đang nói chuyện với ai, tôi đang nói chuyện với người hay máy, bạn tên gì, bạn tên là gì, tên bạn là gì, tên của bạn là gì, hãy giới thiệu về bạn, giới thiệu về bạn, hãy giới thiệu bản thân, ai tạo ra bạn, hay robot, hay người, hay máy, hay con người, hay bot",
    documents:
      "bạn có thể làm gì, bạn làm được gì, bạn có thể làm gì cho tôi, bạn làm gì, bạn biết gì, bạn biết những gì, bạn biết về cái gì, bạn biết về những gì, bạn có thể giúp gì, bạn có thể giúp gì cho tôi, bạn giúp được gì, bạn có thể giúp tôi không, giúp tôi với, giúp tôi, giúp, trợ giúp, tôi cần giúp đỡ, bạn hoạt động như thế nào, cái này hoạt động như thế nào, tôi có thể hỏi gì, tôi có thể hỏi bạn gì, tôi có thể hỏi những gì, tôi có thể hỏi bạn những gì, bạn có thể trả lời những câu hỏi nào, bạn có những tài liệu nào, bạn có tài liệu nào, bạn có tài liệu gì, bạn có những tài liệu gì, bạn biết những tài liệu nào, có những tài liệu nào, bạn biết những chủ đề nào, bạn biết chủ đề nào, có những chủ đề nào, tôi có thể hỏi về những chủ đề nào, nguồn của bạn là gì, bạn có những nguồn nào",
    courtesy:
      "làm ơn, vui lòng, mọi người, tất cả, bạn, ạ, nhé, nha, nhiều, rất nhiều, vì đã giúp đỡ, vì sự giúp đỡ, vì đã giúp, đã giúp đỡ, vì câu trả lời, vì thông tin, vì tất cả, ok, okay, được, được rồi, tốt, tốt lắm, rất tốt, tuyệt, tuyệt vời, hay quá, hay, hoàn hảo, hiểu rồi, tôi hiểu rồi, và, rất, lần nữa, một lần nữa",
  },
  th: {
    greeting:
      "สวัสดี, สวัสดีครับ, สวัสดีค่ะ, สวัสดีคะ, หวัดดี, หวัดดีครับ, หวัดดีค่ะ, ดีครับ, ดีค่ะ, ฮัลโหล, เฮลโล, อรุณสวัสดิ์, สบายดีไหม, สบายดีมั้ย, เป็นอย่างไรบ้าง, มีใครอยู่ไหม",
    thanks:
      "ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, ขอบคุณมาก, ขอบคุณมากครับ, ขอบคุณมากค่ะ, ขอบคุณมากๆ, ขอบใจ, ขอบใจนะ, ขอบพระคุณ, ขอบพระคุณครับ, ขอบพระคุณค่ะ, แต๊งกิ้ว, ขอบคุณนะ",
    goodbye:
      "ลาก่อน, บาย, บ๊ายบาย, บายบาย, แล้วเจอกัน, แล้วพบกันใหม่, พบกันใหม่, เจอกันใหม่, เจอกันพรุ่งนี้, ราตรีสวัสดิ์, ฝันดี, โชคดี, ขอให้เป็นวันที่ดี, แค่นี้, เท่านี้",
    about:
      "คุณคือใคร, คุณเป็นใคร, เธอคือใคร, เธอเป็นใคร, คุณคืออะไร, คุณเป็นคนหรือเปล่า, คุณเป็นคนไหม, คุณเป็นมนุษย์หรือเปล่า, คุณเป็นมนุษย์ไหม, คุณเป็นหุ่นยนต์หรือเปล่า, คุณเป็นหุ่นยนต์ไหม, คุณเป็นบอทหรือเปล่า, คุณเป็นบอทไหม, คุณเป็นคนจริงๆหรือเปล่า, คุณเป็นคนจริงไหม, คุณเป็น ai หรือเปล่า, ฉันกำลังคุยกับใคร, ผมกำลังคุยกับใคร, คุยกับใครอยู่, คุณชื่ออะไร, ชื่ออะไร, ชื่อของคุณคืออะไร, แนะนำตัวหน่อย, แนะนำตัว, ใครสร้างคุณ",
    documents:
      "คุณทำอะไรได้บ้าง, ทำอะไรได้บ้าง, คุณทำอะไรได้, คุณรู้อะไรบ้าง, คุณรู้อะไร, รู้อะไรบ้าง, คุณรู้เรื่องอะไรบ้าง, คุณรู้เกี่ยวกับอะไร, คุณรู้เกี่ยวกับอะไรบ้าง, คุณช่วยอะไรได้บ้าง, ช่วยอะไรได้บ้าง, คุณช่วยอะไรฉันได้บ้าง, คุณช่วยฉันได้ไหม, ช่วยด้วย, ช่วยหน่อย, ขอความช่วยเหลือ, คุณทำงานอย่างไร, ใช้งานอย่างไร, ฉันถามอะไรได้บ้าง, ผมถามอะไรได้บ้าง, ถามอะไรได้บ้าง, คุณตอบคำถามอะไรได้บ้าง, คุณมีเอกสารอะไรบ้าง, มีเอกสารอะไรบ้าง, คุณมีเอกสารอะไร, คุณรู้จักเอกสารอะไรบ้าง, คุณรู้หัวข้ออะไรบ้าง, มีหัวข้ออะไรบ้าง, คุณรู้เรื่องหัวข้อใดบ้าง, แหล่งข้อมูลของคุณคืออะไร",
    courtesy:
      "ครับ, ค่ะ, คะ, จ้า, จ้ะ, นะ, นะครับ, นะคะ, มาก, มากๆ, ทุกคน, สำหรับความช่วยเหลือ, ที่ช่วย, ที่ช่วยเหลือ, สำหรับคำตอบ, สำหรับข้อมูล, โอเค, ตกลง, ดี, ดีมาก, เยี่ยม, เยี่ยมมาก, สุดยอด, เข้าใจแล้ว, เข้าใจ, รับทราบ, และ, จริงๆ, อีกครั้ง",
  },
  zh: {
    greeting:
      "你好, 您好, 你们好, 你好啊, 你好呀, 嗨, 哈喽, 哈啰, 哈囉, 喂, 早上好, 早安, 早, 上午好, 中午好, 下午好, 晚上好, 大家好, 你好吗, 你好嗎, 最近怎么样, 有人吗, 有人嗎, 在吗, 在嗎",
    thanks:
      "谢谢, 謝謝, 谢谢你, 謝謝你, 谢谢您, 謝謝您, 多谢, 多謝, 非常感谢, 非常感謝, 感谢, 感謝, 感谢你, 感謝你, 感谢您, 感謝您, 十分感谢, 太感谢了, 太謝謝了, 太谢谢了, 谢了, 謝了, 谢啦, 辛苦了, 很有帮助, 很有幫助",
    goodbye:
      "再见, 再見, 拜拜, 拜, 回见, 回頭見, 回头见, 下次见, 下次見, 明天见, 明天見, 晚安, 待会见, 祝你愉快, 祝您愉快, 没有别的了, 没别的了, 就这样, 就這樣",
    about:
      "你是谁, 你是誰, 您是谁, 您是誰, 你是什么, 你是什麼, 你是人吗, 你是人嗎, 你是真人吗, 你是真人嗎, 您是真人吗, 你是机器人吗, 你是機器人嗎, 您是机器人吗, 你是人工智能吗, 你是ai吗, 你是机器吗, 我在和谁说话, 我在跟谁说话, 我在和谁聊天, 我在跟谁聊天, 我在和誰說話, 我是在和人说话吗, 你叫什么, 你叫什么名字, 你叫什麼名字, 您叫什么名字, 你的名字是什么, 你的名字是什麼, 介绍一下你自己, 介紹一下你自己, 自我介绍一下, 自我介紹一下, 请介绍一下你自己, 谁创造了你",
    documents:
      "你能做什么, 你能做什麼, 你会做什么, 你會做什麼, 你可以做什么, 你可以做什麼, 您能做什么, 你能干什么, 你能为我做什么, 你会什么, 你會什麼, 你知道什么, 你知道什麼, 你知道些什么, 你了解什么, 你了解些什么, 你懂什么, 你能帮我什么, 你能幫我什麼, 你能帮我做什么, 你怎么帮我, 你能怎么帮我, 你能帮我吗, 你能幫我嗎, 帮助, 幫助, 帮帮我, 幫幫我, 我需要帮助, 我需要幫助, 你怎么工作, 怎么用, 我可以问什么, 我可以問什麼, 我能问什么, 我能問什麼, 我可以问你什么, 我能问你什么, 我可以問你什麼, 你能回答什么问题, 你能回答哪些问题, 你可以回答什么问题, 你可以回答哪些问题, 你能回答哪些問題, 你有什么文档, 你有哪些文档, 您有哪些文档, 你有什么文件, 你有哪些文件, 你有什麼文件, 你有什么资料, 你有哪些资料, 你有哪些資料, 你知道哪些文档, 你知道哪些文件, 有哪些文档, 有哪些文件, 你了解哪些主题, 你知道哪些主题, 你了解哪些話題, 有哪些主题, 有哪些話題, 我可以问哪些主题, 你的资料来源是什么",
    courtesy:
      "请, 請, 大家, 朋友, 啊, 呀, 啦, 了, 吧, 的帮助, 的幫助, 你的帮助, 您的帮助, 你的幫助, 的回答, 你的回答, 你的解答, 的解答, 好, 好的, 好吧, 可以, 行, 很好, 非常好, 太好了, 太棒了, 棒, 很棒, 不错, 不錯, 完美, 厉害, 厲害, 明白, 明白了, 懂了, 知道了, 了解, 了解了, 收到, 嗯, 哦, 噢, 那, 非常, 真的, 再次, 祝你好运",
  },
  ja: {
    greeting:
      "こんにちは, こんにちわ, こんばんは, こんばんわ, おはよう, おはようございます, もしもし, やあ, どうも, はじめまして, ハロー, ヘイ, お元気ですか, 元気ですか, 元気, お世話になります, 誰かいますか, よろしく, よろしくお願いします",
    thanks:
      "ありがとう, ありがとうございます, ありがとうございました, どうもありがとう, どうもありがとうございます, どうもありがとうございました, 本当にありがとう, 本当にありがとうございます, ありがと, 有難う, 有難うございます, 感謝します, 感謝いたします, サンキュー, 助かりました, 助かります, 助かる, 参考になりました, お疲れ様でした, お疲れ様です",
    goodbye:
      "さようなら, さよなら, じゃあね, じゃあまた, じゃあ, またね, また明日, また後で, またあとで, では また, それではまた, バイバイ, おやすみ, おやすみなさい, 失礼します, 失礼いたします, 良い一日を, 以上です",
    about:
      "あなたは誰ですか, あなたは誰, あなたはだれですか, 誰ですか, 君は誰, 君は誰ですか, お前は誰, あなたは何ですか, あなたは何者ですか, あなたは何者, あなたは人間ですか, 人間ですか, あなたは人ですか, あなたはロボットですか, ロボットですか, あなたはボットですか, ボットですか, あなたはaiですか, aiですか, あなたは機械ですか, あなたは本物の人間ですか, 誰と話していますか, 私は誰と話していますか, 私は人間と話していますか, お名前は, お名前は何ですか, 名前は, 名前は何ですか, あなたの名前は, あなたの名前は何ですか, 自己紹介して, 自己紹介してください, 自己紹介をしてください, あなたについて教えて, あなたについて教えてください, 誰があなたを作りましたか",
    documents:
      "何ができますか, 何ができる, 何ができるの, あなたは何ができますか, あなたに何ができますか, どんなことができますか, 何を知っていますか, 何を知ってる, あなたは何を知っていますか, 何について知っていますか, 何が分かりますか, 何がわかりますか, どのように手伝えますか, 手伝ってくれますか, 助けてください, 助けて, 手伝ってください, ヘルプ, 何を聞けますか, 何を聞いたらいいですか, 何を質問できますか, 何が聞けますか, どんな質問ができますか, どんな質問に答えられますか, どのような質問に答えられますか, どう使いますか, 使い方を教えて, 使い方を教えてください, どんな文書がありますか, どの文書がありますか, どのような文書がありますか, どんな資料がありますか, どのような資料がありますか, どんなドキュメントがありますか, どのドキュメントがありますか, どの文書を知っていますか, どんな文書を知っていますか, どんなトピックがありますか, どんなトピックを知っていますか, どのトピックを知っていますか, どんなテーマがありますか, どんな話題がありますか, 情報源は何ですか",
    courtesy:
      "お願いします, ください, みなさん, 皆さん, どうも, とても, 本当に, 大変, すごく, 助けてくれて, 教えてくれて, 答えてくれて, 回答, はい, オーケー, ok, okです, わかりました, 分かりました, 了解, 了解です, 了解しました, なるほど, いいですね, いいね, すごい, すごいですね, 素晴らしい, 素晴らしいです, 完璧, 完璧です, 最高, 最高です, ね, よ, です, 良かった, よかった, もう一度",
  },
  ko: {
    greeting:
      "안녕, 안녕하세요, 안녕하십니까, 안녕하세요 여러분, 반갑습니다, 반가워, 반가워요, 여보세요, 하이, 헬로, 좋은 아침, 좋은 아침입니다, 좋은 아침이에요, 좋은 저녁, 잘 지내, 잘 지내세요, 잘 지내요, 어떻게 지내, 어떻게 지내세요, 처음 뵙겠습니다, 누구 있어요, 계세요",
    thanks:
      "감사합니다, 감사해요, 감사, 정말 감사합니다, 대단히 감사합니다, 고마워, 고마워요, 고맙습니다, 정말 고마워, 정말 고마워요, 정말 고맙습니다, 땡큐, 감사드립니다, 도움이 됐어요, 도움이 되었어요, 도움이 되었습니다, 수고하셨습니다, 수고하세요",
    goodbye:
      "잘 가, 잘 가요, 잘 있어, 잘 있어요, 안녕히 가세요, 안녕히 계세요, 다음에 봐, 다음에 봐요, 또 봐, 또 봐요, 또 만나요, 나중에 봐, 나중에 봐요, 내일 봐, 내일 봐요, 바이, 바이바이, 잘 자, 잘 자요, 안녕히 주무세요, 좋은 하루, 좋은 하루 되세요, 좋은 하루 보내세요, 이상입니다, 그게 다예요",
    about:
      "누구세요, 누구야, 누구니, 누구예요, 누구입니까, 당신은 누구세요, 당신은 누구예요, 당신은 누구인가요, 당신은 누구입니까, 넌 누구야, 너는 누구야, 너는 누구니, 너 누구야, 당신은 뭐예요, 당신은 무엇인가요, 당신은 무엇입니까, 넌 뭐야, 너는 뭐야, 사람이에요, 사람인가요, 사람이야, 사람입니까, 당신은 사람인가요, 당신은 사람이에요, 당신은 사람입니까, 당신은 인간인가요, 당신은 인간입니까, 너는 사람이야, 로봇이에요, 로봇인가요, 로봇이야, 당신은 로봇인가요, 당신은 로봇입니까, 봇이에요, 봇인가요, 당신은 봇인가요, 챗봇인가요, 당신은 ai인가요, ai인가요, 진짜 사람인가요, 진짜 사람이에요, 당신은 기계인가요, 누구와 이야기하고 있나요, 누구랑 얘기하고 있나요, 이름이 뭐예요, 이름이 뭐야, 이름이 무엇인가요, 이름이 뭔가요, 당신의 이름은 무엇인가요, 당신의 이름은 무엇입니까, 자기소개 해줘, 자기소개 해주세요, 자기소개 부탁해요, 너에 대해 말해줘, 누가 만들었어요",
    documents:
      "뭘 할 수 있어, 뭘 할 수 있어요, 뭘 할 수 있나요, 무엇을 할 수 있나요, 무엇을 할 수 있어요, 무엇을 할 수 있습니까, 당신은 무엇을 할 수 있나요, 당신은 뭘 할 수 있나요, 너는 뭘 할 수 있어, 무엇을 알고 있나요, 무엇을 알아요, 무엇을 아나요, 뭘 알아, 뭘 알아요, 뭘 알고 있어, 뭘 알고 있나요, 당신은 무엇을 알고 있나요, 무엇에 대해 알고 있나요, 무엇에 대해 아나요, 어떻게 도와줄 수 있어요, 어떻게 도와줄 수 있나요, 무엇을 도와줄 수 있나요, 도와줄 수 있어요, 도와줄 수 있나요, 도와줘, 도와주세요, 도움, 도움말, 도움이 필요해요, 어떻게 작동하나요, 어떻게 사용하나요, 무엇을 물어볼 수 있나요, 뭘 물어볼 수 있나요, 뭘 물어볼 수 있어요, 어떤 질문에 답할 수 있나요, 어떤 질문을 할 수 있나요, 어떤 문서가 있나요, 어떤 문서가 있어요, 어떤 문서를 가지고 있나요, 어떤 문서를 알고 있나요, 무슨 문서가 있나요, 무슨 문서가 있어요, 어떤 자료가 있나요, 어떤 주제가 있나요, 어떤 주제를 알고 있나요, 어떤 주제에 대해 알고 있나요, 어떤 주제를 물어볼 수 있나요, 출처가 뭐예요, 출처가 무엇인가요",
    courtesy:
      "부탁해요, 부탁합니다, 제발, 여러분, 모두, 친구, 정말, 너무, 매우, 아주, 도와주셔서, 도와줘서, 답변, 답변해 주셔서, 알려주셔서, 알려줘서, 네, 예, 응, 좋아, 좋아요, 좋습니다, 오케이, ok, 알겠어, 알겠어요, 알겠습니다, 그렇군요, 이해했어요, 이해했습니다, 훌륭해요, 훌륭합니다, 완벽해요, 최고예요, 최고, 대박, 멋져요, 굿, 다시, 다시 한번",
  },
}
