import type { Locale } from "../Locale.ts"
import type { WidgetTexts } from "../WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "spanish",
  spelling:
    /ñ|[óí]n$|(?:ción|ciones|dad|ado|ada|ados|adas|amiento|ario|aria|ieron|aron|ero|ía)$|ll|^(?:hue|pue|cue)|ué|^ch/,
  functionWords: {
    joins: "y, e, o, pero, también, qué tal, y qué tal, qué pasa con, y qué pasa con, y si",
    questions:
      "qué, quién, quiénes, cuándo, dónde, adónde, por qué, cómo, cuál, cuáles, cuánto, cuánta, cuántos, cuántas, cuánto tiempo, desde cuándo",
    attributes:
      "precio, precios, coste, costo, tarifa, tarifas, dirección, teléfono, número, número de teléfono, correo, correo electrónico, email, página web, horario, horarios, lugar, fecha, hora, duración, plazo, límite, tamaño, peso, altura, edad, nombre, razón, motivo, color",
    pronouns:
      "él, ella, ellos, ellas, lo, le, les, su, sus, eso, esto, este, esta, estos, estas, ese, esa, esos, esas, aquel, allí, ahí, entonces, ello",
    verbs:
      "es, son, era, fue, está, están, hay, ha, han, tiene, tienen, puede, pueden, puedo, se puede, debe, hace, hacer, ser, estar, tengo, explica, dime",
    others:
      "de, del, a, al, en, para, por, con, sin, sobre, desde, hasta, entre, durante, según, tras, antes de, después de, el, la, los, las, un, una, unos, unas, yo, tú, usted, nosotros, me, mi, mis, se, que, no, más, muy, si, como, por favor, todo, todos, toda, todas",
  },
  smallTalk: {
    greeting:
      "hola, holi, buenas, buenos días, buen día, buenas tardes, buenas noches, qué tal, qué tal estás, cómo estás, cómo está, cómo está usted",
    thanks:
      "gracias, muchas gracias, muchísimas gracias, mil gracias, mil gracias por todo, te lo agradezco, se lo agradezco, le agradezco, te agradezco, muy agradecido, muy agradecida, grax",
    goodbye:
      "adiós, hasta luego, hasta pronto, hasta mañana, hasta la vista, hasta la próxima, hasta otra, nos vemos, chao, chau, bye, que tengas un buen día",
    about:
      "quién eres, quién es usted, qué eres, eres humano, eres un humano, eres una persona, eres un robot, eres un bot, es usted un robot, con quién hablo, cómo te llamas, cuál es tu nombre",
    documents:
      "qué puedes hacer, qué puede hacer, qué sabes, qué sabes hacer, ayuda, ayúdame, puedes ayudarme, me puedes ayudar, puede ayudarme, qué puedo preguntar, qué documentos tienes, qué documentos tiene",
    courtesy:
      "por favor, a todos, amigo, señor, señora, por tu ayuda, por su ayuda, por la ayuda, ok, vale, genial, perfecto",
    refusal:
      "no, ahora no, más tarde, luego, prefiero no, prefiero no decirlo, prefiero no darlo, no quiero, omitir, saltar, paso, no tengo",
  },
  human:
    "hablar con un humano, hablar con una persona, hablar con alguien, hablar con un agente, hablar con un asesor, pasar con un agente, atención humana, un humano por favor, humano, agente, asesor",
  asking: {
    asks: "qué distancia, cada cuánto, cuesta, vale, en qué año, qué año, qué día, en qué ciudad, en qué país, cómo lo hago, cómo hago, cómo debo, qué debo hacer, qué tipos de, qué clases de, qué debo, qué necesito, qué incluye, menos de, menos que, al menos, como máximo, más caro, más barato, más grande, más alto, el menos, mejor",
    not: "no, nunca, ningún, ninguna, sin, excepto, cerrado, cerrada, nada",
    silent: "el, la, los, las, un, una, unos, unas, de, del, yo, nosotros, es, son, por favor, cuál es, cuáles son",
    how: "cómo, cómo puedo, cómo podemos, cómo se puede, cómo debo, cómo hago para",
  },
  claims: {
    numerals:
      "cero, un/uno/una, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, trece, catorce, quince, dieciséis, diecisiete, dieciocho, diecinueve, veinte, treinta, cuarenta, cincuenta, sesenta, setenta, ochenta, noventa, cien/ciento/cientos/cientas, mil, , , , quinientos/quinientas, setecientos/setecientas, novecientos/novecientas",
    denials: "prohibido, prohibida, prohibidos, prohibidas, imposible, ni, excluido, excluida, tampoco, falta",
    limits: "solo, sólo, solamente, únicamente, salvo, excepto, a menos, menos, hasta, queda",
  },
  replies: {
    hello: "¡Hola!",
    ask: "Hazme una pregunta y buscaré la respuesta en los documentos.",
    welcome: "¡De nada!",
    goodbye: "¡Hasta luego!",
    about:
      "Soy {}, un chatbot. Soy un programa, no una persona, y respondo preguntas con frases de los documentos que conozco.",
    documents: "Conozco estos documentos:",
    more: "… y {} más",
    noDocuments: "Todavía no tengo documentos legibles, así que no puedo responder preguntas.",
    nothingFound: "No he encontrado nada sobre eso en los documentos.",
    closest: "Estos pasajes son los que más se acercan:",
    searchFailed: "Ahora mismo no he podido buscar en los documentos. Inténtalo de nuevo dentro de un momento.",
    filesUnseen: "No puedo leer imágenes ni archivos. Por favor, escriba su pregunta.",
    didYouMean: "¿Quisiste decir {}?",
    human: "Una persona de nuestro equipo le responderá aquí.",
  },
  emailRequest: "Antes de responder, ¿cuál es tu dirección de correo electrónico?",
  noChat: "Este chat no está disponible.",
  notNow: "Esta página no está disponible en este momento. Inténtalo de nuevo más tarde.",
}

export const widget: WidgetTexts = {
  greeting: "¡Hola! ¿En qué puedo ayudarte?",
  placeholder: "Escribe un mensaje…",
  disclosure: "Está hablando con un asistente automático.",
  send: "Enviar",
  attach: "Adjuntar un archivo",
  fileRefused: "Se pueden enviar imágenes y PDF de hasta 10 MB, sin scripts.",
  stop: "Detener",
  charactersOver: "Caracteres de más: {n}",
  newConversation: "Nueva conversación",
  conversations: "Conversaciones",
  close: "Cerrar",
  conversation: "Conversación",
  you: "Tú",
  thinking: "Pensando…",
  stillThinking: "Esto está tardando un poco más…",
  searchingFor: "Buscando «{query}»…",
  reading: "Leyendo los documentos…",
  stopped: "Detenido",
  interrupted: "La respuesta se ha interrumpido.",
  reconnecting: "Conexión perdida. Reintentando…",
  newMessages: "Mensajes nuevos",
  earlier: "Mostrar más",
  loading: "Cargando…",
  copy: "Copiar",
  copied: "Copiado",
  table: "Tabla",
  askAgain: "Preguntar de nuevo",
  helpful: "Útil",
  notHelpful: "No útil",
  comment: "¿Qué podemos mejorar? (opcional)",
  submit: "Enviar",
  thanks: "Gracias por tu opinión.",
  sources: "Fuentes",
  page: "Página {n}",
  unsupported: "No se encuentra en los documentos: {n}",
  emailQuestion: "¿En qué correo electrónico podemos contactar contigo?",
  email: "Correo electrónico",
  emailInvalid: "Introduce una dirección de correo como nombre@example.com.",
  goOn: "Continuar",
  skip: "No, gracias",
  person: "Hablar con una persona",
  askPerson: "Escriba de qué se trata y una persona le responderá.",
  waiting: "Una persona responderá aquí en breve.",
  joined: "{name} le atiende ahora.",
  writing: "{name} está escribiendo…",
  delivered: "Entregado",
  read: "Leído",
  returned: "El asistente vuelve a responder.",
  away: "Ahora no hay nadie. Deje un mensaje y le responderemos por correo electrónico.",
  leftMessage: "Gracias. Responderemos por correo electrónico y aquí.",
  messages: "Mensajes: {n}",
  noConversations: "Aún no hay conversaciones.",
  download: "Descargar",
  remove: "Eliminar",
  removeQuestion: "¿Eliminar esta conversación definitivamente?",
  removeAll: "Eliminar todo",
  removeAllQuestion: "¿Eliminar todas tus conversaciones definitivamente?",
  cancel: "Cancelar",
  tryAgain: "Reintentar",
  offline: "Sin conexión. Comprueba tu conexión a internet.",
  busy: "Demasiados mensajes a la vez. Espera un momento.",
  spent: "El chat no está disponible en este momento.",
  gone: "El chat ya no está disponible aquí.",
  missing: "Esto ya no existe.",
  refused: "No se ha podido enviar el mensaje.",
  failed: "Algo ha salido mal.",
  call: "Iniciar una llamada",
  voice:
    "Terminar la llamada | Micrófono apagado | Escuchando… | Hablando… | Su navegador reconoce lo que dice. | El fabricante del navegador puede recibirlo. | El micrófono no está disponible. Permítalo para esta página en su navegador o escriba.",
}
