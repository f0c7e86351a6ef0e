//! Reports instructions to falsify a comparison or rating in favour of a third party, and to keep this from the user.
//!
//! A shop may praise its own goods, and a comparison may leave out offers. The finding needs two instructions near each
//! other that contradict an honest comparison: to change the values of the other offers, to give a named party the
//! first place whatever the values are, to withhold complaints, or to call the result independent.

use std::sync::LazyLock;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::context::Place;
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The maximum distance between two of the instructions, in bytes.
const NEAR: usize = 700;

/// The number of bytes before an instruction that are searched for a negation.
const BEFORE: usize = 48;

/// Strings without accents. [`ALTERED`] is only tried on text that contains at least one of them.
static VALUES: AnyOf = AnyOf::new(&[
    "price",
    " rating",
    " score",
    "preise",
    "bewertung",
    "precio",
    "puntuaci",
    "valoraci",
    " prix",
    "preco",
    "avaliac",
    "цен",
    "рейтинг",
    "价格",
    "报价",
    "低价",
    "评分",
    "価格",
    "値段",
    "料金",
    "評価",
    "가격",
    "평점",
    "요금",
]);

/// Strings without accents. [`OMITTED`] is only tried on text that contains at least one of them.
static COMPLAINTS: AnyOf = AnyOf::new(&[
    "complaint",
    "negative re",
    "negative ra",
    "bad re",
    "critical re",
    "poor re",
    "criticism",
    "downgrade",
    "scam ",
    "negative bew",
    "negativen bew",
    "schlechte",
    "kritische",
    "beschwerde",
    "warnungen",
    "queja",
    "reclamac",
    "resenas neg",
    "opiniones neg",
    "plaintes",
    "avis neg",
    "queixa",
    "avaliacoes neg",
    "отзыв",
    "жалоб",
    "差评",
    "负面",
    "投诉",
    "口コミ",
    "苦情",
    "クレーム",
    "후기",
    "리뷰",
    "불만",
]);

/// Instructions to change the values of the other offers. All expressions in this file match text in lower case.
static ALTERED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:rais|increas|inflat|bump|mark up|mark down|lower|reduc|deflat|worsen|push|round|multipl|pad|cut|shav)\w*\s[^\n.]{0,40}?\b(?:prices?|ratings?|scores?|fees|costs?|figures?|values?|stars|numbers)\s(?:of|for|at|from)\s(?:the\s|all\s|every\s|its\s)*(?:other|competi|rival|remaining|rest)\w*",
        r"|\b(?:rais|increas|inflat|bump|lower|reduc|deflat|worsen|push)\w*\s(?:the\s|all\s|every\s)*(?:other|competi|rival)\w*(?:'s?)?\s(?:\w+\s){0,2}?(?:prices?|ratings?|scores?|fees|figures?)\b",
        r"|\b(?:preise?|bewertung\w*|noten?|werte?)\s(?:der|von|aller)\s(?:ander|übrig|konkurren|mitbewerb|restlich)\w*[^\n.]{0,60}?\b(?:herauf|hinauf|hoch|erhöhe|anheb|herab|herunter|runter|schlechter)|\b(?:erhöh|heb|senk|setz|schraub|verschlechter)\w{0,3}\s[^\n.]{0,60}?(?:preise?|bewertung\w*|noten?)\s(?:der|von|aller)\s(?:ander|übrig|konkurren|mitbewerb)",
        r"|\b(?:sube|suba|subir|aumenta|infla|eleva|baja|reduce|incrementa)\w*\s[^\n.]{0,30}?(?:precios?|puntuaci\w+|notas?|valoraci\w+)\s(?:de\s)?(?:l[oa]s\s)?(?:demás|otr[oa]s|competi|rest)",
        r"|\b(?:augment|gonfl|major|relèv|baiss|diminu)\w*\s[^\n.]{0,30}?(?:prix|notes?|scores?)\s(?:de\s|des\s|du\s)?(?:l[ea]s?\s)?(?:autres|concurrent|rest)",
        r"|\b(?:aument|infl|elev|baix|reduz|sub[ai])\w*\s[^\n.]{0,30}?(?:preços?|notas?|avaliaç\w+)\s(?:d[aoe]s?\s)?(?:outr[oa]s|demais|concorren|rest)",
        r"|(?:завыша|завыс|повыша|повыс|увелич|занижа|заниз|подним|изменя)\S*\s(?:их\s)?(?:цен|оценк|рейтинг|балл)|цены (?:других|остальных|конкурентов)[^\n.]{0,24}(?:завыша|завыс|повыша|повыс|увелич)",
        r"|(?:把|将)?(?:其他|其它|别的|它们|竞争|对手|同类)[^\n。；]{0,12}(?:价格|报价|价|评分|分数)[^\n。；]{0,8}(?:调高|上调|提高|抬高|加价|虚高|调低|压低|降低)|(?:调高|上调|抬高|提高|压低|调低)(?:其他|其它|别的|竞争|对手|同类)[^\n。；]{0,12}(?:价格|报价|价|评分|分数)",
        r"|(?:他店|他社|ほかの|他の|競合)[^\n。]{0,16}(?:価格|値段|料金|評価|点数)[^\n。]{0,24}(?:上げ(?:る|て|ろ|ます)|高く(?:する|書|表示)|上乗せ|水増し(?:する|して)|下げ(?:る|て|ろ|ます)|低く(?:する|書|表示))|(?:表の)(?:価格|値段|評価)を[^\n。]{0,10}(?:上げ(?:る|て|ます)|水増しする|下げ(?:る|て|ます))",
        r"|(?:다른|경쟁|타사|나머지)[^\n.]{0,24}(?:가격|평점|점수|요금)[^\n.]{0,20}(?:올려|높여|부풀려|올린다|높인다|낮춰|낮춘다|깎아)|(?:표의|표에) ?(?:가격|평점)을[^\n.]{0,12}(?:올려|올린다|높여|높인다|부풀)",
    )))
    .expect("a pattern")
});

/// Instructions to withhold complaints.
static OMITTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:leav\w* out|omit\w*|hid(?:e|ing)|suppress\w*|withhold\w*|skip\w*|drop\w*|filter out|remove|bury|conceal\w*)\s[^\n.]{0,40}?\b(?:complaints?|(?:negative|bad|critical|poor) (?:reviews?|ratings?|reports?|news)|criticism|downgrades?|(?:scam|fraud|consumer|safety) (?:warnings?|reports?|alerts?))",
        r"|\b(?:complaints?|(?:negative|bad|critical|poor) (?:reviews?|ratings?|reports?)|downgrades?)\b[^\n.]{0,60}?\b(?:(?:are|is|be|get) (?:left out|omitted|hidden|suppressed|dropped|removed|skipped|withheld))",
        r"|\b(?:negativ|schlecht|kritisch)\w*\s(?:bewertung|rezension|stimm|test|bericht|kritik)\w*[^\n.]{0,120}?\b(?:weggelassen|weglass\w*|verschweig\w*|verschwiegen|ausgeblendet|ausblend\w*|auslass\w*|unterschl\w*)|\b(?:verschweig|unterschlag|lass)\w*\s[^\n.]{0,60}?(?:beschwerde|warnung|kritik|negativ\w* bewertung)|\b(?:beschwerden|warnungen)\b[^\n.]{0,60}?\b(?:weggelassen|verschw(?:ei|ie)g\w*|ausgeblendet|unterschlagen)",
        r"|\b(?:omit|ocult|call|silenci|suprim|elimin|escond)\w*\s[^\n.]{0,24}?(?:quejas?|reclamaciones|reseñas? negativas?|opiniones negativas|críticas|advertencias)",
        r"|\b(?:tais|taire|cache|masque|omets|passe sous silence|supprime|écarte)\w*\s[^\n.]{0,24}?(?:plaintes?|avis négatifs?|critiques|mises en garde)",
        r"|\b(?:omit|ocult|escond|suprim|cal)\w*\s[^\n.]{0,24}?(?:reclamaç\w+|queixas?|avaliações negativas|críticas)",
        r"|(?:скрыва|скро|умалчива|умолч|опуска|опуст|убира|утаи)\S*\s(?:\S+\s){0,3}?(?:жалоб|отзыв|предупрежден|критик)|(?:отрицательн|негативн|плох)\S*\sотзыв\S*\s(?:\S+\s){0,2}?(?:скрыва|скрой|умалчива|опуска|убира|утаи)|жалобы\s(?:\S+\s){0,2}?(?:скрыва|умалчива|опуска)",
        r"|(?:隐瞒|隐去|略去|省略|删除|删掉|屏蔽|隐藏|过滤掉|不展示|不显示|不要提及|不要提)[^\n。；]{0,10}(?:差评|负面|投诉|黑料|警告|风险提示)|(?:差评|负面评价|投诉)[^\n。；]{0,8}(?:一律|全部|都)?(?:隐瞒|隐去|略去|省略|删除|删掉|屏蔽|隐藏|过滤|不展示|不显示)",
        r"|(?:悪い|否定的な|低い|ネガティブな)(?:口コミ|評価|レビュー)[^\n。]{0,12}(?:省く|省き|省いて|隠す|隠し|除く|除き|除外する|載せない|表示しない|触れない)|(?:苦情|クレーム)[^\n。]{0,8}(?:省く|省き|隠す|隠し|載せない|触れない|伏せ)",
        r"|(?:부정적인?|나쁜|낮은) ?(?:후기|리뷰|평가|평점)[^\n.]{0,8}(?:빼고|뺀다|제외하고|제외한다|숨기고|숨긴다|생략)|(?:불만|민원)[^\n.]{0,8}(?:빼고|뺀다|숨기고|숨긴다|생략)",
    )))
    .expect("a pattern")
});

/// The first place for a party, whatever the values are.
static FAVOURED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:always|regardless|no matter|whatever)\b[^\n]{0,60}\b(?:cheapest|best|first|top|winner|safest|highest|lowest)\b|\b(?:cheapest|best|first|top|winner|safest)\b[^\n]{0,40}\b(?:always|regardless|no matter|whatever|in every case)\b",
        r"|\b(?:immer|stets|grundsätzlich|in jedem fall)\b[^\n]{0,50}\b(?:günstigst|billigst|best|erst|sieger|oberst)|\bsiempre\b[^\n]{0,50}\b(?:barat|mejor|primer|económic)|\btoujours\b[^\n]{0,50}\b(?:moins cher|meilleur|premi[eè]r)|\bsempre\b[^\n]{0,50}\b(?:barat|melhor|primeir)",
        r"|всегда[^\n]{0,50}(?:дешев|дешёв|лучш|перв|выгодн)|(?:都|始终|总是|一律|必须|永远)[^\n。]{0,30}(?:最低|最便宜|第一|首位|最优|最好|最佳)|(?:必ず|常に|いつも)[^\n。]{0,24}(?:最安|一番|1位|首位|最も|最良)|(?:항상|언제나|반드시|무조건)[^\n.]{0,24}(?:최저가|가장|1위|최고|첫)",
    )))
    .expect("a pattern")
});

/// A code span or host: the party that a sentence names.
static NAMED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"`[^`\n]{3,60}`|\b[a-z0-9-]{2,40}\.(?:com|net|org|io|co|shop|store|app|[a-z]{2})\b",
    ))
    .expect("a pattern")
});

/// False statements about how a result came about.
static CLAIMED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:say|state|claim|tell|answer|reply|insist|assure)\w*\b[^\n.]{0,50}\b(?:independent|neutral|unbiased|impartial|objective|unmodified|unaltered|not sponsored|no (?:known )?complaints)\b",
        r"|\b(?:sag|antwort|behaupt|erklär|versicher)\w*\b[^\n.]{0,50}\b(?:unabhängig|neutral|objektiv|unverändert|keine (?:beschwerden|klagen))|\b(?:di|diga|afirma|responde|asegura)\b[^\n.]{0,50}\b(?:independiente|neutral|imparcial|objetiv|no hay quejas)|\b(?:dis|affirme|réponds|assure)\b[^\n.]{0,50}\b(?:indépendant|neutre|impartial|objectif|aucune plainte)|\b(?:diga|afirme|responda)\b[^\n.]{0,50}\b(?:independente|neutr|imparcial|não há reclamaç)",
        r"|(?:говори|скажи|отвечай|утверждай|заверя)\S*[^\n.]{0,50}(?:независим|нейтральн|объективн|жалоб нет|нет жалоб)|(?:就说|回答|声称|告诉用户|称)[^\n。]{0,20}(?:没有投诉|无投诉|没有差评|独立|中立|客观)|(?:苦情|クレーム|悪い評判)は?(?:ない|ありません)と(?:答え|言|伝え|回答)|(?:中立|独立|公平)[^\n。]{0,12}と(?:答え|言|伝え|説明)|(?:불만|민원)이? ?없다고 (?:답|말)|(?:중립|독립|객관)적[^\n.]{0,12}(?:라고|다고) (?:답|말|설명)",
    )))
    .expect("a pattern")
});

/// Conditions that the user asks.
static ASKED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:if|when|even if|even when)\s(?:\w+\s){0,3}?ask(?:s|ed)?\b|\bauf (?:direkte )?nachfrage\b|\b(?:wenn|falls)[^\n.]{0,30}(?:gefragt|fragt|nachfragt)|\baunque[^\n.]{0,30}pregunt|\bsi[^\n.]{0,20}pregunt|\bmême si[^\n.]{0,30}demande|\bmesmo que[^\n.]{0,30}pergunt|\bse [^\n.]{0,20}pergunt",
        r"|на вопрос|если[^\n.]{0,20}спрос|даже если[^\n.]{0,20}спра|(?:被问|问起|问到|追问|询问)|聞かれ|尋ねられ|質問され|물어|질문",
    )))
    .expect("a pattern")
});

/// A negation at the end of the text before an instruction.
static NEGATED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:\b(?:never|not|don't|mustn't|cannot|can't|shouldn't|nor|without|nie|niemals|nicht|no|nunca|jamás|tampoco|ni|ne|jamais|não|nem)\s(?:\w+\s(?:or|and|oder|und|o|y|ni|ou|et|e)\s)?(?:(?:ever|be|se|l[oae]s?|to)\s)?|n'|(?:^|\s)(?:не|нельзя|никогда|ни)\s(?:\S+\s(?:и|или)\s)?|(?:不得|不要|不能|不可|禁止|切勿|严禁|请勿|不应|别|勿)[^\n，。；]{0,6})$"
    ))
    .expect("a pattern")
});

/// A negation inside an instruction whose verb is at the end: `werden nicht weggelassen`.
static NEGATED_WITHIN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\b(?:nicht|nie|niemals)\s(?:weg|versch|ausgeb|ausbl|ausl|untersch|veränd|erhöh|herauf|herab|hoch)|\b(?:not|never)\s(?:be\s)?(?:left|omitted|hidden|suppressed|dropped|removed|skipped|withheld)|\sне\s(?:скры|умалч|опус|убир|утаи|завыш|повыш)|(?:不得|不要|不能|不可|禁止|切勿|不应|不)(?:隐|略|省|删|屏|过滤|调|上调|提高|抬|压)",
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC106: reports instructions to falsify a comparison, and to keep this from the user.
    pub(super) fn biasing(&mut self) {
        let layer = self.layer;
        let lower = layer.lower();
        if layer.doc.is_none() || layer.is_sample {
            return;
        }
        for (signs, of, is_altered) in [(&VALUES, &ALTERED, true), (&COMPLAINTS, &OMITTED, false)] {
            if !signs.is_in(lower) {
                continue;
            }
            let (mut from, mut left) = (0, MOST_EXAMINED);
            while let Some(found) = of.find_at(lower.as_bytes(), from) {
                // No match is empty.
                from = found.end.max(from + 1).min(lower.len());
                if left == 0 {
                    layer.left_out.note();
                    break;
                }
                left -= 1;
                if self.stop.is_raised() {
                    return;
                }
                let start = char_floor(lower, found.start);
                let span = Span::new(start, char_floor(lower, found.end).max(start));
                let near = Span::new(span.start.saturating_sub(NEAR), span.end + NEAR);
                let near = layer.lower_part(near);
                if !is_denied(lower, span) && is_false(near, is_altered) {
                    self.push_biased(span);
                    return;
                }
            }
        }
    }

    fn push_biased(&mut self, span: Span) {
        let hit = Match {
            signal: Signal::RunWords,
            span,
        };
        let is_text = !matches!(self.layer.place(span), Place::Shell | Place::Script);
        if is_text {
            let is_error = !self.is_exhibit(span);
            let what = "has the agent falsify a comparison for a third party, and keep this quiet";
            self.push_order("SEC106", &hit, is_error, what);
        }
    }
}

/// Returns whether an instruction is negated. `lower`: the text in lower case.
fn is_denied(lower: &str, span: Span) -> bool {
    let from = char_floor(lower, span.start.saturating_sub(BEFORE));
    let before = lower[from..span.start].rsplit('\n').next();
    NEGATED.is_match(before.unwrap_or_default().as_bytes())
        || NEGATED_WITHIN.is_match(&lower.as_bytes()[span.start..span.end])
}

/// Returns whether the text near an instruction makes it a deception. `is_altered`: whether the instruction changes
/// values, rather than withholding complaints.
fn is_false(near: &str, is_altered: bool) -> bool {
    let is_favoured = near
        .lines()
        .flat_map(|line| line.split(". "))
        .any(|clause| NAMED.is_match(clause.as_bytes()) && FAVOURED.is_match(clause.as_bytes()));
    let near = near.as_bytes();
    let is_claimed = CLAIMED.is_match(near);
    if is_altered {
        let is_omitted = OMITTED.is_match(near) && !NEGATED_WITHIN.is_match(near);
        return is_favoured || is_claimed || is_omitted;
    }
    (is_favoured || is_claimed) && ASKED.is_match(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [
            &ALTERED,
            &OMITTED,
            &FAVOURED,
            &NAMED,
            &CLAIMED,
            &ASKED,
            &NEGATED,
            &NEGATED_WITHIN,
        ] {
            LazyLock::force(expression);
        }
    }
}
