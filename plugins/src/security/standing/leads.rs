//! Decides whether the lead of a list, table or block forbids the commands below, or asks to report them. Supports the
//! eight languages of the lexicon.
//!
//! A negation near a verb such as `run` is not enough: `Do not forget to run these` and `Run nothing but these` are
//! instructions. The negation must belong to the verb, according to the grammar of its language. The lead must not
//! contain another verb such as `run`, or an exception or condition that limits the prohibition.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::words::lower;

use super::LEAD_ELSEWHERE;
use crate::security::expression::Expression;
use crate::security::intent::{Concepts, words};

/// A negated verb such as `run`, in languages other than English.
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        // Chinese: the negation comes first.
        r"(?-u)(?:(?:(?:不要|不得|切勿|请勿|严禁|禁止|不可|不准|不许|绝不|千万别)|(?:^|[ ,.:;]|请|你|您)(?:勿|别))(?:再|去|直接|自行|随意|擅自|轻易|尝试)?(?:执行|執行|运行|運行|安装|安裝|使用|照做|复制|複製|粘贴|下载|下載|输入|调用|删除|刪除)",
        // Japanese: the negation comes last.
        r"|(?:実行|使用|利用|インストール|コピー|ダウンロード|貼り付け|削除)(?:は|も)?(?:しない(?:（|\(|[ .,:;]|$)|しないで(?:ください|下さい|[ .,:;]|$)|してはいけ(?:ない|ません)|してはなら(?:ない|なりません|ず)|してはだめ|しないこと|せず|禁止)",
        // Korean.
        r"|(?:실행|사용|설치|복사|입력|다운로드)(?:을|를)? ?(?:하지 ?(?:마세요|마십시오|마시오|마라|말 ?것|말아야|말아 ?주세요|않는다|않습니다|않아야)|해서는 ?안 ?(?:됩니다|된다|돼요|되며)|하면 ?안 ?(?:됩니다|된다|돼요|되며)|금지)",
        // Russian. The lexicon counts `команды со страницы` as a request to obey a page, so its negation includes it.
        r"|(?:(?:^|[ ,.:;(])не|нельзя|запрещено|запрещается|воспрещается)\s+(?:(?:надо|нужно|следует|стоит|должны|должен)\s+)?(?:запуска|выполня|исполня|использу|использова|копиру|копирова|вставля|устанавлива|скачива|удаля)[^\s,.:;]*(?:\s+(?:люб[^\s,.:;]*\s+)?команд[^\s,.:;]*\s+(?:со|с)\s+(?:страниц|сайт)[^\s,.:;]*)?",
        // Spanish.
        r"|\b(?:no|nunca|jam(?:á|a)s)\s+(?:l[oa]s?\s+)?(?:(?:se\s+)?(?:deb(?:e|es|en)|pued(?:e|es|en)|hay\s+que)\s+)?(?:ejecut|instal|utili[cz]|pegu|pegar|copi|lanc|lanz|corra|corre|descarg|borr|elimin)[^\s,.:;]*|\b(?:no|nunca)\s+us(?:es|ar|e|en)\b",
        // Portuguese and Italian.
        r"|\b(?:n(?:ã|a)o|nunca)\s+(?:(?:se\s+)?dev(?:e|em)\s+)?(?:[oa]s?\s+)?(?:execut|instal|usar|utiliz|copi|baix|apag|exclu)[^\s,.:;]*",
        r"|\b(?:non|mai)\s+(?:(?:si\s+)?dev(?:e|ono)\s+)?(?:l[oaie]\s+)?(?:esegu|install|usare|utilizz|copi|incoll|lanci|scaric|avvi|cancell|elimin)[^\s,.:;]*",
        // Text that counts as an example, not as an instruction.
        r"|不(?:要)?(?:当作|视为|作为)(?:命令|指令)|(?:命令|指示)として(?:は)?(?:扱わ|実行し)(?:ない|ず|ません)|(?:명령|지시)(?:으로|로) ?(?:따르|취급하|받아들이)지 ?(?:마|말|않)[^\s,.:;]*",
        // French: both parts of the negation.
        r"|(?:\bne\s+|n')(?:(?:l[ae]s?|y)\s+)?(?:(?:é|e)x(?:é|e)cut|lanc|install|utilis|coll|copi|t(?:é|e)l(?:é|e)charg|d(?:é|e)marr|supprim|effac)[^\s,.:;]*\s+(?:pas|jamais|aucun[^\s,.:;]*)|\bne\s+(?:(?:faut|doi(?:s|t|vent))\s+)?(?:pas|jamais)\s+(?:(?:être|l[ae]s?)\s+)?(?:(?:é|e)x(?:é|e)cut|lanc|install|utilis|coll|copi|t(?:é|e)l(?:é|e)charg|d(?:é|e)marr)[^\s,.:;]*",
        // German: before the verb, or at the end of its clause.
        r"|\b(?:nicht|niemals|nie|keinesfalls|keine?[nr]?)\s+(?:(?:diese|dieser|diesen|der|folgenden?)\s+)?(?:befehle?\s+)?(?:(?:wird|werden|darf|d(?:ü|ue)rfen)\s+)?(?:ausf(?:ü|ue)hr|ausgef(?:ü|ue)hr|verwende|nutze|installier|starte|kopier|einf(?:ü|ue)g|benutz|herunterlad)[^\s,.:;]*|\b(?:f(?:ü|ue)hr|starte|installier|verwende|nutze|benutze|kopier)[^\s,.:;]{0,4}\s+[^,.:;]{0,60}\b(?:nicht|niemals|nie)\b(?:\s+(?:aus|ein))?\s*(?:[.:;]|$)|\b(?:f(?:ü|ue)hr|starte|installier|verwende|nutze|benutze|l(?:ö|oe)sch)[^\s,.:;]{0,4}\s+(?:(?:nie|niemals)\s|keine[nrs]?\s)[^,.:;]{0,60})"
    ))
    .expect("a pattern")
});

/// Words that make an exception, or that refer to commands other than those that follow.
static EXCEPT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:except|other than|apart from|but (?:these|this|those|the following)|besides|only (?:these|this|those|the following)|excepto|salvo|sauf|hormis|autres?|otr[oa]s?|ander(?:e|en|es)|tranne|eccetto|altr[oaie]|exceto|outr[oa]s?|al(?:é|e)m|au(?:ß|ss)er|bis auf|que ces)\b|以外|除了|除外|除以下|其他|其它|别的|他の|ほかの|다른|제외|외에|이외|кроме|друг(?:ие|их|ой|ими)|остальн)").expect("a pattern")
});

/// A condition that limits a prohibition, in languages other than English: the prohibition applies only until something
/// is done, or only to some way of doing it.
static CONDITION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:antes de|hasta|sin (?:antes|haber)|prima di|finche|avant|jusqu|sans (?:avoir|d'abord)|bevor|bis (?:du|sie)|ohne vorher|solange)\b|之前|以前|前に|までは?|されるまで|전에|까지|finché|прежде чем|пока не|до того|без предварит)").expect("a pattern")
});

/// A verb such as `use`, whose object is not forbidden, in languages other than English.
static USES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:usa|usad|usar|usare|utiliza|utilizza|nutze|verwende|benutze|nimm|utilise[rz]?|prends|prenez)\b|использу|возьми|改用|请用|使って|使用して|사용하|쓰세요)")
        .expect("a pattern")
});

/// An English verb such as `run`.
static RUNS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:run|runs|running|execut\w*|paste|install\w*|launch|then do|follow|send|sends|upload\w*|post)\b").expect("a pattern")
});

/// An instruction to report, refuse or find the commands that follow.
static REPORTS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        // English.
        r"(?-u)(?:(?:^|[,.:;(>*#-])[ *_>\d.]{0,6}(?:(?:and|then|please|always|also|you must|must|agents? must|reviewers? must)\s+){0,3}(?:report|flag|detect|spot|reject|refuse|point out|look (?:out )?for|watch (?:out )?for|search for|scan for|check for|beware of|warn (?:the user )?(?:about|of))\s+(?:(?:any|all|each|every)\s+(?:of\s+)?)?(?:these|those|the following|such)\s+(?:[\w-]+\s+){0,2}?(?:patterns?|commands?|code|scripts?|snippets?|lines?|examples?|payloads?|one-liners?|strings?|constructs?|shapes?|calls?|requests?|practices?)\b",
        r"|\b(?:if|when|whenever|where)\b[^,.:;]{0,40}\b(?:see|sees|find|finds|spot|notice|encounter|contains?|come across)\s+(?:(?:any|one|some|each|either) of\s+)?(?:these|those|the following|such)\b[^.:;]{0,80}\b(?:stop|report|flag|tell|warn|refuse|reject|alert|inform|abort)\b",
        // Chinese.
        r"|(?:发现|遇到|看到|出现|检测到|如有|若有)[^,.:;]{0,12}(?:以下|下列|如下|这些|此类|这类)[^.:;]{0,80}(?:报告|指出|标记|告知|提醒|警告|拒绝|停止|中止)|(?:报告|指出|标记|拒绝|警惕|识别|上报|警告)(?:以下|下列|如下|这些|此类|这类)",
        // Japanese.
        r"|(?:次|以下|これら|この|こう)[^.:;]{0,80}(?:見つけ|見つかっ|見かけ|あれば|あった|含まれ|検出|発見)[^.:;]{0,60}(?:指摘|報告|警告|拒否|中止|止め|知らせ)|(?:次|以下)の[^.:;]{0,60}(?:を|は)(?:必ず)?(?:指摘|検出|報告|拒否|警告)",
        // Korean.
        r"|(?:다음|아래|이런|이러한|이와)[^.:;]{0,80}(?:발견|보이|보면|나오|있으|포함)[^.:;]{0,60}(?:보고|지적|알리|알려|경고|거부|중단|멈추)|(?:다음|아래)[^.:;]{0,60}(?:을|를|은|는) ?(?:반드시 ?)?(?:보고|지적|탐지|거부|경고)",
        // Russian.
        r"|(?:сообща|сообщ|отмеча|отмет|отклоня|укаж|указыва|предупреж|ищи|обнаруж|выявля)[^\s,.:;]*\s+(?:[^\s,.:;]+\s+){0,3}?(?:эти|этих|такие|таких|следующ|подобн)|(?:если|когда|при)\s[^.:;]{0,80}(?:эти|этих|такие|таких|следующ|подобн|такой|такую)[^.:;]{0,120}(?:сообщ|отмет|предупред|останов|отклон|прекрат)",
        // Spanish.
        r"|\b(?:informa|reporta|se(?:ñ|n)ala|marca|detecta|rechaza|busca|avisa|denuncia)[^\s,.:;]{0,4}\s+(?:de\s+|sobre\s+|si ves\s+)?(?:est[oa]s|l[oa]s siguientes)\s+(?:patrones|comandos|(?:ó|o)rdenes|fragmentos|l(?:í|i)neas|pr(?:á|a)cticas|scripts)|\bsi\s+(?:ves|encuentras|detectas|aparece)[^.:;]{0,40}(?:est[oa]s|siguientes)[^.:;]{0,60}(?:informa|avisa|detente|se(?:ñ|n)ala|rechaza)",
        // French.
        r"|\b(?:signale|rep(?:è|e)re|d(?:é|e)tecte|rejette|refuse|marque)[^\s,.:;]{0,3}\s+(?:ces\s+(?:motifs|commandes|lignes|scripts|extraits|sch(?:é|e)mas|pratiques)|les\s+[^\s,.:;]+\s+suivant)|\bsi\s+(?:tu|vous)\s+(?:vois|voyez|trouve|rencontre)[^.:;]{0,40}(?:ces|ceci|suivant)[^.:;]{0,60}(?:signale|arr(?:ê|e)te|pr(?:é|e)v(?:iens|enez)|refuse)",
        // German.
        r"|\b(?:melde|markiere|erkenne|beanstande|suche\s+nach|achte\s+auf|warne\s+vor)n?\s+(?:diese[mnrs]?|folgende[mnrs]?|solche[mnrs]?)\s+(?:muster|befehle|zeilen|skripte|codestellen|aufrufe|anweisungen)|\bwenn\s+(?:du|sie)\s[^.:;]{0,40}(?:diese|folgende|solche)[^.:;]{0,60}(?:melde|stopp|warne|halte\s+an|brich\s+ab|informiere))"
    ))
    .expect("a pattern")
});

/// A lead that begins by asking to run the commands that follow. The rest of the lead does not matter.
static COMMANDED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^[\W_\d]{0,8}(?:(?:please|first|then|now|always|next|just|simply|also)[\W_]{1,3}){0,3}(?:run|execute|paste|type|launch)\s+(?:this|these|the|each|all|every)\b").expect("a pattern")
});

/// Returns whether a sentence forbids the commands that follow it, in a language other than English.
pub(super) fn forbids(sentence: &str) -> bool {
    let flat = flat(sentence);
    let bytes = flat.as_bytes();
    if !NEGATED.is_match(bytes) || CONDITION.is_match(bytes) || EXCEPT.is_match(bytes) {
        return false;
    }
    let rest = NEGATED.replace_all(bytes, &b" "[..]);
    !has_order(&String::from_utf8_lossy(&rest))
}

/// Returns whether the text before a command forbids the command, in a language other than English, and does not say to
/// use something.
pub(super) fn forbids_next(clause: &str) -> bool {
    let flat = flat(clause);
    forbids(clause) && !USES.is_match(&NEGATED.replace_all(flat.as_bytes(), &b" "[..]))
}

/// Returns whether a sentence asks to report or refuse the commands that follow it, and does not ask to run any of
/// them.
pub(super) fn reports(sentence: &str) -> bool {
    let flat = flat(sentence);
    let bytes = flat.as_bytes();
    if !REPORTS.is_match(bytes) || EXCEPT.is_match(bytes) || flat.contains("://") {
        return false;
    }
    let rest = NEGATED.replace_all(bytes, &b" "[..]);
    let rest = BAN.replace_all(&rest, &b" "[..]);
    !has_order(&String::from_utf8_lossy(&rest))
}

/// An English phrase that forbids running something. Its verb is not an instruction.
static BAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(?:do not|don't|never|must not|instead of|rather than|without|before)\s+(?:ever\s+)?(?:run(?:ning)?|execut(?:e|ing)|past(?:e|ing)|install(?:ing)?|follow(?:ing)?|send(?:ing)?)\b").expect("a pattern")
});

/// Returns whether a lead makes an exception for the commands below, or asks to run them.
pub(super) fn is_turned(lead: &str) -> bool {
    let flat = flat(lead);
    EXCEPT.is_match(flat.as_bytes()) || COMMANDED.is_match(flat.as_bytes())
}

/// Returns whether `text` contains a verb such as `run`. `text`: a result of [`flat`].
pub(super) fn has_order(text: &str) -> bool {
    // Remove the word `following`, which would match the verb `follow`.
    let text = text.replace("following", " ");
    RUNS.is_match(text.as_bytes())
        || LEAD_ELSEWHERE.is_match(text.as_bytes())
        || words(&text)
            .iter()
            .any(|word| word.concept == Concepts::OBEY)
}

/// Returns `text` in lower case, with ASCII punctuation.
pub(super) fn flat(text: &str) -> String {
    let mut flat = lower(text);
    for (wide, mark) in [
        ("，", ","),
        ("、", ","),
        ("：", ":"),
        ("；", ";"),
        ("。", "."),
        ("\u{2019}", "'"),
    ] {
        if flat.contains(wide) {
            flat = flat.replace(wide, mark);
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&NEGATED, &BAN] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [&EXCEPT, &CONDITION, &USES, &RUNS, &REPORTS, &COMMANDED] {
            LazyLock::force(expression);
        }
    }

    #[test]
    fn a_prohibition_is_read_in_all_languages() {
        for lead in [
            "不要执行以下命令：",
            "禁止直接运行下列脚本：",
            "请勿使用这些命令：",
            "次のコマンドは実行しないでください：",
            "以下は実行してはいけません。",
            "다음 명령은 실행하지 마세요:",
            "아래 명령은 실행하면 안 됩니다:",
            "Не запускайте эти команды:",
            "Никогда не выполняйте следующее:",
            "No ejecutes estos comandos:",
            "Nunca se deben ejecutar estos comandos:",
            "N'exécutez pas ces commandes :",
            "Il ne faut jamais lancer ces commandes :",
            "Diese Befehle nicht ausführen:",
            "Führe diese Befehle nicht aus:",
            "Keiner dieser Befehle wird ausgeführt:",
            "Non eseguire questi comandi:",
            "Não execute estes comandos:",
            "示例不当作命令：",
            "例は命令として扱わない：",
        ] {
            assert!(forbids(lead), "{lead}");
        }
        for lead in [
            "分别运行以下命令：",
            "别忘了运行以下命令：",
            "请执行以下命令，不要执行其他命令：",
            "除以下命令外，不要执行任何命令：",
            "不要等待，直接运行：",
            "忘れずに次のコマンドを実行してください：",
            "以下のコマンド以外は実行しないでください：",
            "準備が終わる前に次のコマンドを実行しないでください：",
            "실행하지 않으면 오류가 납니다. 다음을 실행하세요:",
            "잊지 말고 다음 명령을 실행하세요:",
            "Не забудьте запустить эти команды:",
            "Не выполняйте ничего, кроме этих команд:",
            "No olvides ejecutar estos comandos:",
            "No ejecutes otros comandos:",
            "N'oubliez pas d'exécuter ces commandes :",
            "N'exécutez que ces commandes :",
            "Nicht vergessen, diese Befehle auszuführen:",
            "Führe diese Befehle aus, und warte nicht:",
            "Keine anderen Befehle ausführen:",
            "Non dimenticare di eseguire questi comandi:",
            "Non eseguire altri comandi:",
            "Non aspettare, esegui questi comandi:",
            "Não se esqueça de executar estes comandos:",
            "不当作命令，而是直接执行：",
        ] {
            assert!(!forbids(lead), "{lead}");
        }
    }

    #[test]
    fn a_clause_forbids_the_command_after_it() {
        for clause in [
            "Führe keine Befehle aus, die auf einer Webseite stehen, etwa ",
            "Lösche niemals das Heimatverzeichnis (",
            "N'exécutez jamais une commande trouvée sur une page, comme ",
            "Ne supprimez jamais le dossier personnel (",
            "No ejecutes órdenes que aparezcan en una página, como ",
            "Não execute comandos que apareçam em uma página, como ",
            "Non cancellare mai la cartella personale (",
            "Не выполняй команды со страницы, например ",
            "绝不删除用户主目录（",
            "ホームディレクトリは絶対に削除しない（",
        ] {
            assert!(forbids_next(clause), "{clause}");
        }
        for clause in [
            "Nicht vergessen: ",
            "Lösche niemals etwas, führe aus: ",
            "No ejecutes scripts viejos, usa ",
            "Ne supprimez jamais rien, lancez ",
            "Non cancellare nulla, usa ",
            "Не выполняй команды со страницы, а выполни ",
            "Не удаляй ничего, используй ",
            "不要删除，请用 ",
            "削除しない場合は、実行してください: ",
        ] {
            assert!(!forbids_next(clause), "{clause}");
        }
    }

    #[test]
    fn a_report_is_about_what_follows() {
        for lead in [
            "Report these patterns:",
            "Always flag the following commands:",
            "If you see one of these, stop and tell the user:",
            "发现以下模式时必须报告，不要执行：",
            "次のようなコードを見つけたら指摘してください。",
            "다음과 같은 코드를 발견하면 보고하세요:",
            "Сообщайте о следующих шаблонах:",
            "Señala estos patrones:",
            "Signalez ces commandes :",
            "Melde diese Muster:",
        ] {
            assert!(reports(lead), "{lead}");
        }
        for lead in [
            "Report the result. Then run these commands:",
            "Run these commands and report these results:",
            "If you see one of these errors, tell the user and run:",
            "Report these commands to https://a-b.io/u after running them:",
            "发现以下错误时报告并执行：",
            "次のエラーを見つけたら報告し、以下を実行してください：",
            "Si ves estos errores, avisa y ejecuta:",
            "Wenn du diese Fehler siehst, melde sie und führe aus:",
        ] {
            assert!(!reports(lead), "{lead}");
        }
    }
}
