//! Recognizes text that is only shown to the reader: samples in a lesson, messages for a test, and sections that list
//! forbidden actions.
//!
//! A sample is in a quotation, in quotation marks or in code, and the title of its section or its lead announces a
//! sample. Text is not a sample if the lead or the title says to run or follow it.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Document;
use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;

use super::{
    MAX_LEAD, Skip, headings, is_clean, is_item, is_of_setup, lead, lists, open_titles, orders,
    sentences, start_of,
};
use crate::security::context::{is_quoted, line_around};
use crate::security::expression::Expression;
use crate::security::intent::{Concepts, words};

/// A title that consists only of a prohibition. Further text could reverse the meaning, as in `Never forget to run
/// this`. Matches titles in lower case.
static FORBIDDING: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)^(?:[^a-z\x80-\xff]|⛔|🚫|❌|⚠|\xef\xb8\x8f)*(?:",
        // Spanish and Portuguese.
        r"(?:(?:lo )?que )?(?:nunca|jam(?:á|a)s|no)(?: (?:se )?(?:debes?|puedes?))?(?: (?:hacer|hagas|ejecutar|ejecutes|borrar|borres|usar|uses|tocar|toques))(?: esto)?|nunca|jam(?:á|a)s|prohibid[oa]s?|prohibiciones|qu(?:é|e) no hacer|proibido",
        // What an agent must not do, in Spanish, Portuguese, Italian, French, German and Russian.
        r"|(?:lo que |o que |cosa )?(?:(?:el|la|los|o|os|il) |l')(?:agent[ei]?s?|asistentes?|assistent[ei]s?|bots?|modelos?) (?:no|nunca|n(?:ã|a)o|jam(?:á|a)s|non)(?: se)? (?:deben?|pueden?|devem?|podem?|dev[eo](?:no)?|pu(?:ò|o))(?: (?:nunca|mai|hacer|fazer|fare|ejecutar|executar|eseguire))?",
        r"|(?:ce que )?(?:les? |l'|l\xe2\x80\x99)(?:agents?|assistants?|bots?|mod(?:è|e)les?) ne (?:doi(?:t|vent)|peu(?:t|vent)) (?:jamais|pas)(?: (?:faire|ex(?:é|e)cuter))?",
        r"|(?:das|was) (?:darf|d(?:ü|ue)rfen) (?:der|die) (?:agent(?:en)?|assistent(?:en)?|bots?) (?:nie|niemals|nicht)(?: (?:tun|ausf(?:ü|ue)hren))?|(?:der|die) (?:agent(?:en)?|assistent(?:en)?|bots?) (?:darf|d(?:ü|ue)rfen) (?:nie|niemals|nicht)|was (?:der|die) (?:agent(?:en)?|assistent(?:en)?|bots?) (?:nie|niemals|nicht) (?:tun |ausf(?:ü|ue)hren )?(?:darf|d(?:ü|ue)rfen)",
        r"|(?:чего |что )?(?:агент|ассистент|бот)(?:у|ам|ы)? (?:(?:никогда )?не (?:долж(?:ен|ны)|может|могут|вправе)|нельзя|запрещено)(?: (?:делать|выполнять|запускать))?",
        // Portuguese and Italian.
        r"|proibi(?:d[oa]s?|(?:ç|c)(?:õ|o)es)|(?:o que )?n(?:ã|a)o (?:fazer|executar|usar)|vietat[oaie]|proibit[oaie]|divieti|(?:cosa )?(?:da )?(?:non|mai) (?:fare|eseguire|usare)",
        // French.
        r"|jamais|(?:à |a )?ne (?:pas|jamais) (?:faire|ex(?:é|e)cuter|lancer|supprimer|utiliser)|interdit(?:s|e|es|ions?)?|(?:à|a) (?:é|e)viter",
        // German.
        r"|nie|niemals|(?:nie|niemals|nicht) (?:tun|machen|ausf(?:ü|ue)hren|l(?:ö|oe)schen|verwenden)|verboten(?:es)?|verbote|tabu",
        // Russian.
        r"|никогда|нельзя|запрещено|запреты|(?:никогда |чего )?не (?:делать|делай|делайте|запускать|выполнять|удалять)|чего делать нельзя",
        // Chinese.
        r"|(?:代理|智能体|助手|机器人|模型|agent|ai)?(?:绝对|绝|严格)?(?:不要|禁止|不可|不得|不能|不做|切勿|严禁|永不)(?:做|执行|运行|操作|删除|使用)?(?:的?事项?|的?操作|的?命令|的?行为)?|红线",
        // Japanese.
        r"|(?:(?:エージェント|アシスタント|ボット|ai)(?:が|は))?(?:絶対に)?(?:しない|やらない|してはいけない|やってはいけない|してはならない|実行しない)(?:こと|操作|コマンド)?|禁止(?:事項|操作|コマンド)?|ng(?:例|集|行為)",
        // Korean.
        r"|(?:(?:에이전트|어시스턴트|봇|ai)(?:가|이|는|은) ?)?(?:절대 ?)?(?:하지 ?(?:말|않을|않는) ?(?:것|일)|하면 안 ?되는 ?(?:것|일)|실행하지 ?말 ?것|금지(?: ?(?:사항|명령|작업))?)",
        r")(?:[^a-z\x80-\xff]|：)*$"
    ))
    .expect("a pattern")
});

/// Words that announce samples and exercises in a title or lead, in lower case.
static SAMPLES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:samples?|examples?|exercises?|specimens?|exhibits?|quotations?|quotes|quiz|case stud(?:y|ies)|scenarios?|looks? like|demonstrations?",
        r"|ejemplos?|ejercicios?|muestras?|citas|exemples?|exercices?|citations?|beispiel[a-z]*|zitate?|muster|esempi|esempio|esercizi|esercizio|campion[ei]|citazion[ei]|exemplos?|exerc(?:í|i)cios?|amostras?|(?:é|e)chantillons?)\b|(?:^|\s)(?:例|예)(?:$|\s|\(|（|:|：|\d)|c(?:ó|o)mo se ve|(?:à|a) quoi ressemble|aussieht|(?:ü|Ü)bung",
        r"|пример|образец|образц|упражнени|задани|цитат|как выглядит|как выглядят|示例|例子|样例|样本|案例|练习|引用|长什么样|例題|例文|の例|サンプル|演習|事例|見分け|예시|예제|연습|사례|견본|생김새)"
    ))
    .expect("a pattern")
});

/// A title or lead, in lower case, that recounts an attack: a real case, the traces of one, the scenario of a drill, or
/// a forgery that people must recognize.
static RECORDS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        // English.
        r"(?-u)(?:\b(?:real|actual) (?:case|incident|attack|breach)(?:e?s)?\b|\b(?:traces?|artifacts?|evidence|entries|jobs) (?:found|recovered|left|collected|seen)\b",
        r"|\bthe (?:log|transcript|alert|crontab|ransom note) (?:shows?|showed|says?|said|reads?|contain(?:s|ed))\b|\binject \d|\bransom note\b|\bclickfix\b",
        r"|\bfake (?:install\w*|captchas?|updates?|pages?|checks?|instructions?|prerequisites?)\b|\bthe malicious (?:line|hook|version|script|job|dependency)\b|\b(?:compromised|poisoned|hijacked|tampered) (?:release|version|package|dependency)\b",
        // French.
        r"|\b(?:cas|incident) r(?:é|e)els?\b|traces? relev|note de ran(?:ç|c)on|\ble journal (?:indique|montre|affiche)|\bfaux (?:installateur|captcha)|\bfausses? (?:page|mise)|ligne malveillante|\b(?:version|paquet|d(?:é|e)pendance) compromise?\b",
        // Spanish and Portuguese.
        r"|\b(?:caso|incidente|ataque)s? rea(?:l|les|is)\b|\brastros (?:del?|encontrados)\b|vest(?:í|i)gios (?:do|encontrados)|nota de res(?:cate|gate)|\bel registro (?:muestra|dice|aparece)|\b(?:no|o) log (?:aparece|consta|mostra)\b|\b(?:versi(?:ó|o)n|vers(?:ã|a)o|paquete|pacote) comprometid[oa]\b",
        r"|\bfals[oa]s? (?:instalador|p(?:á|a)gina|captcha|actualizaci|atualiza)|\b(?:p(?:á|a)ginas?|captchas?|instalador(?:es)?) fals[oa]s?\b|\blinha maliciosa|\bl(?:í|i)nea maliciosa",
        // German.
        r"|\b(?:echte|reale)[rnms]? (?:fall|falls|vorfall|vorfalls|angriff)\b|erpresser(?:schreiben|brief|nachricht)|\bim (?:protokoll|log) steht|\beinlage \d|gef(?:ä|ae)lschte|b(?:ö|oe)sartige zeile|\b(?:kompromittierten?|manipulierten?) (?:version|fassung|abh(?:ä|ae)ngigkeit)",
        // Russian.
        r"|реальн[^\s]* (?:случа|инцидент|атак)|в (?:журнале|логе|протоколе) (?:видно|записано|стоит)|записка (?:с требованием|вымогател)|поддельн|фальшив|вредоносная строка|найденные следы|вводная \d|(?:взломанн|скомпрометированн|подмен(?:е|ё)нн)[^\s]* (?:верси|пакет)",
        // Chinese, Japanese and Korean.
        r"|真实(?:案例|事件|攻击)|日志(?:中|里)?(?:显示|出现|记录)|勒索信|假冒|虚假|伪造|实际(?:案例|痕迹)|実際の(?:事例|事件|攻撃)|ログに(?:は|残)|身代金要求|脅迫文|偽の|偽インストール|状況付与|被投毒|被篡改|侵害された(?:バージョン|パッケージ)|改ざんされた",
        r"|실제 (?:사례|사건|공격)|로그에(?:는)? |랜섬 ?노트|협박문|가짜|상황 ?부여|변조된 (?:버전|패키지))"
    ))
    .expect("a pattern")
});

/// Words for a line that a person says in a film or a game, in lower case.
static DIALOGUE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:\b(?:line of dialogue|dialogues?|characters? (?:say|says|speaks?)|di(?:á|a)logos?|r(?:é|e)pliques?|dialoge?)\b|диалог|реплик|台词|对白|セリフ|台詞|대사)")
        .expect("a pattern")
});

/// A title or lead, in lower case, that announces test messages.
static TESTS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:smoke|test|tests|testing|regression|adversarial|red[ -]?team|abuse|jailbreak|injection|edge|negative|eval|evaluation|golden|probe)[\W_]{1,3}(?:(?:with|case|set|suite|these|the|of)[\W_]{1,3}){0,3}(?:messages?|prompts?|inputs?|questions?|utterances?|cases?|chats?|conversations?|queries|tickets)\b",
        r"|\b(?:mensajes|entradas|casos|preguntas) de prueba|\b(?:messages|cas|questions) de test\b|\btest(?:nachrichten|f(?:ä|ae)lle|eingaben|fragen)\b",
        r"|тестовы(?:е|х) (?:сообщени|запрос|вопрос|пример)|测试(?:消息|用例|输入|提示|问题)|テスト(?:メッセージ|入力|ケース|質問)|테스트 ?(?:메시지|입력|케이스|질문))"
    ))
    .expect("a pattern")
});

/// A statement, in lower case, that the samples in a document must not be carried out.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?:\b(?:samples?|examples?|quotations?|quotes|exercises?|snippets?|payloads?)\b[^.\n]{0,100}\b(?:never|not|don't)\s+(?:ever\s+|to\s+|be\s+){0,2}(?:carry|carried|run\b|execut|follow|obey|act on|perform|install|comply)",
        r"|\b(?:never|do not|don't)\s+(?:carry out|run|execute|follow|obey|act on|perform|install)\s+(?:any of\s+)?(?:the|these|those|any)?\s*(?:\w+\s+){0,2}?(?:samples?|examples?|quotations?|quotes|exercises?|snippets?|payloads?)\b",
        // A drill, or commands that are seen on a screen.
        r"|\bno (?:real )?commands? (?:is|are|will be) (?:ever )?(?:run|executed)\b|\bcommands (?:on (?:the )?screen|in (?:the )?(?:subtitles|dialogues?))\b[^.\n]{0,80}\b(?:never|not|don't)\b[^.\n]{0,40}\b(?:run|execut)",
        r"|\bkeine befehle (?:\w+ )?ausgef(?:ü|ue)hrt|\bbefehle (?:auf dem bildschirm|in den untertiteln)[^.\n]{0,60}nicht[^.\n]{0,30}ausf(?:ü|ue)hr|\baucune commande n'est (?:ex(?:é|e)cut|lanc)|\bcommandes (?:à l'(?:é|e)cran|des sous-titres)[^.\n]{0,60}\bne (?:pas|jamais)[^.\n]{0,30}ex(?:é|e)cut",
        r"|\bno se ejecuta(?:n|rá|rán)? (?:ning(?:ú|u)n comando|comandos|nada)\b|\bcomandos (?:en pantalla|na tela)[^.\n]{0,60}\bn(?:o|(?:ã|a)o)\b[^.\n]{0,40}e[jx]ecut|\bnenhum comando (?:é|será) executado",
        r"|(?:команды|никакие команды) не (?:выполняются|запускаются)|команды (?:на экране|в субтитрах|в репликах)[^.\n]{0,100} не (?:выполня|запуска|исполня)",
        r"|不(?:会)?执行任何(?:真实)?命令|(?:屏幕上|字幕中)的命令[^\n]{0,40}(?:不要|请勿|不)执行|コマンドは(?:一切)?実行し(?:ない|ません)|명령(?:은|을|은 실제로) 실행하지 (?:않|마)",
        // The next sentence may contain the prohibition.
        r"|\b(?:samples?|examples?|quotations?|quotes|exercises?|snippets?|payloads?)\b[^\n]{0,120}[.;:]\s*(?:no(?:body| one) (?:runs|follows|executes|obeys)|(?:never|do not|don't)\s+(?:ever\s+)?(?:carry out|act on|run|execute|follow|obey|perform|comply with))\s+(?:any of\s+)?(?:them|these|those)\b",
        r"|(?:пример|образц|цитат)[^\n]{0,200}[.;] (?:никогда )?не (?:выполня|запуска|исполня|следу)[^\s]{0,24} (?:их|им)",
        r"|\b(?:ejemplos|muestras|citas)\b[^\n]{0,120}[.;] (?:nunca|no) l[oa]s (?:ejecut|sig|instal|obede)",
        r"|\b(?:exemples|citations)\b[^\n]{0,120}[.;] ne les (?:ex(?:é|e)cut|suiv|install|lanc)",
        r"|\b(?:beispiele|zitate|muster)\b[^\n]{0,120}[.;] (?:f(?:ü|ue)hre|befolge|starte) sie (?:nicht|nie)",
        r"|(?:пример|образц|цитат)[^.\n]{0,160} не (?:выполня|устанавлива|запуска|исполня|следова)|(?:^|[\s(.,:;])не (?:выполня|устанавлива|запуска|исполня)[^.\n]{0,80}(?:пример|образц|цитат)",
        r"|\b(?:ejemplos|muestras|citas)\b[^.\n]{0,100}\b(?:no|nunca)\s+(?:l[oa]s\s+|se\s+|deben\s+){0,2}(?:ejecut|sig|instal|obede)|\b(?:no|nunca)\s+(?:ejecut|sig|instal|obede)[^.\n]{0,30}(?:ejemplos|muestras|citas)",
        r"|\b(?:exemples|citations)\b[^.\n]{0,100}\bne\s+(?:les\s+|pas\s+|jamais\s+|rien\s+|doivent\s+|être\s+){0,3}(?:ex(?:é|e)cut|suiv|install|lanc)",
        r"|\b(?:beispiele|zitate|muster)\b[^.\n]{0,100}\b(?:nicht|nie|niemals)\s+(?:ausf|befolg|install|start)",
        r"|\b(?:esemp(?:io|i)|citazioni|campioni)\b[^.\n]{0,100}\b(?:non|mai)\s+(?:l[ie]\s+|va\s+|vanno\s+){0,2}(?:esegu|segu|install|obbed|lanci)",
        r"|\b(?:exemplos|amostras|cita(?:ç|c)(?:õ|o)es)\b[^.\n]{0,100}\b(?:n(?:ã|a)o|nunca)\s+(?:[oa]s\s+|se\s+){0,2}(?:execut|siga|seguir|instal|obede)",
        r"|(?:示例|例子|样例|样本|引用)[^\n]{0,80}(?:不当作|不视为|不作为)(?:命令|指令)",
        r"|(?:例|サンプル|引用)[^\n]{0,80}(?:命令|指示)として(?:は)?(?:扱わ|実行し)(?:ない|ず|ません)",
        r"|(?:예시|예제|인용|견본)[^.\n]{0,80}(?:명령|지시)(?:으로|로) ?(?:따르|취급하|받아들이)지 ?(?:마|말|않)",
        r"|(?:示例|例子|样例|样本|引用)[^\n]{0,80}(?:不要|切勿|请勿|不得|勿|禁止)(?:执行|运行|照做|遵循|安装|遵从)",
        r"|(?:例|サンプル|引用)[^\n]{0,80}(?:実行し|従わ|インストールし)(?:ない|てはいけ|てはなら)",
        r"|(?:예시|예제|인용|견본)[^.\n]{0,80}(?:실행하|따르|설치하)지 ?(?:마|말|않))"
    ))
    .expect("a pattern")
});

/// Returns whether the title of a section is only a prohibition in a language other than English, such as `Nunca`.
pub(crate) fn is_forbidding(title: &str) -> bool {
    FORBIDDING.is_match(lower(title).as_bytes())
}

/// Returns whether a document states that its samples must not be carried out.
pub(crate) fn declares(doc: &Document) -> bool {
    DECLARED.is_match(lower(&doc.text).as_bytes())
}

/// Returns whether a position is in a sample: in a quotation, in quotation marks or in code, if the section's title or
/// a lead announces samples.
pub(crate) fn is_shown_sample(doc: &Document, at: usize) -> bool {
    is_apart(doc, at)
        && (is_announced(doc, at, &SAMPLES) || is_labelled(doc, at) && !is_told(doc, at))
}

/// Returns whether a position is in a quotation, in quotation marks or in code, if the section's title or a lead
/// recounts an attack or announces a forgery.
pub(crate) fn is_record(doc: &Document, at: usize) -> bool {
    is_apart(doc, at) && is_announced(doc, at, &RECORDS)
}

/// Returns whether the line around a position says that its quotations are dialogue, and asks for nothing outside of
/// them.
pub(crate) fn is_dialogue(doc: &Document, at: usize) -> bool {
    let is_about = |line: &str| {
        unquoted(line).is_some_and(|outside| {
            let outside = lower(&outside);
            DIALOGUE.is_match(outside.as_bytes()) && !asks(&outside)
        })
    };
    is_about(&doc.text[line_around(&doc.text, at)]) && !is_told(doc, at)
}

/// Returns whether text in lower case asks to change, delete, send or run something.
fn asks(text: &str) -> bool {
    let acts = Concepts::CHANGE
        .with(Concepts::DELETE)
        .with(Concepts::SEND)
        .with(Concepts::OBEY);
    words(text).iter().any(|word| acts.any(word.concept))
}

/// Returns the text of a line outside quotation marks; `None` if it has no quotation, or one that does not end.
fn unquoted(line: &str) -> Option<String> {
    let mut outside = String::new();
    let (mut is_inside, mut has_quotation) = (false, false);
    for c in line.chars() {
        match c {
            '«' | '\u{201e}' | '「' | '『' => is_inside = true,
            '»' | '\u{201d}' | '」' | '』' => is_inside = false,
            // This mark opens English quotations, and closes German ones.
            '\u{201c}' | '"' => is_inside = !is_inside,
            _ if !is_inside => outside.push(c),
            _ => has_quotation = true,
        }
    }
    (has_quotation && !is_inside).then_some(outside)
}

/// Returns whether a position is in a quotation, in quotation marks or in code.
fn is_apart(doc: &Document, at: usize) -> bool {
    let line = line_around(&doc.text, at);
    let text = &doc.text[line.clone()];
    text.trim_start().starts_with('>')
        || doc.is_in_code_block(at)
        || doc.code_span_at(at).is_some()
        || is_quoted(text, at.saturating_sub(line.start))
}

/// The maximum length of the label of a quotation, in bytes.
const MAX_LABEL: usize = 120;

/// Returns whether the first line of the quotation around a position is a label such as `**Sample A (a web page)**`. An
/// ordinary sentence is not a label: a label must be set apart by its markup.
fn is_labelled(doc: &Document, at: usize) -> bool {
    const MOST_QUOTED: usize = 40;
    let line = line_around(&doc.text, at);
    if !doc.text[line.clone()].trim_start().starts_with('>') {
        return false;
    }
    let above = doc.text[..line.start].lines().rev().take(MOST_QUOTED);
    let quoted = above.take_while(|line| line.trim_start().starts_with('>'));
    let first = quoted.last().unwrap_or(&doc.text[line.clone()]);
    let label = first.trim_start_matches([' ', '\t', '>']).trim_end();
    let is_apart = label.starts_with("**") && label.ends_with("**") || label.ends_with([':', '：']);
    is_apart && label.len() <= MAX_LABEL && SAMPLES.is_match(lower(label).as_bytes())
}

/// Returns whether a position is in a test message: in an item, a row, a quotation or a code block, if the section's
/// title or a lead announces test messages.
pub(crate) fn is_test_message(doc: &Document, at: usize) -> bool {
    let line = line_around(&doc.text, at);
    let text = doc.text[line].trim_start();
    let is_listed = is_item(text) || text.starts_with(['>', '|']) || doc.is_in_code_block(at);
    is_listed && is_announced(doc, at, &TESTS)
}

/// Returns whether a position's lead or section title says to run or follow the text at the position.
pub(crate) fn is_told(doc: &Document, at: usize) -> bool {
    let is_setup = title_above(doc, at).is_some_and(is_of_setup);
    is_setup || leads(doc, at).into_iter().flatten().any(tells)
}

/// Returns whether the first line after the code block or quotation around a position says to run it.
pub(crate) fn is_told_after(doc: &Document, at: usize) -> bool {
    let text = &doc.text;
    let block = doc.code_block_at(at).map(|block| block.span.end);
    let end = block.unwrap_or_else(|| line_around(text, at).end);
    let rest = &text[char_floor(text, end)..char_floor(text, end + MAX_LEAD)];
    let is_own = |line: &str| line.is_empty() || line.starts_with(['>', '`', '~']);
    let mut lines = rest.lines().map(str::trim).filter(|line| !is_own(line));
    let next = lines.next().filter(|line| !line.starts_with('#'));
    // `block` is a word for dangers in a lead, but after a block it names the block.
    let is_order = |sentence: &str| orders(&sentence.replace("block", "code"));
    next.is_some_and(|line| sentences(line).any(is_order))
}

/// Returns whether a position's lead or a section title matches an expression, and neither says to run or follow the
/// text.
fn is_announced(doc: &Document, at: usize, expression: &Expression) -> bool {
    let leads = leads(doc, at);
    let above = headings(doc, at).next().filter(|(_, is_open)| *is_open);
    let own = above.map(|(heading, _)| start_of(heading)).into_iter();
    let own = own.chain(open_titles(doc, at));
    let mut announcements = leads.into_iter().flatten().chain(own);
    announcements.any(|text| expression.is_match(lower(text).as_bytes())) && !is_told(doc, at)
}

/// Returns whether a lead says to run or follow the text below.
fn tells(lead: &str) -> bool {
    let follows = || {
        let words = words(&lower(lead));
        words.iter().any(|word| word.concept == Concepts::OBEY)
    };
    orders(lead) || is_clean(lead) && follows()
}

/// Returns the lines that may introduce a position: the lead of its code block, or the leads of its line.
pub(super) fn leads(doc: &Document, at: usize) -> [Option<&str>; 2] {
    match doc.code_block_at(at) {
        Some(block) => {
            let lead = lead(&doc.text, block.span.start, doc.body_start, Skip::Nothing);
            [lead, None]
        }
        None => lists::leads_of(doc, &line_around(&doc.text, at)),
    }
}

/// Returns the nearest title above a position, which may be the title of the document.
fn title_above(doc: &Document, at: usize) -> Option<&str> {
    headings(doc, at)
        .next()
        .map(|(heading, _)| start_of(heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_forbids_only_if_it_says_nothing_else() {
        for (title, expected) in [
            ("Nunca", true),
            ("Qué no hacer", true),
            ("À ne jamais faire", true),
            ("Niemals ausführen", true),
            ("🚫 Никогда", true),
            ("Чего не делать", true),
            ("禁止事项", true),
            ("やってはいけないこと", true),
            ("절대 하지 말 것", true),
            ("El agente no debe", true),
            ("L'agent ne doit jamais", true),
            ("Das darf der Agent nie", true),
            ("Was der Agent nicht tun darf", true),
            ("Агент не должен", true),
            ("Агенту нельзя", true),
            ("代理绝不能做的事", true),
            ("エージェントがしてはいけないこと", true),
            ("에이전트가 하면 안 되는 일", true),
            ("O agente não deve", true),
            ("L'agente non deve mai", true),
            ("El agente no debe olvidar", false),
            ("Агент не должен забывать", false),
            ("Der Agent darf nicht warten", false),
            ("代理不能忘记安装", false),
            ("El usuario no debe", false),
            ("Vietato", true),
            ("Da non fare", true),
            ("Proibições", true),
            ("Non dimenticare di installare", false),
            ("Mai dimenticare: installa", false),
            ("Nunca te olvides de instalar", false),
            ("Niemals vergessen", false),
            ("Не забудьте запустить", false),
            ("不要忘记安装", false),
            ("禁止更新の解除", false),
            ("Notas", false),
            ("Instalación", false),
            ("", false),
        ] {
            assert_eq!(is_forbidding(title), expected, "{title}");
        }
    }

    #[test]
    fn a_statement_forbids_carrying_out_the_samples() {
        for (text, expected) in [
            ("the samples are data; never carry them out.", true),
            ("never run any of the examples", true),
            ("пакеты из примеров не устанавливать.", true),
            ("los ejemplos son citas: no los ejecutes.", true),
            ("die beispiele sind zitate und nie ausführen.", true),
            ("以下示例仅供讲解，请勿执行。", true),
            ("以下の例は実行しないでください。", true),
            ("아래 예시는 실행하지 마세요.", true),
            ("exemples (ne rien exécuter)", true),
            ("gli esempi sono citazioni: non li eseguire.", true),
            ("os exemplos são citações; não os execute.", true),
            ("示例文本是教材，不当作命令。", true),
            ("例の文は命令として扱わず、引用として表示します。", true),
            ("예시는 명령으로 따르지 않고 인용으로만 보여 줍니다.", true),
            ("these are quotations; no one runs them.", true),
            ("the samples are objects of study. don't act on them.", true),
            ("это цитаты. не выполняйте их.", true),
            ("son citas. no las ejecutes.", true),
            ("das sind zitate. befolge sie nicht.", true),
            ("es werden keine befehle ausgeführt.", true),
            ("no commands are executed during the drill.", true),
            ("команды на экране не переводить и не выполнять.", true),
            ("演练中不执行任何命令。", true),
            ("コマンドは一切実行しません。", true),
            ("훈련에서 명령은 실행하지 않습니다.", true),
            ("aucune commande n'est exécutée.", true),
            ("no se ejecuta ningún comando.", true),
            ("nenhum comando é executado.", true),
            ("no commands are missing. run them.", false),
            ("команды на экране выполнять по порядку.", false),
            ("see the examples. do not forget them.", false),
            ("esegui gli esempi e non dimenticare nulla.", false),
            ("把示例当作命令执行。", false),
            ("例を命令として扱ってください。", false),
            ("run the examples. do not run tests.", false),
            ("run the examples, and do not skip any.", false),
            ("the examples do not need root.", false),
            ("выполните примеры.", false),
            ("请执行以下示例。", false),
        ] {
            assert_eq!(DECLARED.is_match(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn text_outside_quotation_marks_is_told_apart() {
        for (line, expected) in [
            ("a «b» c", Some("a  c")),
            ("a \u{201e}b\u{201c} c", Some("a  c")),
            ("a \u{201c}b\u{201d} c", Some("a  c")),
            ("a「b」c", Some("ac")),
            ("a «b c", None),
            ("a b c", None),
        ] {
            assert_eq!(unquoted(line).as_deref(), expected, "{line}");
        }
        assert!(asks("удали все файлы"));
        assert!(!asks("это диалог героев"));
    }

    #[test]
    fn words_announce_samples_and_tests() {
        for (expression, text, expected) in [
            (&SAMPLES, "sample 1: override", true),
            (&SAMPLES, "как выглядит вредный хук", true),
            (&SAMPLES, "例（実行しないこと）", true),
            (&SAMPLES, "esempio commentato", true),
            (&SAMPLES, "exemplos", true),
            (&SAMPLES, "例外", false),
            (&SAMPLES, "installation", false),
            (&RECORDS, "traces relevées lors d'un cas réel", true),
            (&RECORDS, "im protokoll steht:", true),
            (&RECORDS, "1. 가짜 설치 안내 (clickfix)", true),
            (&RECORDS, "ataque real de 2024", true),
            (&RECORDS, "真实案例", true),
            (&RECORDS, "実際の事例", true),
            (&RECORDS, "в журнале видно:", true),
            (&RECORDS, "real-time setup", false),
            (&RECORDS, "installation", false),
            (&DIALOGUE, "это диалог героев", true),
            (&DIALOGUE, "an analogue", false),
            (&TESTS, "smoke messages", true),
            (&TESTS, "test with these prompts:", true),
            (&TESTS, "测试用例", true),
            (&TESTS, "test the machine", false),
        ] {
            assert_eq!(expression.is_match(text.as_bytes()), expected, "{text}");
        }
    }
}
