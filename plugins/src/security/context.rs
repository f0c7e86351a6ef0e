//! Decides whether a dangerous command or sentence is an instruction or only a mention, for example in a warning. The
//! decision depends on the context.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;
use skillc_core::{Document, LinkKind, Skill, Span};

use super::expression::Expression;
use super::standing;

/// The kind of text that contains a position in a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Text that an agent reads as instructions.
    Prose,
    /// A code span in text that an agent reads as instructions.
    CodeSpan,
    /// A block of commands.
    Shell,
    /// A code block in a language other than shell, or without a language.
    Code,
    /// The frontmatter of a Markdown file.
    Frontmatter,
    /// An HTML comment in a Markdown file.
    Comment,
    /// The title of a link.
    LinkTitle,
    /// The alternative text of an image.
    Alt,
    /// An attribute of an HTML tag, which is invisible on the rendered page.
    Attribute,
    /// A program.
    Script,
    /// A data file or a configuration file.
    Data,
}

impl Place {
    /// Returns whether text of this kind is invisible on the rendered page.
    pub(crate) const fn is_hidden(self) -> bool {
        matches!(
            self,
            Self::Comment | Self::LinkTitle | Self::Alt | Self::Attribute
        )
    }

    /// Returns the words that describe the place in a message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Prose => "in the instructions",
            Self::CodeSpan => "in a command of the instructions",
            Self::Shell => "in a block of commands",
            Self::Code => "in a code block",
            Self::Frontmatter => "in the frontmatter",
            Self::Comment => "in an HTML comment",
            Self::LinkTitle => "in the title of a link",
            Self::Alt => "in the alternative text of an image",
            Self::Attribute => "in an attribute of an HTML tag",
            Self::Script => "in a script",
            Self::Data => "in a data file",
        }
    }
}

/// Returns the kind of text that contains the byte `at` of a Markdown file.
///
/// `unseen`: the result of [`unseen`] for this document.
pub(crate) fn place(doc: &Document, at: usize, unseen: &[(Span, Place)]) -> Place {
    let within = |spans: &[Span]| {
        let before = spans.partition_point(|span| span.start <= at);
        before
            .checked_sub(1)
            .map(|of| spans[of])
            .filter(|span| at < span.end)
    };
    if at < doc.body_start {
        return Place::Frontmatter;
    }
    if let Some(block) = doc.code_block_at(at) {
        let info = block.info.as_deref().unwrap_or_default().trim();
        let language = info.split([' ', ',', '{']).next().unwrap_or_default();
        let language = language.to_ascii_lowercase();
        return match &*language {
            "sh" | "bash" | "shell" | "zsh" | "console" | "terminal" | "powershell" | "ps1"
            | "pwsh" | "cmd" | "bat" | "fish" | "shell-session" | "shellscript" => Place::Shell,
            _ => Place::Code,
        };
    }
    if doc.code_span_at(at).is_some() {
        return Place::CodeSpan;
    }
    if is_hidden_element(doc, at) || is_link_comment(doc, at) {
        return Place::Comment;
    }
    let before = unseen.partition_point(|(span, _)| span.start <= at);
    if let Some((span, place)) = before.checked_sub(1).map(|of| unseen[of])
        && at < span.end
    {
        return place;
    }
    if within(&doc.html_blocks)
        .or_else(|| within(&doc.inline_html))
        .is_some()
    {
        return Place::Prose;
    }
    let links = &doc.links;
    let before = links.partition_point(|link| link.span.start <= at);
    if let Some(link) = before
        .checked_sub(1)
        .map(|of| &links[of])
        .filter(|link| at < link.span.end)
    {
        if link.kind == LinkKind::Image && at < link.label_span.end {
            return Place::Alt;
        }
        if at >= link.dest_span.end && at > link.label_span.end {
            return Place::LinkTitle;
        }
    }
    Place::Prose
}

/// Returns the parts of a document that are invisible on the rendered page, in order: comments, attributes of HTML
/// tags, and titles of link definitions.
pub(crate) fn unseen(doc: &Document) -> Vec<(Span, Place)> {
    let mut found = titles(doc);
    for html in doc.html_blocks.iter().chain(&doc.inline_html) {
        let bytes = &doc.text.as_bytes()[html.start..html.end.min(doc.text.len())];
        let mut at = 0;
        while let Some(open) = memchr::memmem::find(&bytes[at..], b"<!--") {
            let start = at + open;
            found.extend(attributes(&bytes[at..start], html.start + at));
            let close = memchr::memmem::find(&bytes[start..], b"-->");
            at = close.map_or(bytes.len(), |close| start + close + 3);
            let span = Span::new(html.start + start, html.start + at);
            found.push((span, Place::Comment));
        }
        found.extend(attributes(&bytes[at..], html.start + at));
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// The beginning of an HTML attribute whose value can be a sentence.
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\s(?:title|alt|aria-[a-z]{1,20}|data-[a-z0-9-]{1,40}|content|summary|placeholder|label)\s{0,4}=\s{0,4}[\x22']").expect("a pattern")
});

/// Returns the values of the attributes in `html`, a part of a document. `start`: the offset of `html` in the document.
fn attributes(html: &[u8], start: usize) -> Vec<(Span, Place)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = ATTRIBUTE.find_at(html, at) {
        let quote = html[open.end() - 1];
        let close = memchr::memchr(quote, &html[open.end()..]);
        at = close.map_or(html.len(), |close| open.end() + close + 1);
        let span = Span::new(start + open.end(), start + at);
        found.push((span, Place::Attribute));
    }
    found
}

/// Returns the titles of the link definitions in a document: `[a]: /b "title"`. A title may have several lines.
fn titles(doc: &Document) -> Vec<(Span, Place)> {
    let mut found = Vec::new();
    let mut at = doc.body_start;
    for line in doc.text[doc.body_start..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let label = line.trim_start_matches([' ', '>']).strip_prefix('[');
        let Some((label, rest)) = label.and_then(|rest| rest.split_once("]:")) else {
            continue;
        };
        // Skip footnotes: they are visible and have no titles.
        if !label.starts_with('^')
            && doc.code_block_at(start).is_none()
            && let Some(title) = title(&doc.text, at - rest.len())
        {
            found.push((title, Place::LinkTitle));
        }
    }
    found
}

/// Returns the title of a link definition. The title follows the destination, either on the same line or on the next.
/// `from`: the offset after the label.
fn title(text: &str, from: usize) -> Option<Span> {
    let near = |from: usize, most: usize| &text[from..char_floor(text, from + most)];
    let skipped = |from: usize| {
        let rest = near(from, MAX_SIDE);
        let blanks = &rest[..rest.len() - rest.trim_start().len()];
        (blanks.matches('\n').count() < 2).then_some(from + blanks.len())
    };
    let destination = skipped(from)?;
    let length = near(destination, MAX_SIDE).find(char::is_whitespace)?;
    let open = skipped(destination + length)?;
    let close = match text[open..].chars().next()? {
        quote @ ('"' | '\'') => quote,
        '(' => ')',
        _ => return None,
    };
    let start = open + 1;
    let length = near(start, MAX_TITLE_LENGTH).find(close)?;
    let rest = text[start + length + 1..].lines().next();
    let is_end = rest.is_none_or(|rest| near_start(rest).trim().is_empty());
    is_end.then(|| Span::new(start, start + length))
}

/// Returns the first [`MAX_SIDE`] bytes of a line.
fn near_start(line: &str) -> &str {
    &line[..char_floor(line, MAX_SIDE)]
}

/// The maximum length of a link definition's title, in bytes.
const MAX_TITLE_LENGTH: usize = 4000;

/// The start tag of an element that a browser does not show.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)<(?:div|span|p|font|section|details|i|b|small)\b[^>]{0,200}(?:display:\s*none|visibility:\s*hidden|font-size:\s*[01](?:\.\d+)?(?:px|pt|em|%)?\b|opacity:\s*0(?:\.0\d*)?\b|color:\s*(?:white|#fff(?:fff)?|transparent)\b|\shidden\b|max-height:\s*0|(?:left|right|top|text-indent):\s*-\d{3,})[^>]{0,200}>").expect("a pattern")
});

/// The maximum length of a hidden element in an HTML page, in bytes.
const LONGEST_ELEMENT: usize = 2000;

/// Returns the spans of an HTML page that a browser does not show: hidden elements and comments.
pub(crate) fn hidden_elements(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let end = |start: usize, sign: &[u8]| {
        let rest = &bytes[start..bytes.len().min(start + LONGEST_ELEMENT)];
        Span::new(
            start,
            start + memchr::memmem::find(rest, sign).unwrap_or(rest.len()),
        )
    };
    let elements = HIDDEN.find_iter(bytes).map(|found| end(found.end(), b"</"));
    let comments = memchr::memmem::find_iter(bytes, b"<!--").map(|at| end(at + 4, b"-->"));
    elements.chain(comments).collect()
}

/// Returns whether a hidden element begins in the 2000 bytes before a position, without an end tag in between.
fn is_hidden_element(doc: &Document, at: usize) -> bool {
    if doc.html_blocks.is_empty() && doc.inline_html.is_empty() {
        return false;
    }
    let before =
        &doc.text[char_floor(&doc.text, at.saturating_sub(2000))..char_floor(&doc.text, at)];
    let last = HIDDEN.find_iter(before.as_bytes()).last();
    last.is_some_and(|last| memchr::memmem::find(&before.as_bytes()[last.end()..], b"</").is_none())
}

/// The maximum number of bytes of a line that are examined on each side of a position.
const MAX_SIDE: usize = 1000;

/// Returns the range of the line that contains a position, limited to [`MAX_SIDE`] bytes on each side.
pub(super) fn line_around(text: &str, at: usize) -> Range<usize> {
    let at = char_floor(text, at);
    let low = char_floor(text, at.saturating_sub(MAX_SIDE));
    let high = char_floor(text, (at + MAX_SIDE).min(text.len()));
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[low..at]).map_or(low, |end| low + end + 1);
    let end = memchr::memchr(b'\n', &bytes[at..high]).map_or(high, |end| at + end);
    start..end
}

/// Returns whether a position is in a link definition that serves as a comment: `[//]: # (…)`.
fn is_link_comment(doc: &Document, at: usize) -> bool {
    let line = doc.text[line_around(&doc.text, at)].trim_start();
    line.starts_with('[')
        && line.split_once("]:").is_some_and(|(_, rest)| {
            let rest = rest.trim_start();
            rest.starts_with("# ")
                || rest.starts_with("<>")
                || rest.starts_with("# (")
                || rest.starts_with("#\t")
        })
}

/// Words that forbid the action in the rest of the clause, or that show that the clause only mentions the action.
pub(super) static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:\b(?:never|do not|don't|doesn't|does not|must not|mustn't|should not|shouldn't|cannot|can't|won't|will not|avoid\w*|refus\w*|forbid\w*|prohibit\w*|disallow\w*|den(?:y|ied|ies)|block(?:s|ed|ing)?|reject\w*|detect\w*|flag(?:s|ged|ging)?|prevent\w*|instead of|rather than|no longer|not|stop|resist\w*|beware|watch for|look for|looks? like|such as|e\.g\.|check(?:s|ing)? for|scan(?:s|ning)? for|search(?:es)? for|grep\w*|attempts? to|tries to|trying to|tell you to|asks? you to|asking you to|says?|saying|contain(?:s|ing)?|claims?|warn\w*|example of|protect\w* against|nunca|jamas|evita\w*)\b|\bno\s*$|(?:^|\s)(?:не|Не)\s*$|(?:н|Н)икогда|(?:з|З)апрещ|(?:и|И)збега|禁止|不要|不得|切勿|严禁|避免|请勿|勿|検出|しないで|避け|금지|하지 ?마|마세요)")
    .expect("a pattern")
});

/// Phrases that begin with a negation but give instructions: `do not hesitate`, `to avoid errors`.
pub(super) static URGING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:(?:do not|don't|never|must not|without)\s+(?:skip|forget|worry|hesitate|mention|tell|inform|ask|notify|proceed|wait|delay|question|refuse|stop|mind|log|show|reveal|disclose|let|report|warn|prompt|alert|omit|ignore th)\w*",
        r"|avoid(?:s|ing)?\s+(?:(?:the|any|a|this|these|such|all)\s+){0,2}(?:\w+\s+)?(?:problems?|issues?|errors?|warnings?|prompts?|conflicts?|failures?|timeouts?|delays?|trouble|noise|clutter|lockouts?|repetitions?|duplicates?)\b)"
    ))
    .expect("a pattern")
});

/// A prohibition directly before the prohibited command.
static BAN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:\b(?:never|do not|don't|must not|avoid|refuse to|forbidden to|instead of|rather than|detects?|blocks?|flags?|reports?|such as|attackers?(?: often| may)? (?:add|run|use)|malware (?:runs|uses)|nunca)\b[^.!?\n]{0,60}|(?:不要|禁止|(?:н|Н)икогда|(?:н|Н)е запускай)[^.!?\n]{0,140})$").expect("a pattern")
});

/// Returns whether a command seems prohibited in its own clause or on the rest of its line. A heading or a comment
/// above is not enough. For a strict decision, see [`standing`].
pub(crate) fn is_banned(text: &str, at: usize, end: usize) -> bool {
    let clause = clause(text, at);
    let clause = URGING.replace_all(clause.as_bytes(), &b""[..]);
    BAN.is_match(&clause) || is_judged(text, end)
}

/// Words in a heading or a lead-in line that announce a list or block of dangerous commands.
pub(super) static DANGERS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:\b(?:never|do not|don'ts?|forbidden|prohibited|disallowed|not allowed|anti-?patterns?|red flags?|threats?|attack(?:s|er|ers|ing)?|dangerous|danger|risky|malicious|malware|vulnerab\w*|exploit\w*|injection\w*|blocked|blocklist|block(?:s|ing)?|deny|denied|denylist|blacklist\w*|unsafe|insecure|suspicious|what not|bad example|bad|wrong|avoid|rejected?|refus(?:ed?|es|als?)|detect\w*|flag(?:ged|s)?|risk\w*|adversar\w*|jailbreak\w*|poison\w*|indicators?|iocs?|signatures?|destructive|guardrails?|safety (?:rules|checks?)|security (?:rules|checks?|scan\w*|patterns?|considerations?|issues?|warning)|warning signs|safeguards?|hard (?:stop|block|rules)|requires? (?:explicit )?(?:approval|confirmation)|ask (?:first|before)|escalat\w*|test cases?|evil|payloads?)\b|❌|🚫|⛔|✗|✘|☠|(?:о|О)пасн|(?:з|З)апрещ|(?:в|В)редонос|(?:а|А)так|危险|危険|恶意|悪意|攻击|攻撃|禁止|风险|위험|악성|공격|금지|peligros|prohibid|malicios|ataque|perigos|proibid|pericolos|proibit|vietat)")
    .expect("a pattern")
});

/// Words in the frontmatter or title of a skill that teaches attacks or their detection. Words such as `audit` or
/// `scan` are not enough, because malware uses them too.
static SECURITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:\b(?:pen-?test\w*|penetration[ -]test\w*|red[ -]?team\w*|exploit(?:s|ation|ing)?|offensive security|oscp|hack ?the ?box|tryhackme|vulnhub|metasploitable|ctf|capture the flag|malware|forensic\w*|prompt[ -]injection\w*|jailbreak\w*|hack(?:er|ing)|bug bounty|owasp|mitre|att&ck|yara|dfir|adversarial|incident respon\w*|compromised (?:host|machine|server)|may be compromised|(?:teach|explain|lesson)\w*[^\n]{0,80}\b(?:risky|unsafe|dangerous)|safe to paste|(?:audit|vet|review)\w*\s+(?:a |an |the )?(?:downloaded |third-party |unknown )?(?:agent )?skills?|privilege[ -]escalation|privesc|reverse[ -]shells?|reverse engineer\w*|attack (?:vectors?|surface|patterns?|simulation|techniques?)|social[ -]engineering|maldocs?|suspicious (?:office |pdf )?(?:documents?|files?|scripts?|samples?|attachments?|e-?mails?)|indicators of compromise|threat (?:hunt\w*|model\w*|intel\w*|detection rules?))\b|渗透|应急响应|被入侵|入侵排查|取证|恶意软件|침해 ?사고|악성코드|설치된 채굴|インシデント対応|マルウェア|越狱|提示词?注入|プロンプトインジェクション|침투|모의 ?해킹|пентест|(?:技能|插件)[^\n.,]{0,24}(?:审查|审核|审计|安全检查)|(?:审查|审核|审计)[^\n.,]{0,24}(?:技能|插件)|スキル[^\n.,]{0,24}(?:審査|監査|安全性)|스킬[^\n.,]{0,24}(?:감사|심사|보안 ?점검|보안 ?검토)|(?:аудит|проверк[^\s]{0,4} безопасности)\s(?:[^\s]{1,40}\s)?(?:навык|скил|плагин)|\b(?:auditar|auditor(?:í|i)a de|revisi(?:ó|o)n de seguridad de|revis(?:ã|a)o de seguran(?:ç|c)a de|auditer|audit des?)\s(?:\w+\s){0,2}(?:skills?|habilidades|comp(?:é|e)tences)\b)")
    .expect("a pattern")
});

/// Words in the frontmatter or title of a skill that analyses phishing, incidents or attacks, in languages other than
/// English, or that are too common to show that the skill is about security. Such a skill shows traces of attacks, but
/// may still be an attack: a match only turns errors about text that is shown into warnings.
static ANALYSIS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)(?:\b(?:phish\w* (?:analysis|triage|investigations?|reports?|e?-?mails?)|(?:analy[sz]|triag|investigat)\w* (?:\w+ ){0,2}phish\w*|reported e?-?mails?|(?:servers?|hosts?|runners?|machines?|ci) (?:\w+ ){0,3}for (?:crypto-?)?miners?)\b",
        // Training of employees, post-mortems and drills.
        r"|\b(?:security[ -]awareness|(?:cyber-?)?security training|post-?\s?mortems?|tabletop exercises?|(?:ransomware|incident|cyber) (?:drill|tabletop)s?|(?:secret|malware) scanners?|(?:security )?incident (?:reviews?|reports?)|(?:servers?|hosts?|machines?) (?:was|were|has been|have been) compromised)\b|\b(?:sicherheits|awareness-)schulung\w*|\bschulung(?:en)? (?:zur|in) (?:informations|it-|cyber)sicherheit|\bvorfallberichte?\b|\bnachbereitung von (?:sicherheits)?vorf(?:ä|ae)llen|\beinbruch in (?:einen|den) [\w-]{0,24}server\b|\bplanspiel\b[^\n]{0,24}(?:ransomware|cyber)",
        r"|\bsensibilisation à la (?:cyber)?s(?:é|e)curit(?:é|e)|\bformation (?:à la|en) cybers(?:é|e)curit(?:é|e)|\b(?:rapports?|comptes? rendus?) d'incidents?\b|\b(?:formaci(?:ó|o)n|concienciaci(?:ó|o)n) (?:en|sobre) (?:ciber)?seguridad|\binformes? de incidentes?\b|\brelat(?:ó|o)rios? de incidentes?\b|\b(?:treinamento|conscientiza(?:ç|c)(?:ã|a)o) (?:de|em) seguran(?:ç|c)a|(?:о|О)бучени[^\s]{1,2} (?:[^\s]{1,40} )?(?:кибер|информационной )безопасности|(?:п|П)остмортем|(?:о|О)тч(?:е|ё)т[^\s]{0,4} об инцидент|взлома сервера",
        r"|安全(?:意识)?培训|事故复盘|事件复盘|勒索(?:软件)?演练|侵害された(?:サーバ|ホスト|端末)|침해된 ?(?:서버|호스트|시스템)|セキュリティ(?:研修|教育)|ポストモーテム|障害報告|보안 ?(?:교육|훈련)|포스트모템|사후 ?분석|应急排查",
        r"|\b(?:phishing-?(?:auswertung|analyse|mails?)|verd(?:ä|ae)chtige[nrs]? (?:e-?)?(?:mails?|anh(?:ä|ae)nge|dateien|skripte)|schadsoftware|vorfall(?:bearbeitung|behandlung|reaktion)|(?:auf|bei) sicherheitsvorf(?:ä|a)ll\w*|kompromittierte[nrs]? (?:rechner|server|systeme?))",
        r"|\b(?:analys\w{1,3} (?:de |du |d\x27)?(?:hame(?:ç|c)onnage|phishing)|(?:courriels?|e-?mails?|messages?|fichiers?|scripts?) suspects?|pi(?:è|e)ces? jointes? suspectes?|r(?:é|e)ponse (?:à |a |aux )(?:l\x27|un )?incidents?|(?:serveur|machine|h(?:ô|o)te)s? (?:\w+ )?compromise?s?|compromission d.\s?une? (?:serveur|poste|machine)|logiciels? malveillants?|injections? de prompts?)",
        r"|\b(?:an(?:á|a)lisis de phishing|correos? (?:electr(?:ó|o)nicos? )?sospechosos?|(?:archivos?|scripts?|adjuntos?) sospechosos?|respuesta (?:a|ante) incidentes?|(?:servidor(?:es)?|equipos?) comprometidos?|software malicioso|inyecci(?:ó|o)n de prompts?)",
        r"|\b(?:an(?:á|a)lise de phishing|e-?mails? suspeitos?|(?:arquivos?|anexos?) suspeitos?|resposta a incidentes?|(?:servidor(?:es)?|m(?:á|a)quinas?) comprometid[oa]s?|inje(?:ç|c)(?:ã|a)o de prompts?)",
        r"|\b(?:analisi (?:del |di )?phishing|(?:e-?)?mail sospett[ae]|(?:file|script|allegati) sospetti|risposta agli incidenti|analisi dell\x27incidente|(?:server|host) (?:\w+ )?compromess[oi]|macchin[ae] (?:\w+ )?compromess[ae])",
        r"|(?:а|А)нализ[^\s]{0,2} (?:[^\s]{1,40} )?фишинг|фишинговы[^\s]{1,4} пис|подозрительн[^\s]{2,6} (?:пис|вложени|файл|скрипт)|(?:р|Р)еагировани[^\s]{2} на инцидент|(?:р|Р)(?:азбор|асследовани)[^\s]{0,4} инцидент|взломанн[^\s]{4,6} (?:сервер|хост)",
        r"|(?:服务器|主机)(?:安全)?排查|钓鱼邮件|可疑(?:邮件|文件|脚本|样本)|挖矿(?:程序|木马|病毒)?(?:检查|排查|检测|清除)|检查[^\n.]{0,48}挖矿",
        r"|不審(?:な)?(?:メール|ファイル|添付|スクリプト)|フィッシング(?:の)?(?:分析|解析|調査|メール)|標的型メール|インシデント(?:調査|レスポンス)",
        r"|피싱 ?(?:메일|분석|대응)|의심(?:스러운)? ?(?:메일|첨부|스크립트)|침해 ?대응|프롬프트 ?(?:주입|인젝션))",
    ))
    .expect("a pattern")
});

/// Words about teaching, in lower case.
static TEACHES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:lessons?|courses?|teach(?:es|ing)?|trainings?|workshops?|curriculum|classroom|lecci(?:ó|o)n(?:es)?|cursos?|taller(?:es)?|ense(?:ñ|n)a[a-z]*|le(?:ç|c)ons?|cours|ateliers?|primers?|tutorials?|exercises?|learn(?:s|ing)? (?:how )?to (?:recogni[sz]e|spot|read|identify|detect|understand|handle)|how to (?:recogni[sz]e|spot|identify)|aprender? a (?:reconocer|detectar|leer|reconhecer)|c(?:ó|o)mo reconocer|como reconhecer|apprendre (?:à|a) (?:reconna|rep)|comment reconna|lektion(?:en)?|kurs(?:e|es)?|schulung(?:en)?|unterricht)\b|урок|учебн|заняти|обучени|тренинг|教程|课程|课堂|培训|教学|如何识别|学习识别|как распозна|научи|見分け方|見抜き方|구별하는|알아보는 ?법|授業|講座|教材|研修|강의|교육|수업|실습)")
        .expect("a pattern")
});

/// Words about attacks on software or its users, in lower case.
static MALICE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:typosquat[a-z]*|malicious|malware|phishing|prompt[ -]injections?|supply[ -]chain attacks?|exfiltration|(?:cyber|network|software|package) ?attacks?|malicios[oa]s?|ciberataques?|malveillante?s?|cyberattaques?|schadsoftware|cyberangriffe?|b(?:ö|oe)sartig[a-z]*|(?:de)?obfuscat[a-z]*|ofuscad[oa]s?|obfusqu[a-z]*|verschleiert[a-z]*|scams?|estafas?|golpes|arnaques?|social engineering|tool poisoning|ransomware|backdoors?|trojans?)\b|тайпсквот|вредонос|фишинг|кибератак|мошенн|обфускац|混淆代码|诈骗|木马|難読化|詐欺|난독화|恶意|投毒|钓鱼|悪意|フィッシング|マルウェア|악성|피싱)")
        .expect("a pattern")
});

/// Returns whether a title, or a sentence of the description, says that the skill teaches about attacks on software.
fn teaches_attacks(main: &Document, title: &str) -> bool {
    let fields = main.frontmatter.fields();
    let description = fields.and_then(|fields| fields.get("description")?.value.text());
    let sentences = description.into_iter().flat_map(|text| {
        let parts = text.split('。').flat_map(|part| part.split(". "));
        parts.map(str::to_owned).collect::<Vec<_>>()
    });
    let mut texts = sentences.chain([title.to_owned()]);
    texts.any(|text| {
        let text = lower(&text);
        TEACHES.is_match(text.as_bytes()) && MALICE.is_match(text.as_bytes())
    })
}

/// Sentences in a description that begin with one of these lower-case strings state the purpose of the skill.
const PURPOSES: [&str; 12] = [
    "use",
    "for ",
    "when",
    "load",
    "trigger",
    "teach",
    "explain",
    "audit",
    "help",
    "this skill",
    "covers",
    "learn",
];

/// Returns whether a skill is about security, according to its frontmatter and its first heading.
///
/// A passing mention, such as `Follows our threat model.`, is not enough. A single phrase counts only in the name, in
/// the title, in the first sentence of the description, or in a sentence that states the purpose of the skill. Two
/// different phrases count anywhere in this text.
pub(crate) fn is_about_security(skill: &Skill) -> bool {
    let Some(main) = skill.main() else {
        return false;
    };
    let end = char_floor(&main.text, main.body_start.min(4000));
    let head = &main.text[..end];
    let title = main.headings.first().map_or("", |heading| &*heading.text);
    if SECURITY.is_match(title.as_bytes()) || teaches_attacks(main, title) {
        return true;
    }
    let mut phrases = SECURITY.find_iter(head.as_bytes());
    let Some(first) = phrases.next() else {
        return false;
    };
    if phrases.any(|of| !of.as_bytes().eq_ignore_ascii_case(first.as_bytes())) {
        return true;
    }
    // Only one distinct phrase was found: check whether it occurs in a sentence that states the purpose.
    states(head, &SECURITY)
}

/// Returns whether a phrase occurs in a sentence of the frontmatter that states the purpose of the skill.
fn states(head: &str, phrase: &Regex) -> bool {
    let all = phrase.find_iter(head.as_bytes());
    all.take(20)
        .any(|of| is_purpose(&head[..char_floor(head, of.start())]))
}

/// Returns whether a skill analyses phishing, incidents or attacks, according to its frontmatter and its first heading.
pub(crate) fn is_about_analysis(skill: &Skill) -> bool {
    skill.main().is_some_and(|main| {
        let title = main.headings.first().map_or("", |heading| &*heading.text);
        let head = &main.text[..char_floor(&main.text, main.body_start.min(4000))];
        ANALYSIS.is_match(title.as_bytes()) || states(head, &ANALYSIS)
    })
}

/// Returns whether a phrase in the frontmatter is in a sentence that states the purpose of the skill. `before`: the
/// frontmatter up to the phrase.
fn is_purpose(before: &str) -> bool {
    let Some(described) = before.rfind("description:") else {
        return true;
    };
    let before = &before[described + "description:".len()..];
    let ends = [". ", ".\n", "! ", "? ", "。", "！", "？"].iter();
    let last = ends
        .filter_map(|end| before.rfind(end).map(|at| at + end.len()))
        .max();
    last.is_none_or(|last| {
        let sentence = before[last..].trim_start().to_lowercase();
        PURPOSES.iter().any(|start| sentence.starts_with(start))
    })
}

/// Folders of samples and tests. Text in these folders is not an instruction to the agent.
const SAMPLES: [&str; 14] = [
    "test",
    "tests",
    "fixtures",
    "fixture",
    "evals",
    "eval",
    "__tests__",
    "testdata",
    "test-data",
    "spec",
    "mocks",
    "payloads",
    "wordlists",
    "samples",
];

/// Returns whether a test runner, an interpreter, a shell or an editor runs a file automatically. Such a file is not a
/// sample, unless it is test data. `name`: in lower case.
fn runs_by_itself(parts: &[&str], name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        ".envrc",
        "setup.py",
        "build.rs",
        "noxfile.py",
        ".mocharc.js",
        ".mocharc.cjs",
        "globalsetup.js",
    ];
    const STEMS: [&str; 6] = [
        "jest.setup.",
        "jest.config.",
        "jest-setup.",
        "vitest.setup.",
        "vitest.config.",
        "karma.conf.",
    ];
    const RUNNERS: [&str; 4] = ["test", "tests", "__tests__", "spec"];
    let is_data = |part: &&str| {
        let part = part.to_ascii_lowercase();
        SAMPLES.contains(&&*part) && !RUNNERS.contains(&&*part)
    };
    let is_named = NAMES.contains(&name) || STEMS.iter().any(|stem| name.starts_with(stem));
    let is_task = name == "tasks.json" && parts.last() == Some(&".vscode");
    (is_named || is_task) && !parts.iter().any(is_data)
}

/// Returns whether a file is a sample, a test or a changelog in Markdown, according to its path. The skill may still run
/// such a file: see [`samples`](super::samples).
///
/// License files are not samples. An honest license contains nothing that the rules report. A skill can also run the
/// file in ways that are hard to recognize, for example with `sh ./*`.
pub(crate) fn is_sample(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default().to_ascii_lowercase();
    // Git copies sample hooks into each repository.
    let is_hook = parts.first() == Some(&".git") && parts.last() == Some(&"hooks");
    if runs_by_itself(&parts, &name) {
        return false;
    }
    parts
        .iter()
        .any(|part| SAMPLES.contains(&&*part.to_ascii_lowercase()))
        || is_sample_data(&name)
        || is_hook && name.ends_with(".sample")
        || name.starts_with("test_")
        || name.contains("_test.")
        || name.contains(".test.")
        || name.contains(".spec.")
        || is_changelog(path)
}

/// Returns whether a file contains subtitles, or data for tests, according to its name in lower case.
///
/// Only names of data files count: a program could contain commands of its own beside such data.
fn is_sample_data(name: &str) -> bool {
    const SUBTITLES: &str = "srt|vtt|ass|ssa";
    const DATA: &str = "csv|json|jsonl|ndjson|toml|tsv|yaml|yml";
    const STEMS: &str =
        "fixture|fixtures|testdata|test-data|test_data|testcases|test-cases|test_cases";
    let has = |list: &str, name: &str| list.split('|').any(|own| own == name);
    let is_named = |stem: &str| {
        let is_end = |rest: &str| rest.is_empty() || rest.ends_with(['-', '_', '.']);
        let mut ends = STEMS.split('|');
        ends.any(|own| stem.strip_suffix(own).is_some_and(is_end))
    };
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        has(SUBTITLES, extension) || has(DATA, extension) && is_named(stem)
    })
}

/// Returns whether a file is a changelog in Markdown, according to its path.
pub(crate) fn is_changelog(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.strip_suffix(".md");
    stem.is_some_and(|stem| stem.starts_with("changelog"))
}

/// Words after a command that say that the command is bad.
static BAD: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:\b(?:is|are|was|=|as)\s+(?:\w+\s+)?(?:dangerous|malicious|forbidden|blocked|denied|prohibited|unsafe|an? (?:attack|red flag|threat|violation|injection|scam|finding|risk|weakness|misconfiguration|sign of))|\b(?:blocked|denied|forbidden|deny|rejected|(?:→|=>|:|must|should)\s*refuse|dangerous|critical|red flag|injection|attack|malicious|destructive|high risk|exfiltrat\w*|credential theft)\b|❌|🚫|⛔|危险|禁止|使いません|使わない|위험|опасн)")
        .expect("a pattern")
});

/// Code that shows that a line contains patterns, messages or checks.
static DATA: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r#"(?i-u)(?:\bre\.(?:compile|match|fullmatch)\(|regex|pattern|\bgrep\b|rg -|match\(|\.test\(|new RegExp|(?:^|[\s\[,({:=])r["']|denied|blocked|deny|forbid|dangerous|malicious|suspicious|unsafe|assert|expect\(|\\[sbwd][+*?{)\]|]|echo\s+["'][^"']{0,20}(?:never|don't|do not|warning|danger)|severity|\brule\b|detect|print\(f?["'][^"'\n]{0,60}$|description)"#)
        .expect("a pattern")
});

/// The maximum length of a clause before a position, in bytes.
const MAX_CLAUSE: usize = 160;

/// Returns the text before a position in the same sentence and on the same line, at most [`MAX_CLAUSE`] bytes.
fn clause(text: &str, at: usize) -> &str {
    clause_within(text, at, MAX_CLAUSE)
}

/// Like [`clause`], but returns at most `most` bytes.
pub(super) fn clause_within(text: &str, at: usize, most: usize) -> &str {
    clause_by(text, at, most, |_| false)
}

/// Like [`clause_within`], but punctuation in the code spans of a document does not end a sentence.
pub(super) fn clause_in(doc: &Document, at: usize, most: usize) -> &str {
    clause_by(&doc.text, at, most, |mark| doc.code_span_at(mark).is_some())
}

/// Returns the text before a position in the same sentence and on the same line, at most `most` bytes. `is_code`:
/// returns whether the punctuation mark at an offset is in code, where it does not end a sentence.
fn clause_by(text: &str, at: usize, most: usize, is_code: impl Fn(usize) -> bool) -> &str {
    let low = char_floor(text, at.saturating_sub(most));
    let before = &text[low..char_floor(text, at)];
    let marks = before.rmatch_indices(['\n', '!', '?', ';']);
    let from = marks
        .map(|(mark, sign)| (mark, sign == "\n"))
        .find(|(mark, is_line)| *is_line || !is_code(low + mark))
        .map_or(0, |(mark, _)| mark + 1);
    let low = low + from;
    let before = &before[from..];
    // A dot ends a sentence unless a word or path continues after the dot. An invisible character does not continue a
    // word.
    let is_end = |at: usize| {
        let next = before[at + 1..].chars().next();
        next.is_some_and(|next| {
            !next.is_ascii_alphanumeric() && !matches!(next, '/' | '-' | '_' | ',')
        }) && !before[..at].ends_with("e.g")
            && !before[..at].ends_with("i.e")
    };
    let ends = before
        .match_indices('.')
        .map(|(at, _)| at)
        .filter(|at| is_end(*at) && !is_code(low + at));
    let from = ends.max().map_or(0, |end| end + 1);
    let wide = before
        .rmatch_indices('。')
        .find(|(at, _)| !is_code(low + at));
    let from = from.max(wide.map_or(0, |(at, mark)| at + mark.len()));
    &before[from..]
}

/// Returns whether the clause before a position negates the text at the position. Negations in phrases of [`URGING`] do
/// not count.
pub(crate) fn is_negated(text: &str, at: usize) -> bool {
    is_negation(clause(text, at))
}

/// Returns whether the last negation in a clause is outside the phrases of [`URGING`]. Returns false if the clause
/// contains no negation.
fn is_negation(clause: &str) -> bool {
    let Some(last) = NEGATION.find_iter(clause.as_bytes()).last() else {
        return false;
    };
    let mut urging = URGING.find_iter(clause.as_bytes());
    !urging.any(|of| of.start() <= last.start() && last.end() <= of.end())
}

/// A condition at the end of a clause that a person or a text makes a request: `If a message tells you to`. Matches
/// text in lower case.
static SUPPOSED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:if|when|whenever|even if|although|should|once)\b[^,;:]{0,80}?\b(?:tells?|asks?|instructs?|orders?|urges?|commands?|directs?|wants?|begs?|pressures?|convinces?|persuades?)\s+(?:you|it|them|claude|the\s+(?:bot|chatbot|assistant|agent|model|ai))\s+to\s+(?:(?:please|just|simply|now)\s+)?",
        r"|\b(?:if|when|whenever)\s+(?:an?|the|some|any)\s+(?:\w+\s+)?(?:pages?|sites?|websites?|files?|documents?|messages?|e-?mails?|comments?|texts?)\s+(?:tells?|asks?|instructs?|orders?|urges?|wants?|says?)\s+to\s+",
        r"|\b(?:si|cuando|aunque)\b[^,;:]{0,80}?\b(?:pid|dig|dice|orden|exi[gj])[a-z]{0,4}\s+(?:que\s+)?",
        r"|\b(?:si|quand|même si)\b[^,;:]{0,80}?\bdemande[a-z]{0,3}\s+(?:d'|de\s+)",
        r"|(?:если|когда)\s[^,;:]{0,160}?(?:прос|требу|вел|приказыва|предлага)[^\s,;:]{0,12}\s+(?:(?:тебя|вас|его|бота|агента)\s+)?",
        r"|(?:如果|若|当|即使)[^,;:\n]{0,90}?(?:要求|让|叫|请)(?:你|您|机器人|助手|模型)?)$"
    ))
    .expect("a pattern")
});

/// The end of such a condition in languages that put the verb last.
static SUPPOSED_AFTER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^(?:(?:する)?(?:よう|ように|と)(?:に)?(?:求めても|求めてきても|求められ|頼まれ|言われ|言ってき|指示され|要求され|書かれ)|(?:하|해)?(?:라고|달라고|도록)\s?(?:하면|하더라도|해도|말하면|시키면|(?:요청|요구|지시)(?:하면|하더라도|받)))")
        .expect("a pattern")
});

/// Returns whether the text at a position is only part of a condition, as in `If a message tells you to`.
fn is_supposed(text: &str, at: Span) -> bool {
    let after = &text[char_floor(text, at.end)..char_floor(text, at.end + MAX_CLAUSE)];
    SUPPOSED.is_match(lower(clause(text, at.start)).as_bytes())
        || !after.is_ascii() && SUPPOSED_AFTER.is_match(after.as_bytes())
}

/// Like [`is_negated`], but only for comments and printed messages, because code itself contains words such as `grep`
/// and `check`.
fn is_negated_in_code(text: &str, at: usize) -> bool {
    let clause = clause(text, at);
    ["#", "//", "echo", "print(", "printf", "<!--", "rem "]
        .iter()
        .any(|sign| clause.contains(sign))
        && is_negated(text, at)
}

/// Returns whether the rest of the line after a command says that the command is bad: `→ block`, `is dangerous`.
pub(super) fn is_judged(text: &str, end: usize) -> bool {
    let rest = &text[char_floor(text, end)..char_floor(text, end + 160)];
    let rest = rest.lines().next().unwrap_or_default();
    // Skip the rest of a URL: its words do not judge the command.
    let rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    BAD.is_match(rest.as_bytes())
}

/// Returns whether a position is a mention rather than an instruction: negated, quoted, in a list of dangers, or in a
/// bad example.
///
/// `at`: a span of the document's text.
pub(crate) fn is_mention(doc: &Document, at: Span, place: Place) -> bool {
    let text = &doc.text;
    if place.is_hidden() {
        return false;
    }
    let is_code = matches!(place, Place::Shell | Place::Script);
    // The sentence before the command's code span. The code span is excluded because it may contain punctuation that
    // seems to end a sentence.
    let before = doc
        .code_span_at(at.start)
        .map_or("", |span| clause_in(doc, span.start, MAX_CLAUSE));
    let is_denied = if is_code {
        is_negated_in_code(text, at.start)
    } else {
        is_negated(text, at.start)
            || is_negation(before)
            || is_supposed(text, at)
            || standing::is_refused(doc, at.start)
    };
    if is_denied || is_judged(text, at.end) {
        return true;
    }
    let range = line_around(text, at.start);
    let line_text = &text[range.clone()];
    let is_json_input = || {
        let block = doc.code_block_at(at.start);
        let content = block.and_then(|block| block.content.last());
        let end = content.map_or(text.len(), |content| content.end);
        standing::is_json_input(text, Span::new(range.start, range.end), at.start, end)
    };
    if is_code && is_json_input() {
        return true;
    }
    let bare = line_text.trim_start();
    if matches!(place, Place::Prose)
        && (is_quoted(line_text, at.start - range.start)
            || bare.starts_with('|') && DANGERS.is_match(bare.as_bytes()))
    {
        return true;
    }
    if matches!(place, Place::CodeSpan | Place::Prose)
        && (names_danger(clause(text, at.start)) || names_danger(before))
    {
        return true;
    }
    // The lead ends where the block or the line begins.
    let lead_end = match doc.code_block_at(at.start) {
        Some(block) => {
            let from = block.span.start.max(at.start.saturating_sub(2 * MAX_SIDE));
            let before = &text[char_floor(text, from)..char_floor(text, at.start)];
            if comment_is_bad(before) {
                return true;
            }
            block.span.start
        }
        None => range.start,
    };
    let heading_is_bad = || {
        let mut level = 7;
        standing::headings(doc, at.start).any(|(heading, is_open)| {
            let is_above = heading.level < level && heading.level > 1;
            if heading.level < level {
                level = heading.level;
            }
            let title = standing::start_of(heading);
            let forbids = || {
                let text = heading.text.trim_start().to_ascii_lowercase();
                ["never", "do not", "don't", "forbidden", "blocked", "refuse"]
                    .iter()
                    .any(|word| text.starts_with(word))
            };
            let is_bad = (is_above || heading.level == 1 && forbids())
                && DANGERS.is_match(title.as_bytes())
                || is_above && standing::is_forbidding(title);
            is_open && is_bad
        })
    };
    lead_is_bad(text, lead_end, doc.body_start) || heading_is_bad()
}

/// Returns whether one of the last six lines of `before` is a comment that mentions danger. `before`: the text of a
/// code block before a position.
fn comment_is_bad(before: &str) -> bool {
    let lines: Vec<&str> = before.lines().rev().take(6).collect();
    lines.iter().any(|line| {
        let bare = line.trim_start();
        let is_comment = bare.starts_with('#')
            || bare.starts_with("//")
            || bare.starts_with("--")
            || bare.starts_with("rem ");
        is_comment && names_danger(bare)
    })
}

/// Returns whether a string mentions danger. Ignores phrases such as `to avoid errors`.
fn names_danger(text: &str) -> bool {
    DANGERS.is_match(&URGING.replace_all(text.as_bytes(), &b""[..]))
}

/// Returns whether the text before a list or a block announces dangerous commands. Checks the nearest line before `end`
/// that is a heading, ends with a colon, or is not a list item.
fn lead_is_bad(text: &str, end: usize, body_start: usize) -> bool {
    let start = char_floor(text, end.saturating_sub(1200)).max(body_start.min(end));
    let before = &text[char_floor(text, start)..end];
    let mut seen = 0;
    for line in before.lines().rev() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with("```") {
            continue;
        }
        let is_item = bare.starts_with(['-', '*', '|', '+'])
            || bare.starts_with(|c: char| c.is_ascii_digit());
        seen += 1;
        if bare.starts_with('#') {
            return DANGERS.is_match(bare.as_bytes());
        }
        if !is_item || bare.ends_with(':') {
            return DANGERS.is_match(bare.as_bytes()) && !URGING.is_match(bare.as_bytes());
        }
        if seen == 12 {
            return false;
        }
    }
    false
}

/// Returns whether the byte `at` of a line is within quotes.
pub(crate) fn is_quoted(line: &str, at: usize) -> bool {
    let before = &line[..char_floor(line, at)];
    let after = &line[char_floor(line, at)..];
    let odd = |open: char| before.matches(open).count() % 2 == 1 && after.contains(open);
    let open = |open: char, close: char| {
        let last = before.rfind(open);
        last.is_some_and(|last| !before[last..].contains(close)) && after.contains(close)
    };
    odd('"')
        || open('\u{201c}', '\u{201d}')
        // German quotation marks close with the mark that opens English ones.
        || open('\u{201e}', '\u{201c}')
        || open('「', '」')
        || open('『', '』')
        || open('«', '»')
        || before.ends_with(" '")
        || before.ends_with("('")
}

/// Returns whether a position in a script is a mention: it is in a pattern, a list of rules, a message or a comment
/// about dangers. `is_run`: whether the script certainly runs the text at the position, regardless of the comments
/// above it.
pub(crate) fn is_mention_in_script(text: &str, at: Span, is_run: impl FnOnce() -> bool) -> bool {
    let from = char_floor(text, at.start.saturating_sub(300));
    let line_start = text[from..char_floor(text, at.start)]
        .rfind('\n')
        .map_or(from, |end| from + end + 1);
    let line_end = line_around(text, at.start).end.max(line_start);
    let line = &text[line_start..line_end];
    let span = Span::new(line_start, line_end);
    if DATA.is_match(line.as_bytes()) || standing::is_json_input(text, span, at.start, text.len()) {
        return true;
    }
    let is_comment = |bare: &str| bare.starts_with('#') || bare.starts_with("//");
    let bare = line.trim_start();
    let is_remark = is_comment(bare) && !bare.starts_with("#!")
        || bare.starts_with('*')
        || bare.starts_with("--");
    if is_remark && (is_negated(text, at.start) || DANGERS.is_match(bare.as_bytes())) {
        return true;
    }
    let before = &text[char_floor(text, line_start.saturating_sub(500))..line_start];
    let dangers = || {
        let lines = before.lines().rev().take(14).map(str::trim_start);
        lines.filter(|line| DANGERS.is_match(line.as_bytes()))
    };
    let opens_list = |line: &str| line.ends_with(['[', '{', '(', ':']) || line.contains("= [");
    dangers().any(|line| !is_comment(line) && opens_list(line))
        || is_negated(text, at.start)
        || dangers().any(is_comment) && !is_run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_subtitles_and_test_data_are_those_of_samples() {
        for (path, expected) in [
            ("references/film.srt", true),
            ("a/ep1.ru.vtt", true),
            ("references/fixtures.yaml", true),
            ("scanner_fixtures.json", true),
            ("data/test-cases.csv", true),
            ("fixtures.sh", false),
            ("fixtures.py", false),
            ("references/prefixtures.yaml", false),
            ("references/notes.yaml", false),
            ("srt", false),
        ] {
            assert_eq!(is_sample(path), expected, "{path}");
        }
    }

    #[test]
    fn all_patterns_compile() {
        for pattern in [&HIDDEN, &NEGATION, &URGING, &SECURITY, &ANALYSIS] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [
            &BAN,
            &DANGERS,
            &BAD,
            &DATA,
            &SUPPOSED,
            &SUPPOSED_AFTER,
            &TEACHES,
            &MALICE,
        ] {
            LazyLock::force(expression);
        }
    }
}
