//! The words for each concept, in English, Chinese, Japanese, Korean, Spanish and Russian.
//!
//! An entry matches the beginning of a word: `upload` also matches `uploads` and `uploading`. An entry that ends with
//! `$` matches only a whole word. An entry may be a phrase, with one space between words.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// A set of concepts, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Concepts(u32);

impl Concepts {
    /// Something is sent or handed over.
    pub(crate) const SEND: Self = Self(1);
    /// Keys, passwords, and the places where they are stored.
    pub(crate) const SECRET: Self = Self(1 << 1);
    /// Private texts: conversations, mails, open files.
    pub(crate) const TALK: Self = Self(1 << 2);
    /// All of something, or every time.
    pub(crate) const ALL: Self = Self(1 << 3);
    /// Something is to go unnoticed.
    pub(crate) const HIDE: Self = Self(1 << 4);
    /// Rules are dropped, or something takes precedence over them.
    pub(crate) const DROP: Self = Self(1 << 5);
    /// Rules of the agent.
    pub(crate) const RULES: Self = Self(1 << 6);
    /// An agent is mentioned or addressed.
    pub(crate) const AGENT: Self = Self(1 << 7);
    /// Something is read, opened or downloaded.
    pub(crate) const LOAD: Self = Self(1 << 8);
    /// Orders are carried out.
    pub(crate) const OBEY: Self = Self(1 << 9);
    /// Something is written or kept.
    pub(crate) const WRITE: Self = Self(1 << 10);
    /// Memory, rules and settings, which later sessions obey.
    pub(crate) const LASTING: Self = Self(1 << 11);
    /// A claim that the user wants something, or that it was checked.
    pub(crate) const FALSE: Self = Self(1 << 12);
    /// Values are changed or deleted.
    pub(crate) const CHANGE: Self = Self(1 << 13);
    /// The user's data: records, amounts, files, backups.
    pub(crate) const GOODS: Self = Self(1 << 14);
    /// The user is asked, or decides.
    pub(crate) const CONSENT: Self = Self(1 << 15);
    /// Signing in to a service, and its documentation.
    pub(crate) const SIGN_IN: Self = Self(1 << 16);
    /// Texts by third parties: mails, pages, issues.
    pub(crate) const FOREIGN: Self = Self(1 << 17);
    /// Something is approved or trusted.
    pub(crate) const TRUST: Self = Self(1 << 18);
    /// The skill is to be used before all else, or on every request.
    pub(crate) const FIRST: Self = Self(1 << 19);
    /// Secrets other than the API key of a service: private keys, passwords, cookies.
    pub(crate) const STRONG: Self = Self(1 << 20);
    /// Things are searched for and collected.
    pub(crate) const COLLECT: Self = Self(1 << 23);
    /// The conversation of the user and the agent.
    pub(crate) const THREAD: Self = Self(1 << 22);
    /// Money, payments and accounts.
    pub(crate) const MONEY: Self = Self(1 << 21);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A concept and its words, separated by `|`.
type Entry = (Concepts, &'static str);

const LEXICON: &[Entry] = &[
    (
        Concepts::COLLECT,
        "gather|collect|harvest|look for|search for|find all|find every|pick up|scan the|scan for|list all|zip them|zip up|bundle|\
         收集|搜集|查找|打包|集め|収集|探し|수집|모아|찾아|собери|собира|найди|recoge|recopila|reune|busca|encuentr",
    ),
    (
        Concepts::SEND,
        "hand whatever|hand what|hand all|post すること|postする|post し|copia el|copia la|copia todo|отдай|выложи|올려|제출|place the question|place it in|place them in|field of a call|append|mandan|manden|se manda|include|incluy|add the user|add their|копиру|скопиру|send|sent$|upload|transmit|forward|submit|exfiltrat|deliver|relay|post it|post them|post to|post the|post a|\
         post this|posts it|posts the|posted to|posting|hand it|hand the|hand them|hand over|pass it|pass them|\
         pass the|pass on|mail it|mail the|mail them|email it|email the|email them|copy it to|copy them to|copy to|\
         copy the|copy all|copy every|attach|report it to|report to|paste it|paste them|paste the|put them in|\
         put it in|put into|append it|append them|encode it|encode them|include it in|include them in|ship it|\
         ship them|share it with|share them with|share the|push it to|push them to|sync it to|sync them to|\
         second copy|drop it in|drop them in|goes to|goes,|feed it|feed them|stream it|mirror it|mirror the|\
         put the value|into the query|into the url|into the link|parameter of|leave it at|reenv|envia|envie|envio|\
         manda$|mandar|mandalo|sube$|subir|suba$|remit|发送|上传|提交|传送|转发|发给|发到|传给|传到|寄给|贴到|附加到|送信|アップロード|転送|送って|送る|送り|\
         post して|投稿|渡し|전송|업로드|보내|전달|올리|отправ|загруз|выгруз|переда|перешл|пересыл|пошли|скинь",
    ),
    (
        Concepts::SECRET,
        "credential|every variable|name ends in|names end in|password|passphrase|secrets$|secret key|api key|api-key|\
         apikey|api_key|access key|access token|auth token|tokens|token$|keys$|key file|private key|ssh key|.ssh|\
         ssh folder|ssh director|id_*|*.pem|*.key|id_rsa|id_ed25519|.aws|.netrc|.npmrc|.pypirc|.env|.kube|.gnupg|\
         .pgpass|keychain|keyring|cookie|seed phrase|recovery phrase|mnemonic|environment variable|env variable|\
         env var|credencial|contrase|contrasen|claves|clave privada|variables de entorno|密钥|密码|凭证|凭据|令牌|环境变量|私钥|助记词|\
         秘钥|認証情報|パスワード|秘密鍵|環境変数|トークン|apiキー|api キー|クッキー|자격 증명|비밀번호|개인 키|환경 변수|환경변수|토큰|api 키|비밀 키|쿠키|парол|ключ|токен|\
         учетн|учётн|переменн|секрет|куки",
    ),
    (
        Concepts::STRONG,
        "every variable|name ends in|names end in|password|passphrase|private key|ssh key|ssh folder|ssh director|\
         id_*|*.pem|.ssh|id_rsa|id_ed25519|.aws|.netrc|.pgpass|.gnupg|.kube|.npmrc|.pypirc|keychain|keyring|cookie|\
         seed phrase|recovery phrase|mnemonic|all environment variables|every environment variable|credentials|\
         contrase|contrasen|clave privada|credencial|密码|私钥|助记词|凭证|凭据|环境变量|パスワード|秘密鍵|認証情報|環境変数|クッキー|비밀번호|개인 키|자격 증명|\
         환경 변수|환경변수|쿠키|парол|учетн|учётн|куки",
    ),
    (
        Concepts::TALK,
        "conversation|thread|word for word|chat history|chat log|chat$|chats$|transcript|exchange$|messages|message$|\
         prompts$|prompt$|answers$|replies|what the user|what they|session log|session$|open file|open document|\
         files read|files you|file names|workspace|source code|codebase|mails$|emails|e-mails|inbox|unread|clipboard|\
         contacts|calendar|names and|notes$|context window|keystroke|screenshot|recording|form data|request bod|\
         headers kept|correo|conversac|mensaje|charla|historial|archivos|documentos|contactos|对话|聊天|消息|会话|邮件|文件内容|\
         源代码|剪贴板|联系人|提示词|会話|メッセージ|履歴|メール|ファイル|チャット|ソースコード|대화|메시지|메일|파일|채팅|기록|소스 코드|переписк|сообщени|диалог|разговор|\
         письм|истори|файл|контакт|исходн",
    ),
    (
        Concepts::THREAD,
        "open in the editor|やり取り|对话摘要|the question and the answer|question and answer|user types|user enters|user typed in|入力した|입력한|붙여 넣은|escriba el usuario|escribe el usuario|вводит пользовател|what was asked|what you answered|what you were asked|questions and answers|질문과 답변|질문|답변|слово в слово|сообщение пользовател|сообщения пользовател|pregunta y|preguntas y|用户的提问|质问|質問と回答|conversation|thread so far|the thread|whole thread|chat history|chat log|this chat|the chat|exchange$|\
         what the user|what they type|prompts$|your answer|your reply|each answer|every answer|session log|open file|\
         open document|both messages|last five messages|every message|each message|user's messages|\
         user's question|word for word|conversac|mensajes del|对话|聊天记录|会话|用户的问题|用户输入|会話|やり取り|発言|チャット|대화|채팅|переписк|\
         диалог|разговор",
    ),
    (
        Concepts::ALL,
        "when a |when the |when an |all$|every|each$|entire|whole$|complete|both$|any$|always|whenever|full$|last five|last ten|cada|todos|\
         todas|todo el|toda la|todo lo|siempre|complet|所有|全部|每次|每个|每条|一切|整个|完整|すべて|全て|毎回|全文|毎|모든|모두|매번|전체|항상|кажд|\
         все|всё|всю|всегда|полн|целиком",
    ),
    (
        Concepts::DROP,
        "are off|is off|switched off|turned off|maintenance mode|unheeded|meant for another|written for other|安全规则关闭|set aside|set them aside|set it aside|ignor|disregard|forget|not bind|no longer|void$|not apply|outrank|\
         precedence|supersede|overrid|overrul|read past|no policy|suspend|replaces|replaced|obsolete|lifted|unload|\
         bypass|another product|not valid|abandon|drop the|drop all|does not count|do not count|stop following|\
         ranks above|higher than|binding|olvida|ignora|omit|anula|prevalec|忽略|无视|忘记|覆盖|优先于|不再适用|作废|高于|無視|忘れ|優先|無効|\
         上書き|무시|잊|우선|무효|따르지|игнорир|забудь|отмен|приоритет|важнее|не действу|выше",
    ),
    (
        Concepts::RULES,
        "content policy|usual limits|its limits|system prompt|system prompt|system message|earlier instruction|previous instruction|prior instruction|former instruction|\
         other instruction|your instruction|its instruction|existing instruction|initial instruction|\
         original instruction|instructions about|instructions of the|instructions from|told before|guideline|\
         policies|policy$|safety|guardrail|content filter|its rules|your rules|rules of the|host application|\
         the host$|refus|restrictions|ethic|orders$|developer message|instrucciones|reglas|directrices|políticas|\
         politicas|系统提示|之前的指令|先前的|原有|安全规则|安全限制|准则|政策|限制|指示|システムプロンプト|以前の|これまでの|ガイドライン|安全|制限|시스템 프롬프트|이전|지침|안전|제한|규칙|\
         системн|предыдущ|прежн|инструкц|правил|ограничен|безопасност",
    ),
    (
        Concepts::AGENT,
        "bot:|to bots|model,|model:|assistant,|assistant:|you (the|dear ai|assistant|the agent|an agent|agents$|the model|models:|for models|language model|the ai$|ai system|the bot|\
         a bot|llm|chatbot|claude|codex|copilot|asistente|modelo|agente|助手|模型|智能体|代理|アシスタント|モデル|エージェント|어시스턴트|모델|에이전트|\
         비서|ассистент|модел|агент|помощник",
    ),
    (
        Concepts::LOAD,
        "load|read$|reads$|fetch|open$|opens$|get$|download|visit|retrieve|pull|consult|lee$|leer|descarga|abre$|\
         abrir|carga$|cargar|consulta|读取|读|打开|访问|下载|获取|加载|読|開|取得|ダウンロード|参照|読み込|읽|열|가져|다운로드|불러|прочит|читай|открой|\
         загрузи|скача|получи",
    ),
    (
        Concepts::OBEY,
        "run each|run every|each command|every command|instructions of the|are instructions|are commands|follow|obey|execut|carry out|carried out|comply|act on|as though the user|as if the user|as though it|\
         as if it came|treat each|treat it|treat them|treat every|treat its|do what|does what|run it|run them|\
         run what|run the command|apply it|be obeyed|are orders|is binding|sigue|segui|ejecut|obede|cumple|执行|照做|遵循|\
         遵照|按照|听从|照办|当作|視同|実行|従|そのまま|実施|실행|따르|따라|수행|그대로|выполн|следуй|исполн|подчин",
    ),
    (
        Concepts::WRITE,
        "engrave|end with|ends with|note as|set `|write|append|add$|adds$|store|save|file it|insert|record|remember|persist|put$|leave this|keep in|keep this|\
         install|plant|copy$|anade|añade|agrega|escrib|guarda|写入|追加|添加|保存|记住|加入|存入|写到|書き込|追記|保存し|記憶|書いて|덧붙|추가|저장|기록|\
         기억|적어|добав|запиш|сохран|запомни|допиш|впиш",
    ),
    (
        Concepts::LASTING,
        "memory file|permissions.allow|defaultmode|later sessions|all sessions|every session|future sessions|your memories|claude.md|agents.md|memory.md|gemini.md|soul.md|identity.md|heartbeat.md|.cursorrules|.windsurfrules|\
         .clinerules|copilot-instructions|.cursor/rules|long-term memory|persistent memory|your memory|\
         agent's memory|a memory|memories|rules file|settings.json|mcp.json|.claude/|.codex/|system prompt|\
         user preference|memoria|长期记忆|记忆|规则文件|長期記憶|メモリ|記憶|메모리|장기 기억|규칙 파일|памят",
    ),
    (
        Concepts::FALSE,
        "user said so|under the user's name|in the user's name|as the user|user had typed|user had said|looks as if|as if the user|the user wrote|user wrote it|wish of the user|preference of the user|wish by the user|team lead|\
         решил пользователь|пользователь решил|сказал пользователь|decidió el usuario|decidio el usuario|\
         as if said by|said by them|said by the user|confirmed by the user|confirmed\"|preference, confirmed|\
         user has asked|has asked never|user prefers|user asked for it|user's own wish|already audited|\
         already reviewed|already approved|already checked|como si|el usuario lo|用户要求|用户说过|用户确认|用户自己|ユーザーが|利用者が望|\
         利用者本人|사용자가 원|사용자가 직접|пользователь сам|по просьбе пользовател|как будто",
    ),
    (
        Concepts::CHANGE,
        "exchange|fill in the account|change|chang|alter|modif|replace|swap|repair|edit$|adjust|delete|remov|corrupt|overwrit|drop$|wipe|shift|\
         redirect|its value|raise$|lower$|round$|falsif|borra|cambia|modific|elimina|sustituy|reemplaz|修改|换成|换为|改动|\
         删除|替换|篡改|改成|覆盖|变更|書き換|変更|削除|置き換|改ざん|すり替|바꾸|변경|삭제|수정|교체|измен|удал|замен|подмен|исправ|сотри",
    ),
    (
        Concepts::GOODS,
        "data|table|record|amount|figure|number|row|column|backup|database|commit|log|report|file|price|address|\
         datos|importe|registro|tabla|copia|数据|金额|字段|表|日志|备份|记录|数值|データ|金額|数値|記録|ログ|バックアップ|데이터|금액|기록|로그|백업|숫자|данн|\
         сумм|таблиц|запис|журнал|цифр|копи",
    ),
    (
        Concepts::MONEY,
        "account from|account number|the account of|card number|tarjeta|カード番号|카드|номер карт|номера карт|流水|银行流水|donation|bitcoin|bc1|iban|bank|account number|payout|payment|invoice|wallet|pay above|salary|payee|routing number|cuenta|factura|\
         transferenc|nomina|银行|账号|账户|收款|付款|发票|钱包|口座|振込|請求|支払|ウォレット|계좌|송금|결제|청구|지갑|счет|счёт|реквизит|оплат|платеж|\
         платёж|кошел",
    ),
    (
        Concepts::CONSENT,
        "after asking|once the user|when they have approved|have approved them|承認後|ask the user|ask first|ask before|asks the user|asks for|after a yes|with their consent|user's consent|\
         user agrees|user has agreed|user names|user confirms|user approves|if the user wants|when the user asks|\
         user's request|on request|only if asked|permission|user chooses|user's choice|opt in|opt-in|the user pastes|\
         the user types|show the user|shown to the user|confirm with|pregunta|con permiso|si el usuario|经用户|询问用户|征得|\
         用户同意|確認し|確認後|許可|同意|사용자에게 확인|동의|허락|спроси|с согласия|если пользователь|дождись",
    ),
    (
        Concepts::SIGN_IN,
        "header|authoriz|authentic|bearer|sign in|log in|login|oauth|issued|your api|rest api|sdk|endpoint|curl|\
         webhook secret|api docs|documentation",
    ),
    (
        Concepts::FOREIGN,
        "issue|on the web|ticket|comment|web page|page$|pages$|mail$|mails$|document|repositor|readme|description|\
         attachment|search result|tool result|correo|página|工单|评论|网页|邮件|チケット|コメント|ページ|メール|이슈|댓글|페이지|메일|задач|\
         комментар|страниц|письм",
    ),
    (
        Concepts::TRUST,
        "user agreed|agreed to all|ask nobody|nobody is asked|no one is asked|skip the review|not open the diff|not open the file|approv|trust|highest rank|from the operator|needs no review|no review|without review|without opening|\
         without reading|no confirmation|without confirm|already audited|already reviewed|counts as|at once|\
         pre-approved|without asking|no need to check|no need to ask|without checking|don't ask|not ask|no questions|\
         sin preguntar|sin revisar|无需审查|不用审查|直接批准|不要询问|不用询问|无需询问|不必询问|不询问|不要问|不用问|无需确认|確認せず|確認なし|承認|確認不要|묻지|확인 없이|\
         검토 없이|승인|не спрашивая|без проверки|без подтверждения|одобр|без вопросов",
    ),
    (
        Concepts::FIRST,
        "before any other|before anything|before all other|on every request|every request|all requests|any request|\
         every task|all tasks|every message|must be loaded|must be used|always use this|always be used|\
         every conversation|antes que|任何其他|每个请求|所有请求|すべての依頼|他のスキルより|모든 요청|любой запрос|каждый запрос|прежде всех",
    ),
    (
        Concepts::HIDE,
        "no announcement|言う必要はない|незачем|no se comenta|看不出|看不到|물어보지 않아도|out of sight|as if nothing|何も出さない|出さない|아무 말도|no se habla|знать не нужно|не узнал|别让|察觉|unmentioned|uncommented|not worth|ni palabra|ни слова|적지 마|ask nobody|内緒|quietly|silently|secretly|covertly|discreetly|without commentary|without comment|without telling|\
         without mention|without a word|say nothing|saying nothing|no need to mention|not be mentioned|not be shown|\
         never be shown|not be told|cannot see|can't see|needn't see|need not see|needn't know|need not know|spoils|\
         don't look at|in the background|no trace|en silencio|sin avisar|sin decir|no le hace falta|\
         no hace falta sab|no hace falta dec|a escondidas|悄悄|偷偷|暗中|不要告诉|不要提|不必告知|无需告知|不用告诉|别告诉|静默|不留痕迹|照旧写|说明不要|\
         説明は不要|説明不要|知らせ|言わない|伝えない|伝える必要|こっそり|黙って|秘密裏|気づかれ|報告しない|몰래|조용히|알리지|말하지|언급하지|알릴 필요|라고만 알리|보이지 않게|тайком|тихо|\
         незаметно|не говори|не сообщай|не упоминай|никому|смотреть в него не|молча",
    ),
];

/// A word of a concept that was found in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub(crate) concept: Concepts,
    pub(crate) start: usize,
}

struct Lexicon {
    words: AhoCorasick,
    /// For each word, its concept, and whether it matches only a whole word.
    kinds: Vec<(Concepts, bool)>,
}

static ALL: LazyLock<Lexicon> = LazyLock::new(|| {
    let entries = LEXICON
        .iter()
        .flat_map(|(concept, words)| words.split('|').map(move |word| (*concept, word)));
    let (mut words, mut kinds) = (Vec::new(), Vec::new());
    for (concept, word) in entries {
        words.push(word.trim_end_matches('$'));
        kinds.push((concept, word.ends_with('$')));
    }
    let words = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(words)
        .expect("a few hundred words");
    Lexicon { words, kinds }
});

/// Calls `found` for each word of the lexicon in a text, in the order in which the words end. `text`: in lower case.
pub(crate) fn words(text: &str, mut found: impl FnMut(Word)) {
    let is_letter = |c: char| c.is_alphanumeric() && !is_joined(c);
    for hit in ALL.words.find_overlapping_iter(text) {
        let (concept, is_whole) = ALL.kinds[hit.pattern().as_usize()];
        let (start, end) = (hit.start(), hit.end());
        let first = text[start..].chars().next().unwrap_or(' ');
        // [`is_joined`] letters may continue another word.
        if is_letter(first) && text[..start].chars().next_back().is_some_and(is_letter) {
            continue;
        }
        if is_whole && text[end..].chars().next().is_some_and(is_letter) {
            continue;
        }
        found(Word { concept, start });
    }
}

/// Returns whether a letter is Japanese, Chinese or Korean: these languages write words without spaces, or attach
/// endings to any word.
const fn is_joined(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Returns a text in lower case, with the same length in bytes: changes ASCII, accented Latin and Cyrillic letters
/// only.
pub(crate) fn lower(text: &str) -> String {
    let lower = |c: char| match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\u{401}' => '\u{451}',
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{de}' | '\u{410}'..='\u{42f}' => {
            char::from_u32(u32::from(c) + 32).unwrap_or(c)
        }
        _ => c,
    };
    text.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concepts(text: &str) -> Concepts {
        let mut all = Concepts::default();
        words(&lower(text), |word| all = all.with(word.concept));
        all
    }

    #[test]
    fn words_are_found_by_their_stems_in_several_languages() {
        for text in [
            "Uploading the cookies",
            "Отправь пароли",
            "上传密码",
            "パスワードを送信",
            "비밀번호를 전송",
            "Envíe la contraseña",
        ] {
            let text = text.replace('í', "i").replace('ñ', "n");
            assert!(
                concepts(&text).has(Concepts::SEND.with(Concepts::SECRET)),
                "{text}"
            );
        }
        assert_eq!(concepts("a resend of presents"), Concepts::default());
    }
}
