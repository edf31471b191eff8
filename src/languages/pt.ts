import type { Locale } from "./Locale.ts"
import type { WidgetTexts } from "./WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "portuguese",
  spelling: /[ãõ]|(?:ção|ções|dade|mento|eira|eiro|ário|ária|nha|nho|agem|ou)$|[ln]h|ç/,
  functionWords: {
    joins: "e, ou, mas, também, e quanto a, e quanto ao, e quanto à, e quanto aos, e se",
    questions:
      "o que, que, quem, quando, onde, por que, por quê, porquê, como, qual, quais, quanto, quanta, quantos, quantas, quanto tempo, desde quando",
    attributes:
      "preço, preços, custo, custos, tarifa, taxa, endereço, morada, telefone, número, número de telefone, e mail, email, site, horário, horários, lugar, local, data, hora, duração, prazo, limite, tamanho, peso, altura, idade, nome, razão, motivo, cor",
    pronouns:
      "ele, ela, eles, elas, lhe, lhes, seu, sua, seus, suas, isso, isto, este, esta, estes, estas, esse, essa, esses, essas, aquele, aquilo, dele, dela, deles, delas, lá, ali, aí, então, nele, nela",
    verbs:
      "custa, é, são, era, foi, está, estão, há, tem, têm, pode, podem, posso, deve, faz, fazer, ser, estar, existe, existem, tenho, explique, diga",
    others:
      "de, do, da, dos, das, em, no, na, nos, nas, ao, à, aos, às, para, por, pelo, pela, com, sem, sobre, desde, até, entre, durante, num, numa, os, as, um, uma, uns, umas, eu, tu, você, vocês, nós, me, meu, minha, se, não, mais, muito, por favor, todo, todos, toda, todas",
  },
  smallTalk: {
    greeting: "olá, oi, oie, bom dia, boa tarde, boa noite, e aí, tudo bem, tudo bom, como vai, como está, como estás",
    thanks:
      "obrigado, obrigada, muito obrigado, muito obrigada, obrigadão, obrigadinho, brigado, brigada, valeu, agradeço, agradecido, agradecida",
    goodbye:
      "tchau, adeus, até logo, até mais, até breve, até amanhã, até já, até a próxima, tenha um bom dia, tenha um ótimo dia, bom fim de semana, fique bem",
    about:
      "quem é você, quem és tu, quem és, o que é você, você é humano, você é uma pessoa, você é um robô, és um robô, és humano, com quem falo, como você se chama, qual é o seu nome",
    documents:
      "o que você pode fazer, o que podes fazer, o que você sabe, o que sabes, ajuda, me ajude, você pode me ajudar, pode me ajudar, podes ajudar me, o que posso perguntar, quais documentos você tem, que documentos tens",
    courtesy:
      "por favor, a todos, pessoal, amigo, senhor, senhora, pela ajuda, pela sua ajuda, ok, certo, ótimo, perfeito",
    refusal:
      "não, agora não, mais tarde, depois, prefiro não, prefiro não dizer, prefiro não informar, não quero, não tenho, pular, ignorar",
  },
  human:
    "falar com um humano, falar com uma pessoa, falar com alguém, falar com um atendente, falar com um agente, falar com um operador, atendimento humano, atendente humano, humano, atendente",
  asking: {
    amount:
      "quanto, quanta, quantos, quantas, quanto tempo, quanto custa, que idade, que distância, +preço, +prazo, +número, +duração",
    time: "quando, desde quando, até quando, a que horas, em que ano, que ano, que dia, que data, +horário",
    name: "quem, de quem, onde, de onde, aonde, em que cidade, em que país, +endereço",
    way: "como posso, como se pode, como faço, como fazer, como devo, o que devo fazer, +passos",
    several: "quais, que tipos de, o que preciso, o que devo, o que posso, o que inclui",
    not: "não, nunca, nenhum, nenhuma, sem, exceto, fechado, fechada, nada",
    compare:
      "mais de, menos de, mais que, menos que, pelo menos, no máximo, o mais, a mais, mais caro, mais barato, maior, menor, melhor",
    number: "dois, duas, três, quatro, cinco, seis, sete, oito, nove, dez, onze, doze, vinte, cem, mil, grátis",
    silent: "o, a, os, as, um, uma, de, do, da, dos, das, eu, nós, é, são, por favor, qual é, quais são",
    how: "como, como posso, como podemos, como se pode, como faço para, como devo",
  },
  replies: {
    hello: "Olá!",
    ask: "Faça uma pergunta e vou procurar a resposta nos documentos.",
    welcome: "De nada!",
    goodbye: "Até logo!",
    about:
      "Eu sou {}, um chatbot. Sou um programa, não uma pessoa, e respondo a perguntas com frases dos documentos que conheço.",
    documents: "Conheço estes documentos:",
    more: "… e mais {}",
    noDocuments: "Ainda não tenho documentos legíveis, por isso não consigo responder a perguntas.",
    nothingFound: "Não encontrei nada sobre isso nos documentos.",
    searchFailed: "Não consegui pesquisar nos documentos agora. Tente novamente em instantes.",
    filesUnseen: "Não consigo ler imagens nem arquivos. Por favor, escreva a sua pergunta.",
    didYouMean: "Você quis dizer {}?",
    human: "Uma pessoa da nossa equipa responde-lhe aqui.",
  },
  emailRequest: "Antes de responder, qual é o seu endereço de e-mail?",
  noChat: "Este chat não está disponível.",
  notNow: "Esta página não está disponível no momento. Tente novamente mais tarde.",
}

export const widget: WidgetTexts = {
  greeting: "Olá! Como posso ajudar?",
  placeholder: "Escreva uma mensagem…",
  disclosure: "Você está falando com um assistente automático.",
  send: "Enviar",
  attach: "Anexar um arquivo",
  fileRefused: "É possível enviar imagens e PDFs de até 10 MB, sem scripts.",
  stop: "Parar",
  charactersOver: "Caracteres acima do limite: {n}",
  newConversation: "Nova conversa",
  conversations: "Conversas",
  close: "Fechar",
  conversation: "Conversa",
  you: "Você",
  thinking: "Pensando…",
  stillThinking: "Só mais um momento…",
  searchingFor: "Pesquisando “{query}”…",
  reading: "Lendo os documentos…",
  stopped: "Parado",
  interrupted: "A resposta foi interrompida.",
  reconnecting: "Conexão perdida. Tentando novamente…",
  newMessages: "Novas mensagens",
  earlier: "Mostrar mais",
  loading: "Carregando…",
  copy: "Copiar",
  copied: "Copiado",
  table: "Tabela",
  askAgain: "Perguntar novamente",
  helpful: "Útil",
  notHelpful: "Não foi útil",
  comment: "O que podemos melhorar? (opcional)",
  submit: "Enviar",
  thanks: "Obrigado pelo seu feedback.",
  sources: "Fontes",
  page: "Página {n}",
  unsupported: "Não encontrado nos documentos: {n}",
  emailQuestion: "Em qual e-mail podemos falar com você?",
  email: "E-mail",
  emailInvalid: "Digite um endereço de e-mail como nome@example.com.",
  goOn: "Continuar",
  skip: "Não, obrigado",
  person: "Falar com uma pessoa",
  askPerson: "Escreva do que se trata, e uma pessoa responderá.",
  waiting: "Uma pessoa responderá aqui em breve.",
  joined: "{name} responde agora.",
  writing: "{name} está escrevendo…",
  delivered: "Entregue",
  read: "Lida",
  returned: "O assistente voltou a responder.",
  away: "Não há ninguém agora. Deixe uma mensagem, e responderemos por e-mail.",
  leftMessage: "Obrigado. Responderemos por e-mail e aqui.",
  messages: "Mensagens: {n}",
  noConversations: "Ainda não há conversas.",
  download: "Baixar",
  remove: "Excluir",
  removeQuestion: "Excluir esta conversa definitivamente?",
  removeAll: "Excluir tudo",
  removeAllQuestion: "Excluir todas as suas conversas definitivamente?",
  cancel: "Cancelar",
  tryAgain: "Tentar novamente",
  offline: "Sem conexão. Verifique sua conexão com a internet.",
  busy: "Muitas mensagens de uma vez. Aguarde um momento.",
  spent: "O chat não está disponível no momento.",
  gone: "O chat não está mais disponível aqui.",
  missing: "Isto não existe mais.",
  refused: "Não foi possível enviar a mensagem.",
  failed: "Algo deu errado.",
  call: "Iniciar uma chamada",
  voice:
    "Terminar a chamada | Microfone desligado | Ouvindo… | Falando… | O seu navegador reconhece o que diz. | O fabricante do navegador pode recebê-lo. | O microfone não está disponível. Permita-o para esta página no navegador ou escreva.",
}
