import type { Locale } from "./Locale.ts"
import type { WidgetTexts } from "./WidgetTexts.ts"

export const locale: Locale = {
  stemmer: "english",
  functionWords: {
    joins: "그리고, 그럼, 그러면, 또는, 하지만, 그런데, 또, 그렇다면",
    questions:
      "무엇, 뭐, 무엇을, 무엇이, 무엇인가요, 뭐예요, 뭔가요, 누구, 누가, 언제, 어디, 어디서, 어디에, 왜, 어떻게, 어떤, 어느, 얼마, 얼마나, 얼마예요, 얼마인가요, 몇, 무슨",
    attributes:
      "가격, 가격은, 가격은요, 요금, 요금은, 비용, 비용은, 주소, 주소는, 주소는요, 전화, 전화번호, 전화번호는, 번호, 이메일, 이메일은, 웹사이트, 영업시간, 영업시간은, 운영 시간, 장소, 장소는, 날짜, 날짜는, 시간, 시간은, 기간, 기간은, 기한, 제한, 크기, 무게, 높이, 나이, 이름, 이름은, 이유, 이유는, 색",
    pronouns: "그것, 그것은, 그게, 그건, 이것, 이것은, 이게, 이건, 그, 이, 그녀, 그들, 거기, 거기서, 저것, 그때",
    verbs:
      "있나요, 있어요, 있습니까, 되나요, 돼요, 됩니까, 할, 수, 하나요, 합니까, 인가요, 입니까, 이에요, 예요, 알려줘, 설명해",
    others:
      "위해, 대해, 대한, 위한, 동안, 전에, 후에, 사이, 통해, 없이, 함께, 나, 저, 제, 내, 우리, 당신, 너, 안, 못, 더, 매우, 아주, 모든, 만약, 좀, 것, 등, 및",
  },
  smallTalk: {
    greeting:
      "안녕, 안녕하세요, 안녕하십니까, 안녕하세요 여러분, 반갑습니다, 반가워, 반가워요, 여보세요, 하이, 헬로, 좋은 아침, 좋은 아침입니다",
    thanks:
      "감사합니다, 감사해요, 감사, 정말 감사합니다, 대단히 감사합니다, 고마워, 고마워요, 고맙습니다, 정말 고마워, 정말 고마워요, 정말 고맙습니다, 땡큐",
    goodbye:
      "잘 가, 잘 가요, 잘 있어, 잘 있어요, 안녕히 가세요, 안녕히 계세요, 다음에 봐, 다음에 봐요, 또 봐, 또 봐요, 또 만나요, 나중에 봐",
    about:
      "누구세요, 누구야, 누구예요, 당신은 누구세요, 당신은 누구인가요, 넌 누구야, 사람이에요, 사람인가요, 로봇이에요, 로봇인가요, 이름이 뭐예요, 이름이 뭐야",
    documents:
      "뭘 할 수 있어요, 뭘 할 수 있어, 뭘 할 수 있나요, 무엇을 할 수 있나요, 무엇을 알고 있나요, 뭘 알고 있어요, 도움, 도와주세요, 도와줄 수 있어요, 무엇을 물어볼 수 있나요, 어떤 문서가 있나요, 어떤 문서를 알고 있나요",
    courtesy: "부탁해요, 여러분, 정말, 너무, 아주, 도와주셔서, 도와줘서, 답변, 네, 알겠습니다, 좋아요, 완벽해요",
    refusal:
      "아니, 아니요, 아니오, 아뇨, 싫어요, 괜찮아요, 괜찮습니다, 안 할래요, 말하고 싶지 않아요, 나중에, 나중에요, 건너뛰기",
  },
  emailRequest: "답변드리기 전에 이메일 주소를 알려 주시겠어요?",
  noChat: "이 채팅은 사용할 수 없습니다.",
  notNow: "지금은 이 페이지를 사용할 수 없습니다. 나중에 다시 시도해 주세요.",
}

export const widget: WidgetTexts = {
  placeholder: "메시지를 입력하세요…",
  send: "보내기",
  stop: "중지",
  charactersLeft: "{n}자 남음",
  charactersOver: "{n}자 초과",
  newConversation: "새 대화",
  conversations: "대화 목록",
  close: "닫기",
  conversation: "대화",
  you: "나",
  thinking: "생각하는 중…",
  searching: "문서를 검색하는 중…",
  searchingFor: "‘{query}’ 검색 중…",
  reading: "문서를 읽는 중…",
  working: "처리하는 중…",
  stopped: "중지됨",
  interrupted: "답변이 중단되었습니다.",
  reconnecting: "연결이 끊겼습니다. 다시 시도하는 중…",
  newMessages: "새 메시지",
  earlier: "이전 메시지 보기",
  loading: "불러오는 중…",
  copy: "복사",
  copied: "복사됨",
  table: "표",
  askAgain: "다시 질문",
  helpful: "도움이 됨",
  notHelpful: "도움이 안 됨",
  comment: "개선할 점을 알려 주세요 (선택)",
  submit: "제출",
  thanks: "의견을 주셔서 감사합니다.",
  sources: "출처",
  moreSources: "{n}개 더",
  page: "{n}쪽",
  emailQuestion: "연락받으실 이메일 주소를 알려 주세요.",
  email: "이메일 주소",
  emailInvalid: "올바른 이메일 주소를 입력하세요.",
  goOn: "계속",
  skip: "괜찮습니다",
  messages: "메시지 {n}개",
  noConversations: "아직 대화가 없습니다.",
  download: "다운로드",
  remove: "삭제",
  removeQuestion: "이 대화를 영구히 삭제할까요?",
  removeAll: "모두 삭제",
  removeAllQuestion: "모든 대화를 영구히 삭제할까요?",
  cancel: "취소",
  tryAgain: "다시 시도",
  offline: "연결되지 않았습니다. 인터넷을 확인해 주세요.",
  busy: "한 번에 너무 많은 메시지를 보냈습니다. 잠시 기다려 주세요.",
  busyFor: "한 번에 너무 많은 메시지를 보냈습니다. {n}초 기다려 주세요.",
  spent: "지금은 채팅을 이용할 수 없습니다.",
  gone: "이곳에서는 더 이상 채팅을 이용할 수 없습니다.",
  missing: "더 이상 존재하지 않습니다.",
  refused: "메시지를 받아들일 수 없습니다.",
  failed: "문제가 발생했습니다.",
}
