import type { Locale } from "./Locale.ts"

export const locale: Locale = {
  stemmer: "english",
  spelling:
    /(?:ing|ings|tions?|ments?|ness|ly|ght|ould|ough|able|ity|ities|ous|ful|ive|ages?|ed|ay|ey|ess|ck)$|sh|^(?:th|wh|kn)|'s$|^(?:class|const|false|function|import|let|new|null|return|true|var)$/,
  functionWords: {
    joins: "and, or, but, also, what about, how about, and what about, and how about, and also",
    questions: "what, who, whom, whose, when, where, why, how, which, how much, how many, how long, how often, how far",
    attributes:
      "price, prices, cost, costs, fee, fees, address, phone, phone number, telephone number, number, e mail, e mail address, email, email address, website, opening hours, hours, opening times, location, date, time, duration, deadline, limit, default, size, weight, height, age, name, reason, color, colour",
    pronouns:
      "it, its, they, them, their, theirs, he, him, his, she, her, hers, that, this, these, those, there, one, ones, then",
    verbs:
      "is, are, was, were, am, be, been, do, does, did, can, could, will, would, shall, should, may, might, must, has, have, had, get, need, want, tell, explain, possible, done, happen, happens, happened, mean, means",
    others:
      "now, again, of, to, in, for, on, with, by, from, at, as, into, without, during, after, before, until, since, about, over, under, between, per, via, the, a, an, i, you, we, me, my, your, our, us, not, no, if, so, than, too, more, much, many, please, just, only, there is, there are, any, some, all, s, t, re, ll, ve, d, m, don, doesn, didn, isn",
  },
  smallTalk: {
    greeting:
      "hi, hello, hey, hiya, good morning, good afternoon, good evening, good day, how are you, nice to meet you, anybody there, i have a question",
    thanks:
      "thanks, thank you, thx, ty, thanks a million, cheers, much appreciated, many thanks, that helped, that helps, very helpful, that's all i needed",
    goodbye:
      "bye, goodbye, good bye, see you, see ya, see you later, good night, have a nice day, have a good day, take care, that's all, no more questions",
    about:
      "who are you, what are you, who made you, who am i talking to, are you a bot, are you a robot, are you human, are you a human, are you a real person, are you an ai, what is your name, what's your name",
    documents:
      "what can you do, what do you do, what can i ask, what can i ask you, what do you know, what can you tell me, how can you help me, can you help me, help, what documents do you have, which documents do you have, what topics can i ask about",
    courtesy: "there, everyone, please, a lot, very much, sorry, for your help, for the help, ok, great, perfect, nice",
    refusal:
      "no, nope, not now, later, maybe later, skip, skip it, skip that, rather not, i'd rather not, i prefer not to, i don't want to",
  },
  human:
    "talk to a human, speak to a human, speak with a human, talk to a person, speak to a person, to a real person, talk to someone, speak to someone, speak with someone, talk to an agent, speak to an agent, connect me to an agent, talk to a representative, a human please, live agent, human agent, human, agent, representative",
  asking: {
    amount:
      "how many, how much, how long, how old, how far, how high, how tall, how big, how large, how often, how +heavy, how +deep, what percentage, +price, +cost, +costs, +number, +fee, +limit, +height, +length, +size, +duration",
    time: "when, since when, until when, what time, which year, what year, in what year, which date, which day, what day, which month, which century, +hours, +date, +deadline",
    name: "who, whom, whose, where, which country, which city, +address",
    way: "how do i, how do you, how do we, how can i, how can we, how can one, how does one, how should i, how to, what do i do, what do i have to do, what do i need to do, what should i do, +steps",
    several:
      "what can i, what may i, what do i need, what must i, what should i, what can't i, what can't, what won't, what doesn't, what isn't, what are the, what are all, what kinds of, what types of, which kinds of, what else, list",
    not: "not, no, never, without, except, closed, excluded, t, none, nothing, cannot",
    compare:
      "more than, less than, fewer than, cheaper than, at least, at most, below, above, most, least, cheapest, highest, lowest, biggest, largest, smallest, longest, shortest, tallest, oldest, newest, latest, earliest, best, fewest, heaviest",
    number:
      "two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, twenty, hundred, thousand, million, once, twice, half, free",
    silent: "the, a, an, i, we, your, do, does, is, are, am, s, re, of, to, any, please, what is, what are, what s",
    how: "how do i, how do you, how do we, how can i, how can we, how can you, how can one, how does one, how should i, how should we, how to",
  },
  claims: {
    numerals:
      "zero, one/once/a/an, two/twice, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety, hundred, thousand",
    denials: "neither, nor, forbidden, prohibited, refused, unable, unavailable, impossible, excludes, lacks",
    limits: "only, unless, except, exception, instead, stay, stays, remain, less, fewer, until",
  },
  replies: {
    hello: "Hello!",
    ask: "Ask me a question, and I will look for the answer in the documents.",
    welcome: "You are welcome!",
    goodbye: "Goodbye!",
    about:
      "I am {}, a chatbot. I am a program, not a person, and I answer questions with sentences from the documents that I know.",
    documents: "I know these documents:",
    more: "… and {} more",
    noDocuments: "I have no readable documents yet, so I cannot answer questions.",
    nothingFound: "I found nothing about that in the documents.",
    searchFailed: "I could not search the documents just now. Please try again in a moment.",
    filesUnseen: "I cannot read images or files. Please write your question.",
    didYouMean: "Did you mean {}?",
    human: "A person of our team will answer you here.",
  },
  emailRequest: "Before I answer, what is your e-mail address?",
  noChat: "This chat is not available.",
  notNow: "This page is not available at the moment. Please try again later.",
}

export const widget = {
  greeting: "Hello! How can I help you?",
  placeholder: "Write a message…",
  disclosure: "You are talking to an automated assistant.",
  send: "Send",
  attach: "Attach a file",
  fileRefused: "Images and PDFs of up to 10 MB, without scripts, can be sent.",
  stop: "Stop",
  charactersOver: "Characters over the limit: {n}",
  newConversation: "New conversation",
  conversations: "Conversations",
  close: "Close",
  conversation: "Conversation",
  you: "You",
  thinking: "Thinking…",
  stillThinking: "This is taking a little longer…",
  searchingFor: "Searching for “{query}”…",
  reading: "Reading the documents…",
  stopped: "Stopped",
  interrupted: "The answer was interrupted.",
  reconnecting: "Connection lost. Trying again…",
  newMessages: "New messages",
  earlier: "Show more",
  loading: "Loading…",
  copy: "Copy",
  copied: "Copied",
  table: "Table",
  askAgain: "Ask again",
  helpful: "Helpful",
  notHelpful: "Not helpful",
  comment: "What could be better? (optional)",
  submit: "Submit",
  thanks: "Thank you for your feedback.",
  sources: "Sources",
  page: "Page {n}",
  unsupported: "Not found in the documents: {n}",
  emailQuestion: "What e-mail address can we reach you at?",
  email: "E-mail address",
  emailInvalid: "Please enter an e-mail address such as name@example.com.",
  goOn: "Continue",
  skip: "No thanks",
  person: "Talk to a person",
  askPerson: "Write what it is about, and a person will answer.",
  waiting: "A person will answer here soon.",
  joined: "{name} answers you now.",
  writing: "{name} is writing …",
  delivered: "Delivered",
  read: "Read",
  returned: "The assistant answers again.",
  away: "Nobody is here right now. Leave a message, and we will answer by e-mail.",
  leftMessage: "Thank you. We will answer by e-mail and here.",
  messages: "Messages: {n}",
  noConversations: "No conversations yet.",
  download: "Download",
  remove: "Delete",
  removeQuestion: "Delete this conversation permanently?",
  removeAll: "Delete all",
  removeAllQuestion: "Delete all your conversations permanently?",
  cancel: "Cancel",
  tryAgain: "Try again",
  offline: "You are offline. Please check your internet connection.",
  busy: "Too many messages at once. Please wait a moment.",
  spent: "Chat is not available at the moment.",
  gone: "Chat is no longer available here.",
  missing: "This no longer exists.",
  refused: "This message could not be sent.",
  failed: "Something went wrong.",
  call: "Start a call",
  voice:
    "End the call | Microphone off | Listening… | Speaking… | Your browser recognizes your speech. | The maker of the browser may receive it. | The microphone cannot be used. Allow it for this page in your browser, or write.",
}
