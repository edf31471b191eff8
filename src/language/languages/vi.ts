import type { Locale } from "../Locale.ts"

export const locale: Locale = {
  stemmer: "simple",
  spelling: /[ăơưđ]|[ảãạấầẩẫậắằẳẵặẻẽẹếềểễệỉĩịỏọốồổỗộớờởỡợủũụứừửữựỳỷỹỵ]|^(?:ng|nh|tr|ph|kh)/,
  functionWords: {
    joins: "và, hoặc, nhưng, còn, thế còn, vậy còn, còn về",
    questions:
      "gì, ai, khi nào, bao giờ, ở đâu, đâu, tại sao, vì sao, sao, như thế nào, thế nào, nào, bao nhiêu, mấy, bao lâu, có phải, không",
    attributes:
      "giá, giá cả, chi phí, phí, địa chỉ, điện thoại, số điện thoại, số, email, trang web, giờ mở cửa, địa điểm, ngày, giờ, thời gian, thời hạn, giới hạn, kích thước, cân nặng, chiều cao, tuổi, tên, lý do, màu",
    pronouns: "nó, họ, anh ấy, cô ấy, ông ấy, bà ấy, đó, này, kia, ấy, chúng, đấy, ở đó",
    verbs: "là, có, được, bị, phải, cần, có thể, thì, giải thích, cho biết",
    others:
      "của, ở, trong, cho, với, từ, đến, trên, dưới, về, bằng, theo, sau, trước, giữa, tại, vào, các, những, một, tôi, bạn, chúng tôi, đã, đang, sẽ, rất, hơn, cũng, xin, vui lòng, tất cả, nếu, chỉ, mà, ạ",
  },
  smallTalk: {
    greeting:
      "xin chào, chào, chào bạn, chào anh, chào chị, chào em, chào buổi sáng, chào buổi chiều, chào buổi tối, xin chào bạn, alo, hello",
    thanks:
      "cảm ơn, cảm ơn bạn, cảm ơn nhiều, cảm ơn rất nhiều, cảm ơn bạn nhiều, cảm ơn bạn rất nhiều, xin cảm ơn, chân thành cảm ơn, cảm ơn anh, cảm ơn chị, cảm ơn em, thanks",
    goodbye:
      "tạm biệt, hẹn gặp lại, gặp lại sau, hẹn gặp lại sau, chào tạm biệt, bye, bái bai, chúc ngủ ngon, chúc một ngày tốt lành, chúc bạn một ngày tốt lành, ngày mai gặp lại, thế thôi",
    about:
      "bạn là ai, bạn là gì, bạn có phải là người không, bạn có phải con người không, bạn là người thật à, bạn có phải là robot không, bạn là robot à, bạn là bot à, tôi đang nói chuyện với ai, bạn tên là gì, tên bạn là gì, hãy giới thiệu về bạn",
    documents:
      "bạn có thể làm gì, bạn làm được gì, bạn biết gì, bạn biết những gì, giúp tôi, giúp đỡ, bạn có thể giúp gì, bạn có thể giúp tôi không, bạn giúp được gì, tôi có thể hỏi gì, bạn có những tài liệu nào, bạn có tài liệu gì",
    courtesy:
      "làm ơn, mọi người, tất cả, bạn, ạ, nhé, nhiều, vì đã giúp đỡ, vì sự giúp đỡ, vì câu trả lời, được rồi, tốt",
    refusal:
      "không, không phải bây giờ, để sau, sau này, tôi không muốn, không muốn nói, không muốn cho biết, thôi, bỏ qua, không có",
  },
  human:
    "nói chuyện với người, nói chuyện với nhân viên, nói chuyện với ai đó, gặp nhân viên, gặp người thật, nói với người thật, kết nối với nhân viên, gặp tư vấn viên, tư vấn viên",
  asking: {
    asks: "bao xa, năm nào, đi đâu, làm thế nào, làm sao, cách nào, liệt kê, nhiều hơn, ít hơn, ít nhất, nhiều nhất",
    not: "không, chưa, chẳng, trừ, đóng cửa",
  },
  replies: {
    hello: "Xin chào!",
    ask: "Hãy đặt câu hỏi, tôi sẽ tìm câu trả lời trong các tài liệu.",
    welcome: "Không có gì!",
    goodbye: "Tạm biệt!",
    about:
      "Tôi là {}, một chatbot. Tôi là chương trình, không phải con người, và trả lời câu hỏi bằng các câu trong những tài liệu mà tôi biết.",
    documents: "Tôi biết những tài liệu này:",
    more: "… và {} tài liệu khác",
    noDocuments: "Tôi chưa có tài liệu nào đọc được nên chưa thể trả lời câu hỏi.",
    nothingFound: "Tôi không tìm thấy gì về điều đó trong các tài liệu.",
    closest: "Những đoạn này gần với câu hỏi nhất:",
    searchFailed: "Hiện tôi không thể tìm kiếm trong các tài liệu. Vui lòng thử lại sau giây lát.",
    filesUnseen: "Tôi không đọc được hình ảnh hoặc tệp. Vui lòng viết câu hỏi của bạn.",
    didYouMean: "Có phải ý bạn là {} không?",
    human: "Một người trong đội ngũ của chúng tôi sẽ trả lời bạn tại đây.",
  },
  emailRequest: "Trước khi trả lời, xin cho biết địa chỉ e-mail của bạn là gì?",
  noChat: "Cuộc trò chuyện này không khả dụng.",
  notNow: "Trang này hiện không khả dụng. Vui lòng thử lại sau.",
}
