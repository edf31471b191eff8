import type { Locale } from "./Locale.ts"
import type { WidgetTexts } from "./WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "simple",
  spelling: /[łżźąęńś]|ć|(?:ów|nie|ego|emu|ych|ami|ości|ość|cja|cji|ania|enia|ować|ski|ska)$|sz|cz|rz|dz/,
  functionWords: {
    joins: "i, a, oraz, lub, ale, też, a co z, co z, a jak z",
    questions:
      "co, kto, kogo, komu, kiedy, gdzie, dlaczego, czemu, jak, jaki, jaka, jakie, który, która, które, ile, jak długo, jak często, czy, od kiedy, skąd, dokąd",
    attributes:
      "cena, ceny, koszt, koszty, opłata, opłaty, adres, telefon, numer, numer telefonu, e mail, email, strona, godziny otwarcia, godziny, miejsce, data, godzina, czas trwania, termin, limit, rozmiar, waga, wysokość, wiek, nazwa, imię, powód, kolor",
    pronouns: "on, ona, ono, oni, one, jego, jej, ich, im, go, to, ten, ta, te, tego, tej, tym, tych, tam, wtedy",
    verbs:
      "jest, są, był, była, było, były, być, ma, mają, może, mogą, mogę, można, trzeba, musi, ile kosztuje, kosztuje, wyjaśnij, powiedz",
    others:
      "w, we, na, z, ze, do, od, dla, przez, przy, po, za, o, u, bez, pod, nad, przed, między, podczas, według, się, nie, że, ja, ty, my, wy, mnie, mi, mój, moja, twój, tak, już, tylko, bardzo, proszę, więcej, wszystkie, jeśli",
  },
  smallTalk: {
    greeting: "cześć, hej, hejka, siema, siemka, witam, witaj, witajcie, dzień dobry, dobry wieczór, dobry, serwus",
    thanks:
      "dziękuję, dziękuję bardzo, bardzo dziękuję, dziękuję ślicznie, serdecznie dziękuję, dzięki, dzięki wielkie, wielkie dzięki, stokrotne dzięki, dzięks, to pomogło, bardzo pomocne",
    goodbye:
      "do widzenia, do zobaczenia, do jutra, na razie, narazie, pa, papa, pa pa, żegnam, żegnaj, dobranoc, miłego dnia",
    about:
      "kim jesteś, kim pan jest, kim pani jest, czym jesteś, kto to, jesteś człowiekiem, czy jesteś człowiekiem, jesteś robotem, czy jesteś robotem, z kim rozmawiam, jak masz na imię, jak się nazywasz",
    documents:
      "co potrafisz, co umiesz, co możesz zrobić, co wiesz, pomoc, pomóż mi, możesz mi pomóc, w czym możesz pomóc, o co mogę zapytać, jakie masz dokumenty, jakie dokumenty masz, jakie znasz dokumenty",
    courtesy:
      "proszę, wszystkim, panu, pani, państwu, za pomoc, za odpowiedź, za informację, ok, dobrze, super, świetnie",
    refusal:
      "nie, nie teraz, później, może później, wolę nie, wolę nie podawać, nie chcę, nie chcę podawać, nie podam, pomiń, nie mam",
  },
  asking: {
    amount:
      "ile, ilu, ile czasu, ile kosztuje, jak długo, jak daleko, jak często, jaki procent, +cena, +liczba, +koszt",
    time: "kiedy, od kiedy, do kiedy, o której godzinie, o której, w którym roku, w jakim roku, którego dnia",
    name: "kto, kogo, komu, przez kogo, gdzie, skąd, dokąd, w jakim mieście, w jakim kraju",
    way: "jak mogę, jak można, jak zrobić, jak mam, co mam zrobić, co należy zrobić",
    several: "jakie, jakich, które, wymień, co muszę, co mogę",
    not: "nie, nigdy, żaden, bez, oprócz, zamknięte, zamknięty",
    compare: "więcej niż, mniej niż, co najmniej, najwyżej",
    number: "dwa, dwie, trzy, cztery, pięć, sześć, siedem, osiem, dziewięć, dziesięć, sto, tysiąc, bezpłatnie",
    silent: "ja, my, proszę, jest, są, wasz, wasza, wasze, jaki jest, jaka jest, jakie jest, jakie są",
    how: "jak, jak mogę, jak można",
  },
  replies: {
    hello: "Dzień dobry!",
    ask: "Zadaj pytanie, a poszukam odpowiedzi w dokumentach.",
    welcome: "Proszę bardzo!",
    goodbye: "Do widzenia!",
    about:
      "Jestem {}, chatbot. Jestem programem, nie człowiekiem, i odpowiadam na pytania zdaniami z dokumentów, które znam.",
    documents: "Znam te dokumenty:",
    more: "… i jeszcze {}",
    noDocuments: "Nie mam jeszcze dokumentów, więc nie mogę odpowiadać na pytania.",
    nothingFound: "Nie znaleziono nic na ten temat w dokumentach.",
    searchFailed: "Nie udało się teraz przeszukać dokumentów. Spróbuj ponownie za chwilę.",
    didYouMean: "Czy chodziło o {}?",
  },
  emailRequest: "Zanim odpowiem: jaki jest Twój adres e-mail?",
  noChat: "Ten czat jest niedostępny.",
  notNow: "Ta strona jest chwilowo niedostępna. Spróbuj ponownie później.",
}

export const widget: WidgetTexts = {
  greeting: "Dzień dobry! W czym mogę pomóc?",
  placeholder: "Napisz wiadomość…",
  send: "Wyślij",
  stop: "Zatrzymaj",
  charactersOver: "Znaków za dużo: {n}",
  newConversation: "Nowa rozmowa",
  conversations: "Rozmowy",
  close: "Zamknij",
  conversation: "Rozmowa",
  you: "Ty",
  thinking: "Zastanawia się…",
  stillThinking: "To potrwa jeszcze chwilę…",
  searchingFor: "Szuka „{query}”…",
  reading: "Czyta dokumenty…",
  stopped: "Zatrzymano",
  interrupted: "Odpowiedź została przerwana.",
  reconnecting: "Utracono połączenie. Ponawianie próby…",
  newMessages: "Nowe wiadomości",
  earlier: "Pokaż więcej",
  loading: "Wczytywanie…",
  copy: "Kopiuj",
  copied: "Skopiowano",
  table: "Tabela",
  askAgain: "Zapytaj ponownie",
  helpful: "Pomocne",
  notHelpful: "Niepomocne",
  comment: "Co możemy poprawić? (opcjonalnie)",
  submit: "Wyślij",
  thanks: "Dziękujemy za opinię.",
  sources: "Źródła",
  page: "Strona {n}",
  unsupported: "Nie znaleziono w dokumentach: {n}",
  emailQuestion: "Pod jakim adresem e-mail możemy się z Tobą skontaktować?",
  email: "Adres e-mail",
  emailInvalid: "Podaj adres e-mail, na przykład imie@example.com.",
  goOn: "Dalej",
  skip: "Nie, dziękuję",
  messages: "Wiadomości: {n}",
  noConversations: "Nie ma jeszcze rozmów.",
  download: "Pobierz",
  remove: "Usuń",
  removeQuestion: "Usunąć tę rozmowę na zawsze?",
  removeAll: "Usuń wszystkie",
  removeAllQuestion: "Usunąć na zawsze wszystkie Twoje rozmowy?",
  cancel: "Anuluj",
  tryAgain: "Spróbuj ponownie",
  offline: "Jesteś offline. Sprawdź połączenie z internetem.",
  busy: "Zbyt wiele wiadomości naraz. Poczekaj chwilę.",
  spent: "Czat jest obecnie niedostępny.",
  gone: "Czat nie jest już tu dostępny.",
  missing: "To już nie istnieje.",
  refused: "Nie udało się wysłać tej wiadomości.",
  failed: "Coś poszło nie tak.",
}
