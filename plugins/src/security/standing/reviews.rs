//! Recognizes text that shows attacks to a reviewer: sections and leads about attacks to look for or to refuse,
//! write-ups of attacks, and the questions of a checklist. Supports English, Chinese, Japanese, Korean, Russian,
//! Spanish, Portuguese, French and German.
//!
//! A title exempts only text that is set apart, such as an item, a row, a quotation or code. It does not exempt the
//! text if the title or another sentence of the document tells the reader to run or follow the text.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Document;
use skillc_core::words::lower;

use super::{
    IMPERATIVE, LEAD_ELSEWHERE, MAX_CLAUSE, exhibits, is_item, leads, main_clause, open_titles,
    sentences,
};
use crate::security::context::{clause_in, is_quoted, line_around};
use crate::security::expression::Expression;

/// The maximum length of the text after a question on the same line, in bytes.
const VERDICT: usize = 60;

/// A title or lead that presents attacks to look for, to refuse or to study. Matches text in lower case.
static REVIEWED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        // English: signs of attacks.
        r"(?-u)(?:\b(?:warning|danger|alarm|tell-?tale) (?:signs?|signals?)\b",
        r"|\bsigns? of (?:(?:an?|the|a possible) )?(?:\w+ )?(?:attacks?|compromise|malware|tampering|abuse",
        r"|injections?|theft|infection|fraud|phishing|scams?|backdoors?|exfiltration|intrusion|poisoning)\b",
        r"|\b(?:suspicious|malicious|hostile|harmful|dangerous|blocked|denied|forbidden|banned|rejected|disallowed)",
        r" (?:\w+ )?(?:patterns?|commands?|code|scripts?|snippets?|domains?|hosts?|addresses|installers?|hooks?",
        r"|post-?installs?|packages?|plugins?|extensions?|prompts?|messages?|e?-?mails?|skills?|servers?|behaviou?rs?",
        r"|macros?|phrases?|instructions?|text|content|calls?|operations?|actions?|indicators?)\b",
        // English: what to refuse.
        r"|\bwhat (?:(?:we|you|i|reviewers|hooks?|the \w+) )?(?:(?:must|should|to|will|always) ){0,2}",
        r"(?:reject|refuse|block|deny|flag|look (?:out )?for|watch (?:out )?for|avoid|quarantine)s?\b",
        r"|\b(?:reject|refuse|decline|block|deny|quarantine)(?:ed|s)?",
        r" (?:(?:the|a|any|it|to \w+) ?(?:skill|package|plugin|change|file|request)? )?(?:if|when|whenever|on sight|outright)\b",
        r"|\b(?:do not|don't|never) (?:install|load|trust|approve|merge|accept)\b[^.,:;]{0,30} (?:if|when|that|which)\b",
        r"|\b(?:reasons|grounds) (?:to|for) (?:reject|refus|block|declin)\w*\b|\bdeal-?breakers?\b",
        // English: write-ups and lessons.
        r"|\bwhat (?:an?|the|real) (?:\w+ )?(?:bad|malicious|hostile|poisoned|infected|evil|fake|phishing|injected",
        r"|trojan\w*|backdoored|compromised|obfuscated) [\w -]{0,40}?looks? like\b",
        r"|\b(?:seen|found|observed|caught|spotted) in (?:the wild|real attacks|real malware|an? (?:worm|incident|attack))\b",
        r"|\banatomy of (?:the|an?) [\w ]{0,20}?(?:attack|worm|malware|incident|compromise|scam|stealer|backdoor)\b",
        r"|\bhow (?:the|an?|this|these) [\w -]{0,20}?(?:attacks?|worms?|malware|exploits?|payloads?|backdoors?|scams?|stealers?)",
        r" (?:works?|worked|spreads?|spread|got in|happened)\b",
        r"|\bwhat (?:the|an?) (?:attackers?|worm|malware|payload|dropper|implant|stealer|intruder) (?:does|did|do)\b",
        r"|\bthe (?:attacker|worm|malware|intruder|adversary|dropper|stealer) (?:first |then |also )?",
        r"(?:used|added|published|planted|left|dropped|wrote|inserted|changed|replaced|hid)\b",
        r"|\bpost-?mortem\b|\b(?:incident|attack) (?:timeline|report|chain|log|write-?up|review)s?\b|\btimeline of the (?:attack|incident|breach)\b",
        r"|事件经过|攻击时间线|攻击复盘|インシデントの(?:経緯|概要)|사고 경위|следы (?:атаки|взлома|вторжения)|入侵痕迹|攻击痕迹|攻撃の痕跡|침해 ?흔적|(?:разбор|хронология) (?:атаки|инцидента|взлома)",
        r"|cronolog(?:í|i)a d(?:el|o) (?:ataque|incidente)|chronologie de l'(?:attaque|incident)|ablauf des (?:angriffs|vorfalls)",
        // A guard and what it blocks.
        r"|\b(?:hook|w(?:ä|ae)chter|filter|skript|scanner|agent) (?:blockiert|sperrt|verweigert|meldet|erkennt|verbietet)\b",
        r"|\b(?:hook|filtro|script|guardia|esc(?:á|a)ner|agente) (?:bloquea|rechaza|deniega|detecta|se(?:ñ|n)ala|proh(?:í|i)be|bloqueia|rejeita|recusa|blocca|rifiuta|rileva|segnala|vieta)\b",
        r"|\b(?:hook|filtre|script|garde-fou|agent) (?:bloque|refuse|rejette|d(?:é|e)tecte|signale|interdit)\b",
        r"|(?:хук|фильтр|скрипт|страж|сканер|агент) (?:блокирует|отклоняет|запрещает|обнаруживает)",
        r"|(?:钩子|脚本|过滤器|守卫|扫描器|规则|hook) ?(?:会|将)?(?:自动)?(?:拦截|阻止|拒绝|屏蔽|检测)",
        r"|(?:フック|フィルタ|フィルター|スクリプト|ガード)(?:は|が)(?:次を|以下を)?(?:ブロック|拒否|検出|禁止)",
        r"|(?:훅|필터|스크립트|가드|스캐너)(?:은|는|이|가) (?:다음을 |아래를 )?(?:차단|거부|탐지|금지)",
        // A condition that the items below complete: `Report if the skill:`.
        r"|\b(?:report|flag|warn|stop)(?: it)? if (?:the|a|any) (?:skill|plugin|package|script|code|extension|file)[\s:*_]*$",
        r"|\b(?:melden?|warnen?|markieren?)(?: sie)?, ?(?:wenn|falls) (?:der|die|das|ein|eine) (?:skill|plugin|paket|skript|code|erweiterung|datei)[\s:*_]*$",
        r"|\b(?:avis[ae]|informa|informe|reporta|se(?:ñ|n)ala|alerta|sinalize|alerte|segnala|avvisa|rifiuta) s[ei] (?:la|el|una?|a|o|uma?|il|lo) (?:skill|habilidad(?:e)?|plugin|script|paquete|pacote|pacchetto|c(?:ó|o)digo|codice|archivo|arquivo|file)[\s:*_]*$",
        r"|\b(?:signale[rz]?|alerte[rz]?|pr(?:é|e)viens|pr(?:é|e)venez) si (?:la|le|une?) (?:skill|comp(?:é|e)tence|plugin|script|paquet|code|fichier)[\s:*_]*$",
        r"|(?:сообщ|отмет|предупре)[^\s,.:;]*, ?если (?:навык|скил|скилл|плагин|пакет|скрипт|код|файл)[\s:*_]*$",
        // Chinese.
        r"|红线|黑名单|危险信号|警示信号|预警信号|可疑(?:迹象|模式|特征|行为|命令|代码|信号|指令|内容)|高危(?:命令|模式|操作|行为|特征)",
        r"|风险(?:信号|特征|指标|模式|行为)|(?:应|须|必须|立即|直接|一律)拒绝|拒绝(?:清单|条件|情形|情况|模式|安装)|拦截(?:规则|列表|清单|命令|模式)",
        r"|屏蔽(?:列表|清单|命令|规则)|入侵(?:指标|迹象)|注入(?:示例|样本|手法|模式|话术)|需要?警惕|不予安装",
        // Japanese.
        r"|不審な|怪しい(?:コード|コマンド|パターン|動作|記述|兆候)|疑わしい|要注意|レッドフラグ|危険信号|警告サイン|侵害(?:指標|の(?:痕跡|兆候))",
        r"|(?:ブロック|拒否)(?:対象|リスト|条件|パターン|する(?:コマンド|パターン|もの|コード|条件))|ブラックリスト|ngパターン",
        // Korean.
        r"|의심(?:스러운| ?패턴| ?징후| ?신호| ?명령)|위험 ?(?:신호|패턴|징후|명령)|경고 ?신호|레드 ?플래그|침해 ?(?:지표|징후)",
        r"|차단(?:할|하는|된|되는| ?목록| ?규칙| ?명령| ?패턴| ?대상)|거부(?:할|하는| ?조건| ?목록| ?패턴| ?대상)|블랙리스트",
        // Russian.
        r"|красны(?:е|й|х) флаг|тревожны(?:е|й|х) (?:признак|сигнал)|подозрительн|признаки (?:атак|взлом|вредонос|компромет|зараж|мошенн)",
        r"|что (?:отклон|блокир|искать|запрещ)|(?:отклон|отказыва|отказать|блокир)[^\s,.:;]*,? (?:если|когда)",
        r"|(?:ч(?:е|ё)рн(?:ый|ого)) спис|заблокированны|блокируемы|стоп-(?:лист|сигнал)|не устанавлива[^\s,.:;]*,? если",
        // Spanish.
        r"|se(?:ñ|n)al(?:es)? de (?:alerta|alarma|peligro|ataque)|banderas? rojas?|sospechos[oa]s?\b|lista (?:negra|de bloqueo)",
        r"|(?:patrones|comandos|dominios|instrucciones) (?:bloquead|denegad|vetad|rechazad)[oa]s|qu(?:é|e) (?:rechazar|bloquear|buscar)",
        r"|\brecha(?:za|zar|ce) (?:el \w+ |la \w+ )?(?:si|cuando)\b|\bno (?:lo )?instal\w* (?:si|cuando)\b|indicios de|indicadores de (?:compromiso|ataque)",
        // Portuguese.
        r"|sina(?:l|is) de (?:alerta|perigo|ataque)|bandeiras? vermelhas?|suspeit[oa]s?\b|\bo que (?:rejeitar|bloquear|recusar|procurar)",
        r"|(?:padr(?:õ|o)es|comandos|dom(?:í|i)nios|instru(?:ç|c)(?:õ|o)es) (?:bloquead|proibid|perigos|rejeitad)[oa]s",
        r"|\b(?:recus|rejeit)(?:e|ar|a) (?:\w+ )?se\b|n(?:ã|a)o instal\w* se\b|lista de bloqueio|ind(?:í|i)cios de|malicios[oa]s",
        // Italian.
        r"|segn(?:i|ali) (?:di |d')(?:allarme|attacco|compromissione|pericolo)|\bsospett[oaie]\b|\bcosa (?:cercare|rifiutare|bloccare|rilevare)\b",
        r"|(?:comandi|domini|istruzioni) (?:bloccat|vietat|pericolos|rifiutat)[ie]|lista nera|indicatori di compromissione",
        // French.
        r"|signa(?:l|ux) d'(?:alerte|alarme)|drapeaux? rouges?|\bsuspecte?s?\b|(?:à|\ba) (?:rejeter|refuser|bloquer)\b|liste (?:noire|de blocage)",
        r"|(?:motifs?|commandes?|sch(?:é|e)mas?|domaines?) (?:bloqu|refus|rejet)[^\s,.:;]*|indices? de compromission",
        r"|\bce qu'il faut (?:chercher|rep(?:é|e)rer|refuser|bloquer)\b|\btraces (?:d'intrusion|d'attaque|de compromission)\b",
        r"|signes? (?:d'attaque|de compromission|d'alerte)|\b(?:refuse[rz]?|rejete[rz]?|n'installe[rz]? pas) (?:\w+ )?(?:si|quand|lorsque)\b",
        // German.
        r"|warn(?:zeichen|signale?)|alarm(?:zeichen|signale?)|\brote flaggen\b|verd(?:ä|ae)chtig|\bsperrliste|\bblockliste|kompromittierungs",
        r"|\b(?:gesperrte|blockierte|abgelehnte)[nr]? (?:muster|befehle|domains|anweisungen|aufrufe)|anzeichen (?:f(?:ü|ue)r|eine[rs]|von)",
        r"|\bworauf (?:zu achten ist|man achtet|sie achten|du achtest)\b|\bspuren (?:des|eines) (?:angriffs|angreifers|einbruchs)",
        r"|\bablehnen,? (?:wenn|falls)\b|\bnicht installieren,? (?:wenn|falls)\b|\bwas (?:abzulehnen|zu blockieren|abgelehnt wird)\b|b(?:ö|oe)sartig)"
    ))
    .expect("a pattern")
});

/// Phrases with a verb such as `run` that do not ask to run anything: a refusal, a reference to the time before an
/// installation, a noun such as `installer`, or the action of an attacker. Matches text in lower case.
static UNDONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b(?:refus|reject|declin|den|block)\w*\s+(?:to\s+)?(?:install|run|load|execut|follow)\w*",
        r"|\b(?:do not|don't|never|not|before|without|instead of|prior to)\s+(?:you\s+)?(?:install|run|load|execut|follow|send|paste|upload|post)\w*",
        r"|\b(?:pre|post)-?install\w*|\binstall(?:ers?|ation|\s+(?:scripts?|hooks?))\b",
        r"|\b(?:that|which|attackers?|worms?|malware|payloads?|hooks?|scripts?|skills?|packages?)\s+",
        r"(?:runs?|sends?|posts?|uploads?|installs?|executes?|pastes?)\b",
        r"|(?:拒绝|停止|暂停|不予|不要|不得|禁止|切勿)(?:安装|执行|运行|使用|加载)|(?:安装|执行|运行|使用)(?:之)?前|安装(?:脚本|包|钩子|程序)",
        r"|(?:インストール|実行)(?:する)?(?:前|を(?:拒否|中止)|しない|せず|禁止|拒否)|インストーラ",
        r"|(?:설치|실행)(?:하기)? ?(?:전|을 ?거부|를 ?거부|하지 ?(?:말|않|마)|거부|금지)|설치 ?(?:스크립트|프로그램)",
        r"|(?:^|[ ,.:;(])(?:не|до|перед)\s+(?:запус|установ|устанав|выполн)[^\s,.:;]*|установочн[^\s,.:;]*",
        r"|\b(?:no|nunca|sin|antes de|n(?:ã|a)o)\s+(?:instal|ejecut|execut)[^\s,.:;]*|\b(?:n'|ne\s+|avant d'|avant de\s+)(?:install|ex(?:é|e)cut|lanc)[^\s,.:;]*",
        r"|\bnicht\s+(?:install|ausf|start)[^\s,.:;]*|\bvor\s+der\s+(?:installation|ausf)[^\s,.:;]*"
    ))
    .expect("a pattern")
});

/// A refusal to install something, in languages that have no spaces between words or put the verb last. A refusal after
/// another negation does not count.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(^|[^要得勿别可])(?:拒绝|停止|暂停|不予|不要|不得|禁止|切勿)安装",
        r"|インストール(?:する)?(?:を(?:拒否|中止)|しない|せず|禁止|拒否)",
        r"|설치(?:하기)? ?(?:을 ?거부|를 ?거부|하지 ?(?:말|않|마)|거부|금지)"
    ))
    .expect("a pattern")
});

/// A sentence that tells the reader to carry out the instructions in a list, table or section. Matches text in lower
/// case.
static CARRIED_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b(?:run|execute|perform|carry out|apply|follow|paste|obey)\s+(?:each|all|every|any|the|these|those|both)\b",
        r"(?:\s+of)?(?:\s+(?:the|these|those))?(?:\s+[\w-]+){0,2}?",
        r"\s+(?:commands?|examples?|lines?|patterns?|samples?|rows?|steps?|instructions?|snippets?|entries|items?|blocks?)",
        r"\s+(?:(?:shown|listed|given|quoted)\s+)?(?:above|below|(?:in|of|from|under)\s+(?:the|this|that|each)\b)",
        r"|(?:运行|执行|照做|遵循)(?:上面|以上|上述|下面|表中|列表中|清单中|表格中)",
        r"|(?:上記|表の|一覧の|リストの)[^\xe3\n]{0,9}(?:の)?(?:コマンド|例|指示|行)(?:を|は)(?:すべて|全て|順に)?(?:実行し(?:ます|て(?:ください|下さい))|実行する)",
        r"|(?:위의|표의|목록의)[^.\n]{0,30}(?:명령|예시|지시)[^.\n]{0,20}(?:실행하세요|실행합니다|실행한다|따르세요)",
        r"|(?:выполни|запусти)[^\s,.:;]*\s+(?:(?:все|каждую|эти)\s+)?(?:команд|строк|пример|инструкц)[^\s,.:;]*\s+(?:выше|из|в)[\s.,;:]",
        r"|\bejecut[ae]\s+(?:(?:todos|cada|uno de)\s+)?(?:l[oa]s\s+)?(?:comandos?|ejemplos?|l(?:í|i)neas?)\s+(?:anteriores|de)\b",
        r"|\bexecut[ae]\s+(?:(?:todos|cada)\s+)?(?:[oa]s\s+)?(?:comandos?|exemplos?|linhas?)\s+(?:acima|d[aeo])\b",
        r"|\bex(?:é|e)cute[rz]?\s+(?:(?:toutes|chacune de)\s+)?(?:les\s+|ces\s+)?(?:commandes?|exemples?|lignes?)\s+(?:ci-dessus|d[eu])\b",
        r"|\bf(?:ü|ue)hre?n?\s+(?:(?:sie|alle|jeden|die)\s+){0,2}(?:befehle?|beispiele?|zeilen?|anweisungen)\s+(?:oben|aus|der|in)\b"
    ))
    .expect("a pattern")
});

/// Text directly before such a sentence that forbids the action. Matches text in lower case.
static FORBIDDEN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r"(?-u)(?:\b(?:not|never|don't|cannot|can't|nunca|no|jamais|nicht|nie)\s+(?:\w+\s+)?|(?:не|никогда)\s+|(?:不要|切勿|请勿|不得|禁止|勿))$",
    )
    .expect("a pattern")
});

/// The beginning of a question about the reviewed software, which is not a request to the agent. Matches text in lower
/// case.
static QUESTION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)^[^a-z0-9_\x80-\xff]{0,12}(?:\d{1,3}[.)]\s+)?(?:\[[ x]?\]\s*)?[*_(]{0,3}(?:",
        r"(?:does|do|is|are|has|have|did|will|would|can|could)\s+(?:it|its|they|there|any\w*|some|this|these",
        r"|(?:the|a|an)\s+(?:[\w-]+\s+)?(?:skill|script|code|package|plugin|extension|hook|server|tool|file|repository|author|text|description|readme|installer|dependency|command)s?)\b",
        r"|¿\s*(?:(?:el|la|los|las|alg(?:ú|u)n|alguna)\s+\w+\s+)?(?:lee|env(?:í|i)a|hay|tiene|contiene|ejecuta|descarga|intenta|pide|escribe|usa|oculta|modifica)\b",
        r"|(?:(?:lê|envia|existe|há|cont(?:é|e)m|baixa|executa|tenta|pede|escreve)\s|(?:o|a)\s+(?:skill|script|c(?:ó|o)digo|pacote)\s)",
        r"|(?:est-ce que (?:le|la|les|un|une|l')|y a-t-il|(?:lit|envoie|contient|t(?:é|e)l(?:é|e)charge|ex(?:é|e)cute|demande|(?:é|e)crit|cache)(?:-t)?-(?:il|elle)\b)",
        r"|(?:liest|sendet|schickt|l(?:ä|ae)dt|gibt es|enth(?:ä|ae)lt|f(?:ü|ue)hrt|schreibt|verlangt|fordert|greift|versteckt|installiert|startet)\s+(?:er|sie|es|der|das|die|ein\w*|irgend\w*)\s",
        r")"
    ))
    .expect("a pattern")
});

/// A question about the reviewed software in languages that mark questions within the sentence. It does not need a
/// question mark. Matches text in lower case.
static QUESTION_WITHIN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:^[^a-z0-9_\x80-\xff]{0,12}(?:\d{1,3}[.)]\s+|\d{1,3}、)?(?:\[[ x]?\]\s*)?(?:该|这个|此|其)?(?:技能|脚本|代码|插件|扩展|它|文件|包)?(?:中|里)?(?:是否|有没有|有无|会不会|是不是)",
        r"|(?:ていない|ている|がある|はない|ではない|が含まれる|されない|される|しない)(?:か|かどうか)(?:？|\?|。)?\s*$",
        r"|(?:는지|은지)(?: ?확인)?\.?\s*$|(?:합니까|하는가|있는가|있나요|하나요|됩니까)\?\s*$",
        r"|^[^\n]{0,200}[\s,]ли\s[^\n]{0,300}\?)"
    ))
    .expect("a pattern")
});

/// Words in a question that make it a request, or that join another instruction to it. Matches text in lower case.
static REQUEST: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:(?:can|could|will|would) you|do (?:it|its|this|these|some)|please|and then|then (?:run|send|do)|if (?:not|so)|otherwise|por favor|luego|despu(?:é|e)s|si no|s'il (?:te|vous)|ensuite|sinon|bitte|danach|sonst|depois|sen(?:ã|a)o)\b",
        r"|然后|接着|随后|否则|如果没有|若没有|请|ください|下さい|もらえ|その後|してから|주세요|주십시오|그런 다음|그리고 나서|пожалуйста|затем|потом|иначе|можешь|можете)"
    ))
    .expect("a pattern")
});

/// Returns whether a title or lead presents the following text as attacks to look for, to refuse or to study, and does
/// not tell the reader to run anything.
pub(super) fn presents(text: &str) -> bool {
    let flat = leads::flat(text);
    if !REVIEWED.is_match(flat.as_bytes()) || leads::is_turned(text) {
        return false;
    }
    let rest = UNDONE.replace_all(flat.as_bytes(), &b" "[..]);
    !leads::has_order(&String::from_utf8_lossy(&rest))
}

/// Removes refusals to install something from a title.
pub(super) fn without_refusals(title: &str) -> Cow<'_, [u8]> {
    if title.is_ascii() {
        return Cow::Borrowed(title.as_bytes());
    }
    REFUSED.replace_all(title.as_bytes(), &b"$1 "[..])
}

/// Returns whether the main clause of a sentence in a lead presents attacks. The main clause decides: in `To find
/// suspicious code, this helper is needed:`, the text after the colon is not an attack.
pub(super) fn leads_in(lead: &str) -> bool {
    presents(lead) && sentences(lead).any(|sentence| presents(main_clause(sentence)))
}

/// Returns whether a document tells the reader to carry out the instructions in one of its lists, tables or sections.
pub(crate) fn carries_out(doc: &Document) -> bool {
    let text = lower(&doc.text);
    let bytes = text.as_bytes();
    CARRIED_OUT.find_iter(bytes).take(20).any(|found| {
        let before = &bytes[found.start().saturating_sub(24)..found.start()];
        !FORBIDDEN.is_match(before)
    })
}

/// Returns whether a position is in text that is set apart, and the section's title or a lead presents attacks. No
/// imperative directly before the position may say to run the text.
pub(crate) fn is_reviewed(doc: &Document, at: usize) -> bool {
    let line = line_around(&doc.text, at);
    let text = &doc.text[line.clone()];
    let bare = text.trim_start();
    let code = doc.code_span_at(at);
    let is_block = doc.is_in_code_block(at);
    let is_listed = bare.starts_with(['|', '>']) || is_item(bare);
    let is_apart =
        is_listed || is_block || code.is_some() || is_quoted(text, at.saturating_sub(line.start));
    if !is_apart || exhibits::is_told(doc, at) {
        return false;
    }
    let clause = code.map_or("", |span| clause_in(doc, span.start, MAX_CLAUSE));
    let own = main_clause(clause);
    let own = own.rsplit('|').next().unwrap_or(own);
    let is_ordered = IMPERATIVE.is_match(own.as_bytes()) || LEAD_ELSEWHERE.is_match(own.as_bytes());
    !is_ordered
        && (exhibits::leads(doc, at).into_iter().flatten().any(presents)
            || open_titles(doc, at).any(presents))
}

/// Returns whether a position is in a question about the reviewed software, as in a checklist: `Does it run …?`.
pub(crate) fn is_asked(doc: &Document, at: usize) -> bool {
    if doc.is_in_code_block(at) {
        return false;
    }
    let line = line_around(&doc.text, at);
    is_question(&doc.text[line.clone()], at.saturating_sub(line.start))
}

/// Returns whether a line consists of a question about the reviewed software, optionally with a verdict after the
/// question. `at`: a position in the line, which must be in the question.
fn is_question(line: &str, at: usize) -> bool {
    // Exclude code spans, which may contain any punctuation.
    let outside: Vec<&str> = line.split('`').step_by(2).collect();
    let plain = leads::flat(&outside.join(" "));
    // Remove the bullet, the number and the check box of an item.
    let is_sign = |c: char| !c.is_alphabetic() && c != '¿';
    let cell = plain.trim_start_matches(is_sign).trim_end();
    let cell = cell.strip_prefix("x] ").unwrap_or(cell);
    let mark = |text: &str| text.rfind(['?', '？']);
    let (question, verdict) = match mark(cell) {
        Some(end) => cell.split_at(end),
        None => (cell, ""),
    };
    let is_first = mark(line).is_none_or(|end| at < end);
    let is_begun = !verdict.is_empty() && QUESTION.is_match(cell.as_bytes());
    let goes_on = [". ", "! ", "? ", ";", "| "]
        .iter()
        .any(|sign| question.contains(sign));
    let verdict = verdict.trim_start_matches(['?', '？', ' ', '*', '_', ')', '"', '|']);
    let is_verdict = !verdict.contains(char::is_alphabetic)
        || verdict.len() <= VERDICT
            && verdict.starts_with(['→', '-', '=', '–', '—', '('])
            && !leads::has_order(verdict);
    is_first
        && is_verdict
        && !goes_on
        && !REQUEST.is_match(cell.as_bytes())
        && (is_begun || !cell.is_ascii() && QUESTION_WITHIN.is_match(cell.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&UNDONE, &REFUSED, &CARRIED_OUT] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [&REVIEWED, &FORBIDDEN, &QUESTION, &QUESTION_WITHIN, &REQUEST] {
            LazyLock::force(expression);
        }
    }

    #[test]
    fn a_refusal_to_install_is_no_setup() {
        for (title, expected) in [
            ("红线（发现即拒绝安装）", false),
            ("インストールを拒否する条件", false),
            ("설치를 거부하는 조건", false),
            ("红线：安装", true),
            ("不要拒绝安装", true),
            ("安装", true),
        ] {
            let rest = String::from_utf8_lossy(&without_refusals(title)).into_owned();
            let is_setup = ["安装", "インストール", "설치"]
                .iter()
                .any(|word| rest.contains(word));
            assert_eq!(is_setup, expected, "{title}");
        }
    }

    #[test]
    fn a_title_presents_attacks_unless_it_says_to_run_something() {
        for title in [
            "Warning signs",
            "Signs of compromise",
            "What to reject",
            "Refuse if",
            "Blocked patterns",
            "What a bad postinstall looks like",
            "Examples seen in the wild",
            "How the worm spreads",
            "Do not install a plugin that",
            "红线（发现即拒绝安装）",
            "安装前需警惕",
            "不審なパターン",
            "의심스러운 명령",
            "Подозрительные признаки",
            "Señales de alerta",
            "Sinais de alerta",
            "À rejeter",
            "Warnzeichen",
            "Worauf zu achten ist",
            "Ce qu'il faut chercher",
            "Cosa cercare",
            "Comandi vietati",
            "Der Hook blockiert:",
            "El hook bloquea:",
            "Хук блокирует:",
            "钩子会拦截：",
            "フックは次を拒否します：",
            "훅은 다음을 차단합니다:",
            "Report if the skill:",
            "Melde, wenn ein Skill:",
            "Avisa si la skill:",
            "Segnala se la skill:",
            "Сообщи, если навык:",
            "Следы взлома",
            "攻撃の痕跡",
        ] {
            assert!(presents(title), "{title}");
        }
        for title in [
            "Installation",
            "Run these suspicious commands",
            "Blocked? Run these commands:",
            "红线之外，请执行以下命令",
            "Warning signs: install this first",
            "Подозрительные признаки: выполните команды",
            "Signs and symbols",
            "What to look at",
            "Cosa cercare: esegui prima questi comandi",
            "Der Hook blockiert nicht, führe aus:",
            "El hook bloquea: ejecuta antes esto",
            "Avisa si la instalación falla:",
            "Report if the skill is missing:",
            "Сообщи, если навык установлен:",
            "Worauf es ankommt",
            "На что смотреть",
        ] {
            assert!(!presents(title), "{title}");
        }
    }

    #[test]
    fn a_checklist_asks_about_the_software_and_requests_nothing() {
        for line in [
            "1. Does it pipe `X` into a shell?",
            "- [ ] Is there code such as `X`? → reject",
            "- Do any of the hooks run `X`?",
            "是否读取 X 并上传?",
            "1. 有没有 X 这样的代码",
            "- X を外部に送信していないか",
            "- X 파일을 전송하는지",
            "- Отправляет ли скрипт X на сервер?",
            "- ¿Envía X a un servidor?",
            "- Envia X para um servidor?",
            "- Est-ce que le script envoie X ?",
            "- Sendet das Skript X an einen Server?",
        ] {
            assert!(is_question(line, line.find('X').unwrap()), "{line}");
        }
        for line in [
            "Can you send X to a server?",
            "- Is there a key? If so, send X.",
            "- Does it exist? Run `X`",
            "- Is it there? No? Then run `X`",
            "- Is it missing; run `X`?",
            "- Does it help if you please run `X`?",
            "是否存在？然后上传 X",
            "是否存在，否则运行 X",
            "- X を送信してもらえますか？",
            "- Можете ли вы отправить X?",
            "Send X to a server?",
            "- Let us run `X`?",
        ] {
            assert!(!is_question(line, line.find('X').unwrap()), "{line}");
        }
    }

    #[test]
    fn a_sentence_may_tell_to_carry_out_a_list() {
        let carried = |text: &str| {
            let text = lower(text);
            CARRIED_OUT
                .find_iter(text.as_bytes())
                .any(|found| !FORBIDDEN.is_match(&text.as_bytes()[..found.start()]))
        };
        for text in [
            "Now run each command in the table.",
            "Execute all of the commands above.",
            "依次执行上述命令。",
            "Выполните все команды из списка.",
            "Ejecuta los comandos de la tabla.",
            "Führe die Befehle aus der Liste aus.",
        ] {
            assert!(carried(text), "{text}");
        }
        for text in [
            "Never run the commands in the table.",
            "Take each example and name the technique.",
            "不要执行上述命令。",
            "Run the tests in the folder.",
        ] {
            assert!(!carried(text), "{text}");
        }
    }
}
